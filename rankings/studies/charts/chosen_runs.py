"""`ChosenRuns`: the runs that charts of a study show, their answers that count, and the cache of their figures."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np

from evenhand.numerics import Debiasing, Judged, Undefined
from evenhand.numerics.decisions import are_choices
from evenhand.numerics.shared_draws import shared_draws
from evenhand.options import Option
from judging.models import Run, Study
from rankings.diagnostics.calibration import HARD_ANSWERS, NO_PROBABILITY
from rankings.loading import People
from rankings.record_states import State, states_of
from rankings.report.report_choice import ReportChoice
from rankings.report.report_rows import Sources
from rankings.report.rows_of_one_run import judged_of
from rankings.report_cache import cached_together
from rankings.studies.charts.run_panels import run_labels
from rankings.studies.dimensions import Names
from rankings.studies.measured_runs import Computed, sources_of_runs
from rankings.studies.pivots.best_cells import members_of
from rankings.studies.pivots.pivot_choice import PivotChoice

Debias = Annotated[bool, Option("Figures without position bias.", "Bias", choices={False: "raw", True: "debiased"})]


@dataclass(frozen=True, slots=True)
class AnswersChoice:
    """The answers that count. subsets: of contexts; None for all. debiased: p without position bias."""

    answers: ReportChoice
    subsets: frozenset[str] | None
    debiased: bool

    @property
    def key(self) -> tuple[object, ...]:
        """Return the choice as a key of the cache, the same in every process."""
        plain = replace(self.answers, groups=())
        return plain, None if self.subsets is None else sorted(self.subsets), self.debiased


@dataclass(frozen=True, slots=True)
class ChosenRuns:
    """The runs that charts show, and the answers of them that count.

    names: of all runs of the study. subset: the one whose contexts count; ALL for all. rows: the report rows to read.
    """

    study: Study
    runs: Sequence[Run]
    names: Mapping[int, Names]
    subset: str
    rows: PivotChoice

    @property
    def labels(self) -> dict[int, str]:
        """Return run -> its name among the runs."""
        return run_labels(self.runs, self.names)

    @property
    def subsets(self) -> frozenset[str] | None:
        """Return the subsets whose contexts count; None for all."""
        return members_of(self.subset, self.rows)

    def answers(self, *, debiased: bool) -> AnswersChoice:
        """Return the answers of the subset that count."""
        return AnswersChoice(self.rows.answers, self.subsets, debiased)


def computed_of_runs(
    name: str,
    chosen: ChosenRuns,
    compute: Callable[[Judged, People], Computed],
    if_undefined: Callable[[str], Computed],
    *,
    debiased: bool,
    takes_choices: bool = False,
) -> dict[Run, Computed]:
    """Return run -> what is computed from its probabilities, from the cache or computed. name: of the figures.

    compute: from the comparisons, those without an answer among them where the choice counts these as wrong.
    if_undefined: makes it from the reason why a run has no probabilities. takes_choices: runs whose answers are all
    choices count too.
    """
    runs, choice = chosen.runs, chosen.answers(debiased=debiased)
    states, sources = states_of(runs), sources_of_runs(runs, choice.answers)
    keys: dict[Run, State] = {run: (name, states[run.pk], choice.key) for run in runs}

    def of(run: Run) -> Computed:
        own = sources[run.dataset_id].without(run.exclusion)
        try:
            people = own.people(run.attribute)
            return compute(_judged(own, run, people, choice, takes_choices), people)
        except Undefined as undefined:
            return if_undefined(undefined.reason)

    @shared_draws()
    def of_all(missing: Sequence[Run]) -> dict[Run, Computed]:
        return {run: of(run) for run in missing}

    return cached_together(keys, of_all)


def _judged(sources: Sources, run: Run, people: People, choice: AnswersChoice, takes_choices: bool) -> Judged:
    """Return the comparisons of a run that count. Raises Undefined for a run without probabilities."""
    answers = sources.answers(run)
    if answers.values is not None:
        raise Undefined(NO_PROBABILITY)
    comparisons = answers.comparisons if takes_choices else answers.comparisons.known()
    if are_choices(comparisons.p_first) and not takes_choices:
        raise Undefined(HARD_ANSWERS)
    if choice.debiased:
        comparisons = comparisons.with_p_first(Debiasing.of_run(comparisons).p_first(comparisons.p_first))
    wrong = answers.unanswered if choice.answers.unparsed == "wrong" else None
    if choice.subsets is not None:
        contexts = np.array([one in choice.subsets for one in sources.table.subsets], dtype=bool)
        comparisons, wrong = comparisons.of_contexts(contexts), wrong and wrong.of_contexts(contexts)
    return judged_of(comparisons, wrong, people)
