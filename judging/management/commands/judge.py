"""`judge`: ask a judge about a dataset, in this process or through the workers."""

from functools import partial
from typing import Any

from django.core.management.base import CommandParser

from evenhand.engine import EngineSettings
from evenhand.options import read_options
from evenhand.prompting.methods import COMPARATIVE, CRITERIA, METHODS, METRIC
from evenhand.refusals import Refusals, Refused, raise_if_any
from evenhand.units import counted
from judging.management.judging_command import JudgingCommand, open_holder
from judging.management.rows_by_name import get_attributes, get_dataset, get_judge
from judging.management.run_rows import RunRow, dry_run_lines
from judging.models import Attribute, Dataset, Judge, Prompt, Run
from judging.services.judges.judge_setup import engine_settings
from judging.services.judges.metric_judges import default_method, default_prompts, prompt_against
from judging.services.plans.selection_settings import selection_problems
from judging.services.prompts.prompt_library import prompts_of
from judging.services.runs.run_estimates import dry_run
from judging.services.runs.run_lifecycle import create_or_continue_all, find_run
from judging.services.runs.run_request import RunRequest, checked_spec
from judging.services.runs.run_settings import (
    RUN_OPTIONS,
    SELECTION_OPTIONS,
    SETTING_FIELDS,
    run_requests,
    run_selection,
    run_settings,
)
from judging.web.options import add_option_arguments


class Command(JudgingCommand):
    help = "Judge a dataset. Repeated, it asks only the comparisons without an answer."
    examples = (
        "judge --dataset Sample --judge demo --attribute coherence",
        "judge --dataset SummEval --judge flan --selection random --comparisons 40 --seed 1",
        "judge --dataset SummEval --judge flan --selection until-sure --bound 0.05",
        "judge --dataset SummEval --judge flan --selection anchor --anchor M11",
        "judge --dataset SummEval --judge flan --without-system M0 --without-system M1",
        "judge --dataset SummEval --judge gpt --dry-run",
        "judge --dataset SummEval --judge qwen --thinking on --thinking-tokens 1024",
    )

    def add_arguments(self, parser: CommandParser) -> None:
        self.add_dataset_option(parser)
        parser.add_argument("--judge", required=True, metavar="NAME", help="name of the judge")
        parser.add_argument(
            "--attribute",
            action="append",
            default=[],
            metavar="NAME",
            help="attribute to judge; may be repeated (default: all)",
        )
        parser.add_argument(
            "--method", help=f"one of: {', '.join(METHODS)} (default: {COMPARATIVE.name}; for metrics: {METRIC.name})"
        )
        parser.add_argument(
            "--prompt",
            action="append",
            default=[],
            metavar="NAME",
            help="prompt to ask with; may be repeated (default: the first of the method)",
        )
        parser.add_argument("--against", help="for metrics: reference or context (default: reference)")
        add_option_arguments(parser, (option for option in RUN_OPTIONS if option.name != "metrics"))
        parser.add_argument(
            "--metrics",
            nargs="?",
            const=CRITERIA.default_prompt,
            metavar="PROMPT",
            help=f"let the judge first write criteria for each context, with this prompt "
            f"(without a name: {CRITERIA.default_prompt}; default: no criteria)",
        )
        parser.add_argument("--queue", action="store_true", help="queue the run for the workers and wait")
        parser.add_argument("--dry-run", action="store_true", help="preview the run; ask and store nothing")

    def run(self, options: dict[str, Any]) -> dict[str, list[RunRow]]:
        _refuse_conflicting_options(options)
        requested = _read_requested_runs(options)
        self._note_left_contexts(requested[0])
        if options["dry_run"]:
            return {"runs": dry_run(requested, known=Run.objects.all(), continues=True)}
        if options["queue"]:
            return {"runs": self.judge_runs(create_or_continue_all(requested), holder=None)}
        with open_holder() as holder:
            engine = None
            if not all(_is_done(one) for one in requested):
                engine = holder.load(_settings(requested[0])).describe()  # fails before anything is stored
            return {"runs": self.judge_runs(create_or_continue_all(requested, engine=engine), holder=holder)}

    def _note_left_contexts(self, requested: RunRequest) -> None:
        """Say how many contexts are not compared. All requested runs have the same selection."""
        if requested.is_scoring or not (requested.selection.exclusion or requested.selection.anchor):
            return
        size = requested.size()
        if size.small_contexts:
            contexts = counted(size.small_contexts, "context")
            self.note(f"{contexts} with fewer than two candidates left: not compared")
        if size.without_anchor:
            contexts = counted(size.without_anchor, "context")
            self.note(f"{contexts} without a text of the anchor and another: not compared")

    def show(self, result: dict[str, list[RunRow]]) -> None:
        planned = [row for row in result["runs"] if "run" not in row]
        for row in planned:
            self.stdout.write("\n".join(dry_run_lines(row)))
        if not planned:
            super().show(result)


