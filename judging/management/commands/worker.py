"""`worker`: start a worker."""

from typing import Any

from django.core.management.base import CommandError, CommandParser

from evenhand.refusals import Refused, did_you_mean
from judging.management.evenhand_command import EvenhandCommand
from judging.management.server_processes import QUEUES, worker
from judging.services.backups.schema import schema_problems


class Command(EvenhandCommand):
    help = "Start a worker, which judges the runs that pages, the API and `judge --queue` start."
    examples = ("worker", "worker --queues gpu")
    takes_json = False

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--queues",
            default=QUEUES,
            help="queues to serve: default for judges on CPUs and endpoints, gpu for judges on GPUs, or both",
        )

    def run(self, options: dict[str, Any]) -> None:
        known = QUEUES.split(",")
        problems = [
            f'queues: there is no "{name}"{did_you_mean(name, known)}; there are: {", ".join(known)}'
            for name in options["queues"].split(",")
            if name not in known
        ]
        if problems:
            raise Refused(*problems)
        if problems := schema_problems():
            raise CommandError("\n".join(problems))
        worker(options["queues"]).replace_this_process()
