"""`judge`: ask a judge about a dataset, here or by the workers."""

from functools import partial
from typing import Any

from django.conf import settings
from django.core.management.base import CommandParser
from django.db import transaction

from judging.engine import EngineDescription, load_engine
from judging.exceptions import Refusals, Refused
from judging.management.rows_by_name import find_attributes, find_dataset, find_judge
from judging.management.run_output import JudgingCommand, RunRow, row_line
from judging.models import Attribute, Dataset, Judge, Prompt, Run
from judging.prompting.methods import COMPARATIVE, CRITERIA, METHODS, METRIC
from judging.services.datasets.dataset_import import NAME_ATTRIBUTES
from judging.services.execution.criteria import metrics_named
from judging.services.forecasts.dry_run import dry_run
from judging.services.forecasts.forecast_text import forecast_lines
from judging.services.judges.judge_setup import engine_settings
from judging.services.judges.loaded_engine import EngineHolder
from judging.services.judges.metric_judges import prompt_against, usual_method, usual_prompts
from judging.services.plans.adaptive_pairs import BT_OPTIMAL, HOLD_OUT
from judging.services.plans.generation_settings import Writing
from judging.services.plans.pair_selection import SELECTIONS, Choice, choice_problems
from judging.services.prompts.prompt_library import prompts_of
from judging.services.runs.run_lifecycle import Asked, checked_spec, create_or_continue, find_run


class Command(JudgingCommand):
    help = "Judge a dataset; run again, it asks only what has no answer."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--dataset", required=True, metavar="NAME")
        parser.add_argument("--judge", required=True, metavar="NAME")
        parser.add_argument("--attribute", action="append", default=[], help="may be given again; without: all")
        parser.add_argument(
            "--method",
            help=f"default: {COMPARATIVE.name}, for a metric {METRIC.name}; one of: {', '.join(METHODS)}",
        )
        parser.add_argument("--prompt", action="append", default=[], help="may be given again; without: the first")
        parser.add_argument("--against", help="of a metric: reference or context; without: reference")
        add_choice_arguments(parser)
        add_writing_arguments(parser)
        parser.add_argument("--queue", action="store_true", help="hand the run to the workers and wait")
        parser.add_argument("--dry-run", action="store_true", help="ask and store nothing; say what would be asked")
        parser.add_argument(
            "--pilot", type=int, metavar="N", help="of a dry run: ask N questions, to tell how long the run takes"
        )
        self.add_json_argument(parser)

    def run(self, options: dict[str, Any]) -> dict[str, list[RunRow]]:
        require_sense(options)
        asked = what_is_asked(options)
        if options["dry_run"]:
            return {"runs": dry_rows(asked, pilot=options["pilot"])}
        if options["queue"]:
            return {"runs": self.see_through(ready_runs(asked), holder=None)}
        holder = EngineHolder(load_engine, products=settings.MATRIX_PRODUCTS)
        try:
            if all(is_done(one) for one in asked):
                return {"runs": self.see_through(ready_runs(asked), holder=holder)}
            engine = holder.load(engine_settings(asked[0].judge))  # before anything is stored: it may not be loadable
            return {"runs": self.see_through(ready_runs(asked, engine=engine.describe()), holder=holder)}
        finally:
            holder.close()

    def show(self, result: dict[str, list[RunRow]]) -> None:
        for row in result["runs"]:
            if "run" not in row:
                self.stdout.write("\n".join(forecast_lines(row)))
                continue
            self.stdout.write(f"{row_line(row)}; {row['reused']} of them were there already")


def add_choice_arguments(parser: CommandParser) -> None:
    """Which comparisons are asked."""
    parser.add_argument("--selection", default="full", help=f"one of: {', '.join(SELECTIONS)}")
    parser.add_argument("--comparisons", type=int, metavar="K", help="calls per context; without: every pair")
    parser.add_argument(
        "--hold-out",
        type=float,
        metavar="SHARE",
        help=f"of the comparisons of {BT_OPTIMAL}, about random pairs that the choice does not look at; "
        f"without: {HOLD_OUT}",
    )
    parser.add_argument("--contexts", type=int, metavar="N", help="only the first N contexts")
    parser.add_argument("--seed", type=int, default=0)


