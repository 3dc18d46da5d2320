"""`worker`: start a worker, or one for each GPU."""

from typing import Any

from django.core.management.base import CommandError, CommandParser

from evenhand.refusals import did_you_mean, raise_if_any
from judging.management.evenhand_command import EvenhandCommand
from judging.management.server_processes import QUEUES, run_together, worker
from judging.services.database_schema import schema_problems
from judging.services.execution.worker_reports import read_cards


class Command(EvenhandCommand):
    help = "Start a worker, which judges the runs that pages, the API and `judge --queue` start."
    examples = ("worker", "worker --queues gpu", "worker --queues gpu --gpu 0,1")
    takes_json = False

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--queues",
            default=QUEUES,
            help="queues to serve: default for judges on CPUs and endpoints, gpu for judges on GPUs, or both",
        )
        parser.add_argument(
            "--gpu",
            metavar="CARDS",
            help="start one worker for each of these cards, by their numbers in nvidia-smi, as in 0,1 "
            "(default: one worker, which sees all cards)",
        )

    def run(self, options: dict[str, Any]) -> None:
        known = QUEUES.split(",")
        problems = [
            f'queues: there is no "{name}"{did_you_mean(name, known)}; there are: {", ".join(known)}'
            for name in options["queues"].split(",")
            if name not in known
        ]
        cards = options["gpu"].split(",") if options["gpu"] is not None else []
        raise_if_any([*problems, *card_problems(cards)])
        if problems := schema_problems():
            raise CommandError("\n".join(problems))
        if not cards:
            worker(options["queues"]).replace_this_process()
        run_together({f"worker of GPU {card}": worker(options["queues"], card=card) for card in cards})


def card_problems(cards: list[str]) -> list[str]:
    """Return what is wrong with the numbers of GPUs; nothing for none."""
    there = [str(card.number) for card in read_cards()] if cards else []
    if cards and not there:
        return ["gpu: nvidia-smi lists no GPU on this machine; start a worker without --gpu"]
    return [
        f'gpu: there is no GPU "{card}"; nvidia-smi lists: {", ".join(there)}' for card in cards if card not in there
    ]
