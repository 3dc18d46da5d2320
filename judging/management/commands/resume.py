"""`resume`: continue a run that was cancelled, failed, or lost its process."""

from typing import Any

from django.core.management.base import CommandParser

from evenhand.options import options_of
from evenhand.refusals import Refused
from judging.management.judging_command import JudgingCommand, open_holder
from judging.management.rows_by_name import get_run
from judging.management.run_rows import RunRow
from judging.models import Chunk, Run
from judging.services.judges.judge_setup import engine_settings
from judging.services.judges.loaded_engine import EngineHolder
from judging.services.plans.generation_settings import thinking_in
from judging.services.plans.run_spec import agree_on_environment
from judging.services.runs.progress import has_problems
from judging.services.runs.run_lifecycle import resume
from judging.web.options import add_option_arguments, options_in_arguments


class Command(JudgingCommand):
    help = "Continue a run in this process. Only comparisons without an answer are asked."
    examples = ("resume 7", "resume 7 --errors --queue", "resume 7 --unparsed")

    def add_arguments(self, parser: CommandParser) -> None:
        self.add_run_argument(parser)
        add_option_arguments(parser, options_of(resume), is_once_each=True)
        parser.add_argument("--queue", action="store_true", help="queue the run for the workers and wait")

    def run(self, options: dict[str, Any]) -> dict[str, list[RunRow]]:
        run = get_run(options["run"])
        if run.is_active and Chunk.objects.filter(run=run).held().exists():
            raise Refused(f"run {run.pk} is being judged; wait for it, or cancel it first")
        again = options_in_arguments(options, options_of(resume))
        if options["queue"]:
            return {"runs": self.judge_runs([resume(run, **again)], holder=None)}
        with open_holder() as holder:
            if any(again.values()):
                _require_same_engine(run, holder)
            return {"runs": self.judge_runs([resume(run, **again)], holder=holder)}


def _require_same_engine(run: Run, holder: EngineHolder) -> None:
    """Raise EnvironmentDiffers if this process would answer differently. Checked before answers are deleted."""
    if run.environment and has_problems(run):
        settings = engine_settings(run.judge, thinking_in(run.spec), decides=run.asks_decisions)
        agree_on_environment(run, holder.load(settings).describe())
