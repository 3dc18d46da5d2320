"""People's scores and agreement on each attribute of a dataset."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from django.db.models import Count

from evenhand.numerics.arrays import FloatArray
from evenhand.units import counted
from judging.models import Attribute, Dataset, Undecided, Vote
from rankings.agreement.agreement_report import agreement_report
from rankings.agreement.agreement_row import AttributeAgreement
from rankings.dataset_figures.histograms import Histogram, histogram_of
from rankings.loading import candidate_table, human_scores
from rankings.record_states import states_of_votes
from rankings.report_cache import cached


@dataclass(frozen=True, slots=True)
class ScoreSummary:
    """The human scores of one attribute. count: of candidates with a score.

    mean: None without scores. sd: sample standard deviation; None for fewer than two scores.
    """

    count: int
    mean: float | None
    sd: float | None
    histogram: Histogram | None


@dataclass(frozen=True, slots=True)
class AttributeJudgments:
    """One attribute: its human scores, and the agreement between people.

    votes: those that count in figures. excluded_votes: the other ones, in words; "" if there are none.
    """

    attribute: Attribute
    scores: ScoreSummary
    agreement: AttributeAgreement
    votes: int
    excluded_votes: str


@dataclass(frozen=True, slots=True)
class JudgmentsTable:
    """The attributes of a dataset. Its properties say which columns have values."""

    rows: Sequence[AttributeJudgments]

    @property
    def have_scores(self) -> bool:
        return any(row.scores.count for row in self.rows)

    @property
    def have_ratings(self) -> bool:
        return any(row.agreement.ratings.raters > 1 for row in self.rows)

    @property
    def have_votes(self) -> bool:
        return any(row.votes or row.excluded_votes for row in self.rows)

    @property
    def have_several_voters(self) -> bool:
        return any(row.agreement.people.raters > 1 for row in self.rows)

    @property
    def reasons(self) -> list[str]:
        """Return why figures of the table are missing."""
        figures = [
            figure
            for row in self.rows
            for figure, is_drawn in (
                (row.agreement.ratings.krippendorff_alpha_ordinal, self.have_ratings),
                (row.agreement.people.percent_agreement, self.have_several_voters),
                (row.agreement.people.order_free_alpha, self.have_several_voters),
            )
            if is_drawn
        ]
        return list(dict.fromkeys(figure.undefined for figure in figures if figure.value is None and figure.undefined))


def human_judgments(dataset: Dataset) -> JudgmentsTable:
    """Return people's scores and agreement on each attribute, from the cache or computed."""
    attributes = list(dataset.attributes.all())
    agreement = agreement_report(dataset, attributes=attributes, runs=[])
    scores = _scores(dataset, attributes)
    excluded = _excluded_votes(dataset)
    return JudgmentsTable(
        [
            AttributeJudgments(
                attribute=attribute,
                scores=scores[attribute.pk],
                agreement=row,
                votes=sum(rater.votes for rater in row.raters),
                excluded_votes=_describe_excluded(excluded[attribute.pk]),
            )
            for attribute, row in zip(attributes, agreement.attributes, strict=True)
        ]
    )


def _excluded_votes(dataset: Dataset) -> dict[int, Counter[str]]:
    """Return attribute -> choice -> number of votes that no figure counts."""
    votes = Vote.objects.filter(attribute__dataset=dataset)
    excluded: dict[int, Counter[str]] = defaultdict(Counter)
    for rows, sign in ((votes, 1), (votes.in_figures(), -1)):
        for attribute, choice, count in rows.values_list("attribute", "choice").annotate(Count("pk")):
            excluded[attribute][choice] += sign * count
    return excluded


def _describe_excluded(counts: Counter[str]) -> str:
    """Describe votes by why no figure counts them: "1 both bad, excluded"."""
    undecided = {choice.value: choice.label.lower() for choice in Undecided}
    parts = [f"{counts[choice]:,} {label}" for choice, label in undecided.items() if counts[choice]]
    if others := counts.total() - sum(counts[choice] for choice in undecided):
        parts.append(counted(others, "other" if parts else "vote"))
    return f"{', '.join(parts)}, excluded" if parts else ""


def _scores(dataset: Dataset, attributes: Sequence[Attribute]) -> dict[int, ScoreSummary]:
    """Return attribute -> its scores. Ratings can be added later, and then change the state of votes."""
    states = states_of_votes([attribute.pk for attribute in attributes])
    state = ("human scores", dataset.pk, dataset.created_at, *(states[attribute.pk] for attribute in attributes))
    return cached(state, lambda: _computed_scores(dataset, attributes))


def _computed_scores(dataset: Dataset, attributes: Sequence[Attribute]) -> dict[int, ScoreSummary]:
    table = candidate_table(dataset)
    return {attribute.pk: summary_of(human_scores(table, attribute), attribute) for attribute in attributes}


def summary_of(scores: FloatArray, attribute: Attribute) -> ScoreSummary:
    """Return the summary of the scores of candidates, (n_candidates,); NaN where a candidate has none."""
    known = scores[~np.isnan(scores)]
    return ScoreSummary(
        count=len(known),
        mean=float(known.mean()) if len(known) else None,
        sd=float(known.std(ddof=1)) if len(known) > 1 else None,
        histogram=histogram_of(known, minimum=attribute.minimum, maximum=attribute.maximum),
    )
