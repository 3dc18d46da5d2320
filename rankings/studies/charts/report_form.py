"""`ReportTabForm`: the answers and the subset that a tab of charts reads report rows of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.forms import BoundField

from evenhand.numerics import DEFAULT_RANKING, RANKING_TITLES
from judging.models import Run, Study
from judging.models.study_parts import part_of_runs
from rankings.report.report_choice import ALL, ORDERS, UNPARSED, ReportChoice
from rankings.studies.charts.agreement.agreement_matrix import AGREEMENT_MEASURES, ALPHA
from rankings.studies.charts.judged_answers import AnswersChoice
from rankings.studies.charts.question_form import QUESTION, QuestionForm
from rankings.studies.forms import subset_choices
from rankings.studies.limits_form import USUAL_VALUES
from rankings.studies.pivots.best_cells import members_of
from rankings.studies.pivots.pivot_choice import PivotChoice
from rankings.studies.study_choice import StudyOptions, study_choice


class ReportTabForm(QuestionForm):
    """One subset, and the answers that count. Subclasses name further fields of their line in `own_fields`."""

    own_fields: tuple[str, ...] = ()
    subset = forms.ChoiceField(required=False)
    order = forms.ChoiceField(label="Order", required=False, choices=list(ORDERS.items()))
    unparsed = forms.ChoiceField(label="Unparsed", required=False, choices=list(UNPARSED.items()))

    def __init__(self, data: Mapping[str, Any], *, study: Study, runs: Sequence[Run]) -> None:
        super().__init__(data, runs=runs)
        self.study = study
        subsets = subset_choices(study, self.chosen_runs)
        self.offer("subset", [(name, name) for name in (ALL, *subsets)])
        if not subsets:
            del self.fields["subset"]
        self.full_clean()
        self.show({name: self.value(name) or usual for name, usual in USUAL_VALUES.items()})
        self.full_clean()

    @property
    def chosen_subset(self) -> str:
        """Return the subset. For none, and for one that the runs lack: the part on which the study reports, or ALL."""
        return self.value("subset") or self.chosen_part or ALL

    @property
    def chosen_part(self) -> str:
        """Return the part on which the study reports; "" for all contexts."""
        return part_of_runs(self.study, self.chosen_runs)

    @property
    def choice(self) -> PivotChoice:
        """Return the report rows that the page reads: those of the subset, with the groups of the study."""
        options = StudyOptions(
            rows="judge",
            columns="attribute",
            only=[f"subset={self.chosen_subset}"],
            answers=ReportChoice(order=self.value("order"), unparsed=self.value("unparsed")),  # type: ignore[arg-type]
        )
        return study_choice(self.study, self.chosen_runs, options)

    @property
    def is_debiased(self) -> bool:
        """Return True for figures without position bias, on a tab that offers them."""
        return self.value("debias") == "yes"

    @property
    def answers_choice(self) -> AnswersChoice:
        """Return the answers of the subset that count."""
        pivot = self.choice
        return AnswersChoice(pivot.answers, members_of(self.chosen_subset, pivot), self.is_debiased)

    @property
    def main_fields(self) -> list[BoundField]:
        """Return the fields of the line above the charts."""
        return self.bound_fields([*QUESTION, "subset", *self.own_fields])

    @property
    def more_fields(self) -> list[BoundField]:
        """Return the folded fields."""
        return self.bound_fields(["order", "unparsed", *self.other_limits])


class AgreementTabForm(ReportTabForm):
    """The measure of agreement. It reads answers as they are."""

    own_fields = ("measure",)
    measure = forms.ChoiceField(label="Measured by", required=False, choices=list(AGREEMENT_MEASURES.items()))

    @property
    def chosen_measure(self) -> str:
        """Return the measure. A value that the page does not offer is ignored."""
        return self.value("measure") or ALPHA

    @property
    def more_fields(self) -> list[BoundField]:
        """Return the folded fields."""
        return self.bound_fields(["order", *self.other_limits])


class CoverageForm(ReportTabForm):
    """Accuracies on the surest comparisons, raw or debiased. Only answers with a probability count."""

    own_fields = ("debias",)
    debias = forms.ChoiceField(label="Bias", required=False, choices=[("", "raw"), ("yes", "debiased")])


class SystemsForm(ReportTabForm):
    """The ranking that orders systems, raw or debiased."""

    own_fields: tuple[str, ...] = ("ranking", "debias")
    ranking = forms.ChoiceField(required=False, choices=list(RANKING_TITLES.items()))
    debias = forms.ChoiceField(label="Bias", required=False, choices=[("", "raw"), ("yes", "debiased")])

    def __init__(self, data: Mapping[str, Any], *, study: Study, runs: Sequence[Run]) -> None:
        super().__init__(data, study=study, runs=runs)
        self.show({"ranking": self.chosen_ranking})
        self.full_clean()

    @property
    def chosen_ranking(self) -> str:
        return self.value("ranking") or DEFAULT_RANKING


class MatrixForm(SystemsForm):
    """The ranking or the people that order a comparison matrix, and the context whose candidates it shows."""

    own_fields = ("ranking", "debias", "by", "context")
    by = forms.ChoiceField(label="Sorted by", required=False, choices=[("", "each run"), ("people", "people")])
    context = forms.CharField(
        label="Context", required=False, max_length=500, widget=forms.TextInput({"placeholder": "all", "size": 10})
    )

    @property
    def is_by_people(self) -> bool:
        """Return True if people's scores order the matrix."""
        return self.value("by") == "people"

    @property
    def chosen_context(self) -> str:
        """Return the key of the context; "" for systems over all contexts."""
        return self.value("context")
