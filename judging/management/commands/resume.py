"""`resume`: go on with a run that was cancelled, failed, or lost its process."""

from typing import Any

from django.conf import settings
from django.core.management.base import CommandParser

from judging.engine import load_engine
from judging.exceptions import Refused
from judging.management.rows_by_name import find_run
from judging.management.run_output import JudgingCommand, RunRow, row_line
from judging.models import Chunk, Outcome, Run
from judging.services.judges.judge_setup import engine_settings
from judging.services.judges.loaded_engine import EngineHolder
from judging.services.plans.run_environment import agree_on_environment
from judging.services.runs.progress import count_outcomes
from judging.services.runs.run_lifecycle import resume


class Command(JudgingCommand):
    help = "Go on with a run in this process; only what has no answer is asked."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("run", type=int, metavar="RUN")
        parser.add_argument(
            "--errors", action="store_true", help="ask again what ended as an error, also of a run that is done"
        )
        parser.add_argument("--queue", action="store_true", help="hand it to the workers and wait")
        self.add_json_argument(parser)

    def run(self, options: dict[str, Any]) -> dict[str, list[RunRow]]:
        run = find_run(options["run"])
        if run.is_active and Chunk.objects.filter(run=run).held().exists():
            raise Refused(f"run {run.pk} is being judged; wait for it, or cancel it first")
        if options["queue"]:
            return {"runs": self.see_through([resume(run, errors=options["errors"])], holder=None)}
        holder = EngineHolder(load_engine, products=settings.MATRIX_PRODUCTS)
        try:
            if options["errors"]:
                require_same_engine(run, holder)
            return {"runs": self.see_through([resume(run, errors=options["errors"])], holder=holder)}
        finally:
            holder.close()

    def show(self, result: dict[str, list[RunRow]]) -> None:
        for row in result["runs"]:
            self.stdout.write(f"{row_line(row)}; {row['reused']} of them were there already")


def require_same_engine(run: Run, holder: EngineHolder) -> None:
    """Before errors are taken away. Raises EnvironmentDiffers where this process would answer otherwise."""
    if run.environment and count_outcomes(run)[Outcome.ERROR]:
        agree_on_environment(run, holder.load(engine_settings(run.judge)).describe())
