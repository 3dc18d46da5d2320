"""People's scores, their histograms as bars that a page draws, and agreement, on each attribute of a dataset."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from django.db.models import Count

from evenhand.numerics.arrays import FloatArray
from evenhand.units import counted
from judging.models import Attribute, Dataset, Undecided, Vote
from judging.templatetags.numbers import significant
from rankings.agreement.agreement_report import agreement_report
from rankings.agreement.agreement_row import AttributeAgreement
from rankings.loading import candidate_table, human_scores
from rankings.record_states import states_of_votes
from rankings.report_cache import cached

MOST_BARS = 20
WIDTH, HEIGHT = 100, 40  # of the drawing, in its own units
BAR_GAP = 0.1  # of the width of a bar
ROUNDED_TO = 9  # decimals: sums of thirds differ in the last digit


@dataclass(frozen=True, slots=True)
class Bar:
    """The candidates with a score in a range, or with one value. x, y, width, height: of the drawing."""

    label: str
    count: int
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Histogram:
    """Bars from low scores to high ones. start, end: of the axis, as text."""

    bars: tuple[Bar, ...]
    start: str
    end: str


def histogram_of(scores: FloatArray, *, minimum: float | None = None, maximum: float | None = None) -> Histogram | None:
    """Return the histogram of scores, (n,); None without any. NaN is left out.

    There is one bar for each value, or for each range of equal width where there are more than 20 values.
    minimum, maximum: the declared scale, which the axis shows whole; None for not declared.
    """
    known = np.round(scores[~np.isnan(scores)], ROUNDED_TO)
    if not len(known):
        return None
    values, counts = np.unique(known, return_counts=True)
    if len(values) <= MOST_BARS:
        half = (float(np.diff(values).min()) if len(values) > 1 else 1.0) / 2
        starts, ends, labels = values - half, values + half, [significant(value) for value in values.tolist()]
    else:
        edges = _round_edges(values[0], values[-1])
        counts, half = np.histogram(known, edges)[0], 0.0
        starts, ends, labels = edges[:-1], edges[1:], _ranges(edges)
    low = min(starts[0], starts[0] if minimum is None else minimum - half)
    high = max(ends[-1], ends[-1] if maximum is None else maximum + half)
    return Histogram(
        _bars(labels, counts.tolist(), (starts - low) / (high - low), (ends - low) / (high - low)),
        significant(low + half),
        significant(high - half),
    )


def _round_edges(low: float, high: float) -> FloatArray:
    """Return edges of at most 20 ranges at multiples of 1, 2 or 5 times a power of ten, which hold all values."""
    power = 10.0 ** np.floor(np.log10((high - low) / MOST_BARS))
    for step in (power * factor for factor in (1, 2, 5, 10, 20)):
        first, last = np.floor(np.round(low / step, ROUNDED_TO)), np.ceil(np.round(high / step, ROUNDED_TO))
        if last - first <= MOST_BARS:
            break
    return np.round(np.arange(first, last + 1) * step, ROUNDED_TO)


def _ranges(edges: FloatArray) -> list[str]:
    """Write the range of each bar. Only the last one holds its end."""
    texts = [significant(edge) for edge in edges.tolist()]
    ranges = [f"{start} to below {end}" for start, end in pairwise(texts)]
    return [*ranges[:-1], f"{texts[-2]} to {texts[-1]}"]


def _bars(labels: list[str], counts: list[int], starts: FloatArray, ends: FloatArray) -> tuple[Bar, ...]:
    highest = max(counts)
    return tuple(
        Bar(
            label,
            count,
            x=round(WIDTH * (start + BAR_GAP / 2 * (end - start)), 2),
            y=round(HEIGHT * (1 - count / highest), 2),
            width=round(WIDTH * (1 - BAR_GAP) * (end - start), 2),
            height=round(HEIGHT * count / highest, 2),
        )
        for label, count, start, end in zip(labels, counts, starts.tolist(), ends.tolist(), strict=True)
    )


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
