"""`serve`: start the web server."""

from typing import Any

from django.core.management.base import CommandError, CommandParser

from judging.management.evenhand_command import EvenhandCommand
from judging.management.server_processes import (
    THREADS,
    port_number,
    start_compressing_static_files,
    web_server,
    why_taken,
)
from judging.services.database_schema import bring_up_to_date, schema_problems
from judging.tasks import reaches_broker


class Command(EvenhandCommand):
    help = "Bring the database up to date and start the web server. Runs need a worker too: evenhand worker."
    examples = ("serve", "serve --host 0.0.0.0 --port 8080 --processes 4")
    takes_json = False

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--host", default="127.0.0.1", help="address to listen on")
        parser.add_argument("--port", type=port_number, default=8000, metavar="PORT", help="port to listen on")
        parser.add_argument("--processes", type=int, default=2, metavar="N", help="processes of the server")
        parser.add_argument("--threads", type=int, default=THREADS, metavar="N", help="threads of each process")

    def run(self, options: dict[str, Any]) -> None:
        if reason := why_taken(options["host"], options["port"]):
            raise CommandError(f"cannot listen on {options['host']}:{options['port']}: {reason}; give another --port")
        bring_up_to_date()
        if problems := schema_problems():
            raise CommandError("\n".join(problems))
        if not reaches_broker():
            self.note("The message broker cannot be reached: runs wait until it can.")
        if compressing := start_compressing_static_files(options["port"]):
            compressing.finish()
        self.note(f"Evenhand listens on http://{options['host']}:{options['port']}/; Ctrl-C stops it.")
        self.stderr.flush()
        size = {name: options[name] for name in ("processes", "threads")}
        web_server(options["host"], options["port"], **size).replace_this_process()
