"""The cells of a study's plan: one run each, which is new, reused, already in the study, or impossible."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, NamedTuple

from django.db.models import QuerySet

from evenhand.numerics.selection.pair_selection import ALL_PAIRS, ANCHOR
from evenhand.refusals import Refused
from judging.models import Attribute, Judge, Prompt, Run, Study, User
from judging.models.runs import sha256_of
from judging.services.judges.endpoint_limits import pauses_of
from judging.services.names import labels
from judging.services.plans.selection_settings import SelectionSettings
from judging.services.runs.run_estimates import AskedRun, RunsEstimate, estimates_by_judge
from judging.services.runs.run_lifecycle import length_warnings
from judging.services.runs.run_request import RunRequest, RunSizes, request_problems
from judging.services.studies.study_plan import StudyPlan, selection_text

REUSABLE = (Run.Status.DONE, Run.Status.RUNNING, Run.Status.PENDING)
"""States of runs that a plan reuses, the best first."""


class CellKey(NamedTuple):
    """The value of each dimension, by name as `labels` writes it. selection: RULE or RULE:COMPARISONS."""

    dataset: str
    attribute: str
    judge: str
    prompt: str
    selection: str
    seed: int


@dataclass(frozen=True, slots=True)
class PlanCell:
    """One combination of a plan's values.

    request: the run to create; None if the dataset lacks the attribute. problems: why it is impossible.
    questions: comparisons or scores of the run; 0 if it is impossible. run: the run in the study, or to be reused.
    in_study: the run is in the study.
    """

    key: CellKey
    request: RunRequest | None
    problems: tuple[str, ...] = ()
    questions: int = 0
    run: Run | None = None
    in_study: bool = False

    @property
    def state(self) -> str:
        """One of impossible, present, reused and new."""
        if self.problems:
            return "impossible"
        if self.run is None:
            return "new"
        return "present" if self.in_study else "reused"


def cell_key_of(run: Run) -> CellKey:
    """Return the values of a stored run."""
    selection = selection_text(run)
    return CellKey(run.dataset.name, run.attribute.name, run.judge.name, run.prompt_name, selection, run.seed)


def plan_cells(plan: StudyPlan, *, user: User | None, study: Study | None = None) -> list[PlanCell]:
    """Return every combination of a plan, in its order.

    A run with the same spec is reused unless it failed or was cancelled. A run of the study counts in any state, also
    if it could not be started today, for example because its judge was retired.

    user: reuse the runs that this person may see; None for the runs of the command line.
    """
    cells = list(_possible_cells(plan))
    hashes = {cell.key: sha256_of(cell.request.spec()) for cell in cells if cell.request}
    known = _KnownRuns(user, study, list(hashes.values()))
    return [known.add_run(cell, hashes[cell.key]) if cell.key in hashes else cell for cell in cells]


def new_run_estimates(cells: Iterable[PlanCell], *, user: User | None) -> list[RunsEstimate]:
    """Return what the new runs of a plan take, by judge. user: None for the shell."""
    return estimates_by_judge(_new_requests(cells), known=Run.objects.visible_to(user) if user else Run.objects.all())


def new_run_warnings(cells: Iterable[PlanCell], *, user: User | None) -> list[str]:
    """Say how many prompts of the new runs are too long, each once, and why the runs cannot start or would wait."""
    requests = [request for request, _ in _new_requests(cells)]
    pauses = pauses_of((request.judge for request in requests), user.pk if user else None)
    try:
        warnings = length_warnings(requests)
    except Refused as refused:
        return list(refused.problems)
    return [*dict.fromkeys(filter(None, warnings)), *pauses]


def estimate_row(cells: Sequence[PlanCell], *, user: User | None) -> dict[str, Any]:
    """Return what the new runs take, by judge, and their warnings, as JSON values. user: None for the shell."""
    return {
        "estimate": [one.row() for one in new_run_estimates(cells, user=user)],
        "warnings": new_run_warnings(cells, user=user),
    }


def _new_requests(cells: Iterable[PlanCell]) -> list[AskedRun]:
    """Return the runs that a start would create, each with its number of questions."""
    return [(cell.request, cell.questions) for cell in cells if cell.state == "new" and cell.request]


def _possible_cells(plan: StudyPlan) -> Iterator[PlanCell]:
    """Yield every combination, without runs."""
    rows = Attribute.objects.filter(dataset__in=plan.datasets).select_related("dataset")
    attributes = {(row.dataset_id, row.name): row for row in rows}
    datasets, judges = labels(plan.datasets), labels(plan.judges)
    sizes = RunSizes()
    selections = list(plan.selection_settings())
    exclusions = {dataset.pk: plan.settings.exclusion_in(dataset) for dataset in plan.datasets}
    for dataset, name, judge, prompt in product(plan.datasets, plan.attributes, plan.judges, plan.prompts):
        attribute = attributes.get((dataset.pk, name))
        for text, settings in selections:
            key = CellKey(datasets[dataset.pk], name, judges[judge.pk], prompt.label, text, settings.seed)
            if attribute is None:
                yield PlanCell(key, None, (f'attribute: "{dataset.name}" has no "{name}"',))
            else:
                selection = replace(settings, exclusion=exclusions[dataset.pk])
                yield _cell(key, attribute, judge, prompt, selection, plan=plan, sizes=sizes)


def _cell(
    key: CellKey,
    attribute: Attribute,
    judge: Judge,
    prompt: Prompt,
    settings: SelectionSettings,
    *,
    plan: StudyPlan,
    sizes: RunSizes,
) -> PlanCell:
    shared = plan.settings
    request = RunRequest(attribute.dataset, attribute, judge, prompt, settings, shared.generation, shared.criteria)
    problems = [*request_problems(request), *_seed_problems(request, plan.seeds)]
    if problems:
        return PlanCell(key, request, tuple(problems))
    try:
        return PlanCell(key, request, questions=sizes.size_of(request).comparisons)
    except Refused as refused:
        return PlanCell(key, request, tuple(refused.problems))


def _seed_problems(request: RunRequest, seeds: Sequence[int]) -> list[str]:
    """Return the problem of a further seed where no pairs are drawn and no text is sampled."""
    settings = request.selection
    if settings.rule not in (*ALL_PAIRS, ANCHOR) or settings.seed == seeds[0] or request.generation.temperature > 0:
        return []
    return [
        f"seed: {settings.seed} — has no effect: selection {settings.rule} draws no pairs, and no text is sampled; "
        f"the run with seed {seeds[0]} has the same answers"
    ]


class _KnownRuns:
    """Runs by the hash of their spec: those of a study, and others that may be reused."""

    def __init__(self, user: User | None, study: Study | None, hashes: Sequence[str]) -> None:
        runs = Run.objects.filter(owner=None) if user is None else Run.objects.visible_to(user)
        members = _runs_by_hash(Run.objects.filter(memberships__study=study), hashes) if study else {}
        self._of_study = members
        self._others = _runs_by_hash(runs.filter(status__in=REUSABLE), hashes)

    def add_run(self, cell: PlanCell, spec_hash: str) -> PlanCell:
        """Return the cell with the run of the study, or else the best run to reuse, if there is one."""
        rows = cell.request and (cell.request.attribute.pk, cell.request.judge.pk)  # names do not tell rows apart
        for runs, in_study in ((self._of_study, True), (self._others, False)):
            same = [run for run in runs.get(spec_hash, ()) if (run.attribute_id, run.judge_id) == rows]
            if same and (in_study or not cell.problems):
                return replace(cell, run=min(same, key=_preference), in_study=in_study, problems=())
        return cell


def _preference(run: Run) -> tuple[int, int]:
    """Sort runs by state and then by age, the latest first."""
    states = [*REUSABLE, *(state for state in Run.Status if state not in REUSABLE)]
    return states.index(Run.Status(run.status)), -run.pk


def _runs_by_hash(runs: QuerySet[Run], hashes: Sequence[str]) -> Mapping[str, list[Run]]:
    by_hash: dict[str, list[Run]] = defaultdict(list)
    for run in runs.filter(spec_hash__in=set(hashes)).select_related("dataset", "attribute", "judge", "prompt"):
        by_hash[run.spec_hash].append(run)
    return by_hash