def add_writing_arguments(parser: CommandParser) -> None:
    """What the judge writes, and how."""
    parser.add_argument(
        "--samples",
        type=int,
        metavar="K",
        help="sample K texts of each answer; without: read it off by probability",
    )
    parser.add_argument(
        "--temperature",
        type=float,
        default=0.0,
        metavar="T",
        help="of everything that the judge writes; without: 0",
    )
    parser.add_argument(
        "--metrics",
        nargs="?",
        const=CRITERIA.default_prompt,
        metavar="PROMPT",
        help=f"let the judge write its own metrics for each context first, by this prompt for metrics; without a "
        f"name by {CRITERIA.default_prompt}",
    )


def attributes_asked(dataset: Dataset, names: list[str]) -> list[Attribute]:
    """Those named, or all. Raises Refused where there are none, or not these."""
    if not dataset.attributes.exists():
        raise Refused(f"attribute: {dataset.name} has none, so there is nothing to ask for; {NAME_ATTRIBUTES}")
    return find_attributes(dataset, names)


def what_is_asked(options: dict[str, Any]) -> list[Asked]:
    """Every attribute with every prompt. Raises Refused with every problem, before anything is stored."""
    refusals = Refusals()
    choice = choice_of(options)
    dataset = refusals.of(partial(find_dataset, options["dataset"]))
    judge = refusals.of(partial(find_judge, options["judge"]))
    attributes = refusals.of(partial(attributes_asked, dataset, options["attribute"])) if dataset else None
    prompts = refusals.of(partial(prompts_asked, judge, options))
    metrics = refusals.of(partial(metrics_named, options["metrics"])) if options["metrics"] is not None else None
    if dataset is None or judge is None or attributes is None or prompts is None:
        raise Refused(*refusals.problems, *choice_problems(choice))
    writing = Writing(options["samples"], options["temperature"])
    asked = [
        Asked(dataset, attribute, judge, prompt, choice, writing, metrics)
        for attribute in attributes
        for prompt in prompts
    ]
    for one in asked:
        refusals.of(partial(checked_spec, one))
    refusals.raise_if_any()
    return asked


def prompts_asked(judge: Judge | None, options: dict[str, Any]) -> list[Prompt]:
    """The prompts named; else what the judge is usually asked by. Raises Refused for those that are not there.

    judge: None where it is not known, which is told elsewhere.
    """
    if judge is None:
        return prompts_of(options["method"] or COMPARATIVE.name, options["prompt"])
    method = options["method"] or usual_method(judge)
    if options["against"] is not None:
        return prompts_of(method, [prompt_against(judge, options["against"])])
    return prompts_of(method, options["prompt"] or usual_prompts(judge, method=method))


def require_sense(options: dict[str, Any]) -> None:
    """Raises Refused for options that do not go together."""
    problems = []
    if options["dry_run"] and options["queue"]:
        problems.append("queue: a dry run asks nothing, so there is nothing to hand to the workers; leave it out")
    if options["against"] is not None and options["prompt"]:
        problems.append("against: the prompt says what a text is held against; give one of the two")
    if options["pilot"] is not None and not options["dry_run"]:
        problems.append(f"pilot: {options['pilot']} — it belongs to a dry run; add --dry-run")
    if options["pilot"] is not None and options["pilot"] < 1:
        problems.append(f"pilot: {options['pilot']} — give a whole number above 0")
    if problems:
        raise Refused(*problems)


def dry_rows(asked: list[Asked], *, pilot: int | None) -> list[RunRow]:
    """What each run would ask and cost. Nothing is stored."""
    holder = EngineHolder(load_engine, products=settings.MATRIX_PRODUCTS)
    try:
        return dry_run(asked, pilot=pilot or 0, load=holder.load)
    finally:
        holder.close()


def choice_of(options: dict[str, Any]) -> Choice:
    return Choice(
        selection=options["selection"],
        budget=options["comparisons"],
        context_limit=options["contexts"],
        seed=options["seed"],
        hold_out=options["hold_out"],
    )


def is_done(asked: Asked) -> bool:
    run = find_run(asked.spec())
    return run is not None and run.status == Run.Status.DONE


@transaction.atomic
def ready_runs(asked: list[Asked], *, engine: EngineDescription | None = None) -> list[Run]:
    """All of the runs, made or found, or none."""
    return [create_or_continue(one, engine=engine) for one in asked]
