"""`resume`: go on with a run that was cancelled, failed, or lost its process."""

from typing import Any

from django.core.management.base import CommandParser

from judging.engine import load_engine
from judging.exceptions import Refused
from judging.management.finding import find_run
from judging.management.runs import JudgingCommand, RunRow, row_line
from judging.models import Chunk
from judging.services.engines import EngineHolder
from judging.services.runs import resume


class Command(JudgingCommand):
    help = "Go on with a run in this process; only what has no answer is asked."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("run", type=int, metavar="RUN")
        parser.add_argument("--queue", action="store_true", help="hand it to the workers and wait")
        self.add_json_argument(parser)

    def run(self, options: dict[str, Any]) -> dict[str, list[RunRow]]:
        run = find_run(options["run"])
        if run.is_active and Chunk.objects.filter(run=run).held().exists():
            raise Refused(f"run {run.pk} is being judged; wait for it, or cancel it first")
        resumed = resume(run)
        if options["queue"]:
            return {"runs": self.see_through([resumed], holder=None)}
        holder = EngineHolder(load_engine)
        try:
            return {"runs": self.see_through([resumed], holder=holder)}
        finally:
            holder.close()

    def show(self, result: dict[str, list[RunRow]]) -> None:
        for row in result["runs"]:
            self.stdout.write(f"{row_line(row)}; {row['reused']} of them were there already")
