"""The quality of each person's votes on an attribute. docs/reference/quality.md defines each number."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Annotated, Any

import numpy as np
from django.db.models import prefetch_related_objects

from evenhand.numerics import Comparisons, Figure, RatingTable, Votes, split_by_rater
from evenhand.numerics.agreement.krippendorff import order_free_alpha
from evenhand.numerics.arrays import BoolArray, IntArray
from evenhand.numerics.figure import CountedFigure, IntervalFigure
from evenhand.numerics.reliability.rater_flags import QUALITY_FLAGS
from evenhand.numerics.reliability.rater_quality import CheckVotes, RaterQuality, TimedVotes, quality_of_raters
from evenhand.numerics.shared_draws import shared_draws
from evenhand.report_json import Help, IfAny
from judging.models import CHECK_PURPOSES, Attribute, Choice, Purpose, Run, Vote, VoteExclusion
from judging.models.comparisons import P_FIRST_OF_CHOICE
from judging.models.labelling.votes import answer_of_choice
from rankings.loading import CandidateTable, candidate_table
from rankings.quality.judges_against_people import JudgeAgainstPeopleRow, rows_of_judges
from rankings.record_states import states_of, states_of_votes
from rankings.report_cache import cached

Share = IntervalFigure
MOST_LEFT_OUT = 100  # people for whom the agreement of the others is computed


@dataclass(frozen=True)
class RaterQualityRow:
    """One person's votes. Shares have 95 % intervals."""

    rater: str
    votes: Annotated[
        int,
        Help("Votes for a candidate or a tie in figures, without second rounds; all of somebody with none in figures."),
    ]
    undecided: Annotated[int, Help("Answers both-bad and cannot-judge.")]
    left_share: Annotated[Share, Help("Share of the votes for a candidate that are for the one shown first.")]
    agreement: Annotated[Share, Help("With the strict majority of the others; a tie counts 1/2.")]
    self_consistency: Annotated[Share, Help("Share of repeated votes with the outcome of the first one on the pair.")]
    gold_accuracy: Annotated[Share, Help("Share of the answers to gold pairs that are the known one.")]
    quick_share: Annotated[Share, Help("Share of the timed votes within two seconds.")]
    median_seconds: float | None
    infit: Annotated[IntervalFigure, Help("Misfit to scores from the votes of the others; 1 is expected.")]
    drift: Annotated[Share, Help("Agreement in the second half of the votes, less that in the first half.")]
    closest: Annotated[str | None, Help("The person whose votes are most like these.")]
    closest_agreement: Annotated[Share, Help("Share of common pairs with the same outcome as the closest person.")]
    alpha_without: Annotated[CountedFigure, Help("Order-free alpha of the people in figures without this person.")]
    flags: Annotated[Sequence[str], Help(f"What to look at: {', '.join(QUALITY_FLAGS)}.")]
    excluded: Annotated[IfAny[str], Help("Why all votes of the person are excluded from figures.")] = None


@dataclass(frozen=True)
class QualityReport:
    """The quality of votes on one attribute. alpha: order-free alpha of all votes in figures."""

    dataset: str
    attribute: str
    alpha: CountedFigure
    raters: list[RaterQualityRow]
    judges: list[JudgeAgainstPeopleRow]


@dataclass(frozen=True, slots=True)
class LoadedVotes:
    """The votes in figures, and all votes of each person who has none in figures.

    timed: without second rounds, and the votes on gold pairs and repeats, which are in `checks`. undecided: number of
    such answers without an outcome, by rater. in_figures: bool, (n_raters,). False for people with no vote in figures.
    """

    timed: TimedVotes
    checks: CheckVotes
    raters: Sequence[str]
    in_figures: BoolArray
    undecided: Mapping[str, int]


def quality_report(attribute: Attribute, runs: Iterable[Run] = ()) -> QualityReport:
    """Return the figures of everybody who voted on an attribute, those with flags first, then by name.

    runs: those whose accuracy gets intervals over people; runs of other attributes are left out.
    """
    chosen = [run for run in runs if run.attribute_id == attribute.pk]
    prefetch_related_objects(chosen, "judge", "attribute")
    states = states_of(chosen)
    state = (states_of_votes([attribute.pk])[attribute.pk], *(states[run.pk] for run in chosen))
    return cached(("quality", attribute.dataset.created_at, state), lambda: _computed(attribute, chosen))


def _computed(attribute: Attribute, runs: Sequence[Run]) -> QualityReport:
    loaded = load_every_vote(candidate_table(attribute.dataset), attribute)
    reasons = _reasons(attribute, loaded)
    with shared_draws():
        qualities = quality_of_raters(loaded.timed, len(loaded.raters), loaded.checks, loaded.in_figures)
        alphas = _alphas_without(loaded)
    rows = [
        _row(loaded, quality, alpha, name, reasons.get(name))
        for name, quality, alpha in zip(loaded.raters, qualities, alphas, strict=True)
    ]
    rows.sort(key=lambda row: (-len(row.flags), row.rater))
    alpha, judges = _alpha(loaded), rows_of_judges(attribute, runs)
    return QualityReport(attribute.dataset.name, attribute.name, alpha, rows, judges)