def _read_attributes(dataset: Dataset, names: list[str]) -> list[Attribute]:
    """Return the named attributes, or all. Raises Refused if the dataset has none, or lacks one of these."""
    if not dataset.attributes.exists():
        raise Refused(
            f"attribute: {dataset.name} has none, so there is nothing to ask for; import it again with "
            "--attribute overall"
        )
    return get_attributes(dataset, names)


def _read_requested_runs(options: dict[str, Any]) -> list[RunRequest]:
    """Combine every attribute with every prompt. Raises Refused with every problem, before anything is stored."""
    refusals = Refusals()
    dataset = refusals.of(partial(get_dataset, options["dataset"]))
    judge = refusals.of(partial(get_judge, options["judge"]))
    attributes = refusals.of(partial(_read_attributes, dataset, options["attribute"])) if dataset else None
    prompts = refusals.of(partial(_read_prompts, judge, options))
    values = {option.name: options[option.name] for option in RUN_OPTIONS}
    chosen = refusals.of(partial(read_options, RUN_OPTIONS, values))
    if chosen:
        refusals.of(partial(run_settings, **{name: chosen[name] for name in SETTING_FIELDS}))
        selection = run_selection(**{one.name: chosen[one.name] for one in SELECTION_OPTIONS})
        refusals.problems += selection_problems(selection)
    if dataset is None or judge is None or attributes is None or prompts is None or chosen is None:
        raise Refused(*refusals.problems)
    refusals.raise_if_any()
    requested = run_requests(dataset, attributes, [judge], prompts, chosen=chosen)
    for one in requested:
        refusals.of(partial(checked_spec, one))
    refusals.raise_if_any()
    return requested


def _read_prompts(judge: Judge | None, options: dict[str, Any]) -> list[Prompt]:
    """Return the named prompts, or the judge's default prompts. Raises Refused for unknown ones.

    judge: None if the judge is unknown, which is a problem of its own.
    """
    if judge is None:
        return prompts_of(options["method"] or COMPARATIVE.name, options["prompt"])
    method = options["method"] or default_method(judge)
    if options["against"] is not None:
        return prompts_of(method, [prompt_against(judge, options["against"])])
    return prompts_of(method, options["prompt"] or default_prompts(judge, method=method))


def _refuse_conflicting_options(options: dict[str, Any]) -> None:
    """Raise Refused for options that cannot be combined."""
    problems = []
    if options["dry_run"] and options["queue"]:
        problems.append("queue: a dry run asks nothing, so there is nothing to queue; leave it out")
    if options["against"] is not None and options["prompt"]:
        problems.append("against: a prompt already fixes the text to compare with; give one of the two")
    raise_if_any(problems)


def _settings(requested: RunRequest) -> EngineSettings:
    decides = METHODS[requested.prompt.method].reads_decision
    return engine_settings(requested.judge, requested.generation.thinking, decides=decides)


def _is_done(requested: RunRequest) -> bool:
    run = find_run(requested)
    return run is not None and run.status == Run.Status.DONE
