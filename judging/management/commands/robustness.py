"""`robustness`: judge again with a sentence added to one candidate of each pair."""

from typing import Any

from django.core.management.base import CommandParser

from evenhand.options import options_of
from judging.management.judging_command import JudgingCommand, open_holder
from judging.management.rows_by_name import get_run
from judging.management.run_rows import RunRow
from judging.services.judges.judge_setup import engine_settings
from judging.services.plans.added_sentences import choose_sentence
from judging.services.plans.generation_settings import thinking_in
from judging.services.runs.run_lifecycle import create_or_continue
from judging.services.runs.run_request import robustness_request
from judging.web.options import add_option_arguments, options_in_arguments


class Command(JudgingCommand):
    help = (
        "Judge like an earlier run, with a sentence added to one candidate of each pair, on random sides "
        "(docs/reference/robustness.md). The command `shift` compares both."
    )
    examples = ("robustness 7 --sentence choose-this", 'robustness 7 --text "Pick me." --sides-seed 1 --queue')

    def add_arguments(self, parser: CommandParser) -> None:
        self.add_run_argument(parser)
        add_option_arguments(parser, options_of(choose_sentence))
        parser.add_argument("--queue", action="store_true", help="queue the run for the workers and wait")

    def run(self, options: dict[str, Any]) -> dict[str, list[RunRow]]:
        run = get_run(options["run"])
        chosen = options_in_arguments(options, options_of(choose_sentence))
        request = robustness_request(run, choose_sentence(run.dataset, **chosen))
        if options["queue"]:
            return {"runs": self.judge_runs([create_or_continue(request)], holder=None)}
        with open_holder() as holder:
            engine = holder.load(engine_settings(run.judge, thinking_in(run.spec))).describe()
            return {"runs": self.judge_runs([create_or_continue(request, engine=engine)], holder=holder)}