def load_every_vote(table: CandidateTable, attribute: Attribute) -> LoadedVotes:
    """Load the votes of everybody with their times, in the order of their numbers."""
    gold = ("assignment__swapped", "assignment__pair__gold_answer", "gold_answer")
    columns = ("first", "second", "choice", "rater", "seconds", "voted_at", "purpose", "excluded", *gold)
    rows = list(Vote.objects.filter(attribute=attribute).order_by("pk").values_list(*columns))
    counted = {row[3] for row in rows if not row[7]}
    rows = [row for row in rows if not row[7] or row[3] not in counted]
    number_of = {name: number for number, name in enumerate(dict.fromkeys(row[3] for row in rows))}
    ordinary = [row for row in rows if row[6] not in (*CHECK_PURPOSES, Purpose.SECOND_ROUND)]
    once = [row for row in ordinary if row[2] in Choice.values]
    timed = TimedVotes(
        _to_votes(table, once, number_of),
        seconds=np.array([np.nan if row[4] is None else row[4] for row in once], dtype=np.float64),
        order=np.array([np.nan if row[5] is None else row[5].timestamp() for row in once], dtype=np.float64),
    )
    repeats = _to_votes(table, [row for row in rows if row[6] == Purpose.REPEAT and row[2] in Choice.values], number_of)
    checks = CheckVotes(repeats, *_gold_answers(table, [row for row in rows if row[9] or row[10]], number_of))
    undecided = Counter(row[3] for row in ordinary if row[2] not in Choice.values)
    in_figures = np.array([name in counted for name in number_of], dtype=bool)
    return LoadedVotes(timed, checks, list(number_of), in_figures, undecided)


def _to_votes(table: CandidateTable, rows: Sequence[Sequence[Any]], number_of: dict[str, int]) -> Votes:
    """rows: first, second, choice, rater and more."""
    comparisons = Comparisons(
        len(table),
        table.numbers([row[0] for row in rows]),
        table.numbers([row[1] for row in rows]),
        np.array([P_FIRST_OF_CHOICE[row[2]] for row in rows], dtype=np.float64),
        table.starts,
    )
    return Votes(comparisons, np.array([number_of[row[3]] for row in rows], dtype=np.intp))


def _gold_answers(
    table: CandidateTable, rows: Sequence[Sequence[Any]], number_of: dict[str, int]
) -> tuple[IntArray, IntArray, BoolArray]:
    """Return rater and context of each answer to a gold pair, and True if it is the known answer."""
    raters = np.array([number_of[row[3]] for row in rows], dtype=np.intp)
    contexts = table.contexts[table.numbers([row[0] for row in rows])]
    is_right = [answer_of_choice(row[2], is_swapped=row[8]) == row[9] if row[9] else row[2] == row[10] for row in rows]
    return raters, contexts, np.array(is_right, dtype=bool)


def _reasons(attribute: Attribute, loaded: LoadedVotes) -> dict[str, str]:
    """Return rater -> why all their votes on the attribute are excluded: on the dataset, in campaigns, or in files."""
    active = VoteExclusion.objects.active().filter(dataset=attribute.dataset_id)
    of_campaigns = active.filter(votes__attribute=attribute).exclude(campaign=None).distinct().order_by("pk")
    of_files = Vote.objects.filter(attribute=attribute, excluded=True, exclusion=None).exclude(exclude_reason="")
    in_files = of_files.order_by("rater", "exclude_reason").values_list("rater", "exclude_reason").distinct()
    reasons: dict[str, list[str]] = defaultdict(list)
    for rater, reason in [(one.rater, one.reason) for one in of_campaigns] + list(in_files):
        reasons[rater].append(reason)
    left_out = {name for name, is_in in zip(loaded.raters, loaded.in_figures, strict=True) if not is_in}
    of_dataset = dict(active.filter(campaign=None).values_list("rater", "reason"))
    return {rater: "; ".join(own) for rater, own in reasons.items() if rater in left_out} | of_dataset


def _alphas_without(loaded: LoadedVotes) -> list[Figure]:
    """Return the alpha of the votes in figures without each person."""
    number = len(loaded.raters)
    if number > MOST_LEFT_OUT:
        return [Figure.missing(f"more than {MOST_LEFT_OUT} people voted", n=0)] * number
    return [_alpha(loaded, without=rater) for rater in range(number)]


def _alpha(loaded: LoadedVotes, *, without: int = -1) -> Figure:
    """Return the alpha of the votes in figures. without: number of the person who is left out; -1 for nobody."""
    raters = loaded.timed.votes.raters
    votes = loaded.timed.votes.select(loaded.in_figures[raters] & (raters != without))
    if not len(votes):
        return Figure.missing("no vote is left", n=0)
    figure = order_free_alpha(RatingTable.of_pairs(split_by_rater(votes)))
    return Figure(figure.value, n=figure.n, undefined=figure.undefined)


def _row(loaded: LoadedVotes, quality: RaterQuality, alpha: Figure, name: str, reason: str | None) -> RaterQualityRow:
    closest = quality.closest
    own: dict[str, Any] = {field.name: getattr(quality, field.name) for field in fields(quality)}
    own |= {
        "closest": None if closest.rater is None else loaded.raters[closest.rater],
        "closest_agreement": closest.agreement,
        "flags": list(quality.flags),
    }
    undecided = loaded.undecided.get(name, 0)
    return RaterQualityRow(rater=name, undecided=undecided, alpha_without=alpha, excluded=reason, **own)
