"""The agreement of the raters of a dataset: between people, and of each judge with people.

The same estimators serve people and judges; docs/reference/agreement.md defines each number.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Annotated

import numpy as np
from django.db.models import prefetch_related_objects

from evenhand.numerics import (
    Figure,
    RatingTable,
    Votes,
    accuracy,
    cohen_kappa,
    decide,
    first_share,
    fleiss_kappa,
    human_preferences,
    krippendorff_alpha,
    order_agreement,
    percent_agreement,
)
from evenhand.numerics.agreement.krippendorff import order_free_alpha
from evenhand.numerics.arrays import FloatArray, IntArray
from evenhand.numerics.preferences import favoured_share, longer_first
from evenhand.numerics.shared_draws import shared_draws
from evenhand.options import Option
from judging.models import Attribute, Dataset, Run
from judging.models.datasets import PART_FIELD
from judging.models.exclusions import require_possible
from judging.models.runs import RunQuerySet
from judging.services.activity import note_looks
from rankings.agreement.agreement_row import (
    AgreementReport,
    AttributeAgreement,
    GroupRow,
    JudgeRow,
    PairOfRaters,
    PeopleRow,
    RaterRow,
    RatingAgreement,
)
from rankings.agreement.alternative_annotator import alternative_annotator
from rankings.agreement.rater_groups import EVERYONE, RaterGroup, require_groups, vote_agreement
from rankings.agreement.raters import Panel, Rater, once_each, panel_of
from rankings.loading import ratings_of
from rankings.record_states import states_of, states_of_votes
from rankings.report.figures.figure_basis import NO_ORDER, NO_VOTES, ONE_ORDER, agreement_of_people
from rankings.report.preferences.length_and_family import SAME_LENGTH
from rankings.report.report_choice import SUBSET, USUAL_CHOICE, ReportChoice, require_field
from rankings.report.report_rows import Sources
from rankings.report_cache import cached

NO_OTHERS = "nobody else has voted on this attribute"
NO_RATING = "the rater has answered nothing"
FEWER_THAN_TWO = "there are no two raters"
NO_TWO_ON_A_PAIR = "no two raters judged the same pairs"
NO_PERSON_ON_A_PAIR = {"human": "no other person judged the same pairs", "judge": "no person judged the same pairs"}
ONE_AND_THE_SAME = "raters gave the same answer to all their common pairs, so agreement beyond chance is undefined"
NO_COMMON_PAIR = "no pair has the ratings of two of these raters"
NO_RATINGS = "no candidate has the ratings of two people"
MOST_VALUES = 50  # alpha takes memory for every pair of values, of every candidate
TOO_MANY_VALUES = f"there are more than {MOST_VALUES} different ratings"
NO_PAIR_OF_THREE = "no pair has the answers of the judge and of two people"


PairsOfRaters = dict[tuple[int, int], PairOfRaters]
"""(row, later row) -> the agreement of two raters with a common pair."""


def agreement_of(
    dataset: Dataset,
    runs: RunQuerySet,
    choice: ReportChoice = USUAL_CHOICE,
    *,
    attribute: Annotated[
        Attribute | None,
        Option("Only this attribute.", "Attribute", row="attribute", key="name", if_none="all attributes"),
    ] = None,
    subsets_by: Annotated[
        str, Option("Field of contexts whose values are the subsets, such as turn.", "Subsets by")
    ] = SUBSET,
    raters: Annotated[
        tuple[str, ...],
        Option(
            "A group of people: NAME=PATTERN,PATTERN, such as expert=expert_*.", "Groups of people", if_none="everyone"
        ),
    ] = (),
) -> AgreementReport:
    """Print the agreement between people, and of each judge with people.

    Raises Refused like `agreement_report`.
    """
    return agreement_report(
        dataset,
        attributes=[attribute] if attribute else list(dataset.attributes.all()),
        runs=runs.ordinary(),
        choice=replace(choice, subsets_by=subsets_by),
        groups=tuple(map(RaterGroup.parse, raters)) or EVERYONE,
    )


def agreement_report(
    dataset: Dataset,
    *,
    attributes: Sequence[Attribute],
    runs: Iterable[Run],
    choice: ReportChoice = USUAL_CHOICE,
    groups: Sequence[RaterGroup] = EVERYONE,
) -> AgreementReport:
    """Return the agreement of the raters of each attribute.

    runs: those whose judges are raters. choice: the answers that count, and the subsets. groups: of people.
    Raises Refused for a field that contexts lack, for groups that the dataset cannot have, and for an exclusion of
    names that it lacks.
    """
    require_field(choice.subsets_by, dataset.context_fields)
    require_possible(dataset, choice.exclusion)
    chosen = list(runs)
    prefetch_related_objects(chosen, "judge", "attribute")
    note_looks(chosen, figures="agreement", on_test=choice.subsets_by == PART_FIELD)
    sources, states = Sources(dataset, choice), states_of(chosen)
    votes = states_of_votes([attribute.pk for attribute in attributes])
    if groups != EVERYONE:
        require_groups(
            groups, sorted({name for one in attributes for name in sources.people(one).of_first_round().raters})
        )
    rows = []
    for attribute in attributes:
        judging = [run for run in chosen if run.attribute_id == attribute.pk]
        state = (dataset.pk, dataset.created_at, votes[attribute.pk], *(states[run.pk] for run in judging))
        key = ("agreement", attribute.pk, *state, choice, tuple(groups))
        row = cached(key, partial(_row, sources, attribute, judging, groups))
        rows.append(replace(row, attribute=attribute.name))
    return AgreementReport(
        dataset.name,
        dataset.pk,
        rows,
        order=None if choice.order == "both" else choice.order,
        subsets_by=None if choice.subsets_by == SUBSET else choice.subsets_by,
        without=sources.left_out,
    )


@shared_draws()
def _row(
    sources: Sources, attribute: Attribute, runs: Sequence[Run], groups: Sequence[RaterGroup]
) -> AttributeAgreement:
    """Return the figures of one attribute."""
    answers = [(run, sources.answers(run)) for run in runs]
    panel = panel_of(sources.table, sources.people(attribute).of_first_round(), answers, sources.lengths)
    pairs = _pairs_of_raters(panel)
    return AttributeAgreement(
        attribute=attribute.name,
        pairs=panel.table.codes.shape[1],
        raters=[_rater(panel, row, pairs) for row in range(len(panel.raters))],
        people=PeopleRow(**vars(_group(panel, panel.people, pairs)), human=_human(panel.votes)),
        judges=_group(panel, panel.judges, pairs),
        judges_against_people=[_against_people(panel, int(row)) for row in panel.judges],
        pairs_of_raters=list(pairs.values()),
        votes=vote_agreement(panel, sources.table, groups),
        ratings=_rating_agreement(ratings_of(sources.table, attribute), sources.table.contexts),
        excluded_votes=sources.excluded_votes(attribute),
    )


def _pairs_of_raters(panel: Panel) -> PairsOfRaters:
    """Return the agreement of all pairs of raters with a common pair."""
    present = (panel.table.codes >= 0).astype(np.float64)
    shared = np.triu(present @ present.T, 1)
    return {
        (one, other): _pair_of_raters(panel, one, other)
        for one, other in zip(*(side.tolist() for side in np.nonzero(shared)), strict=True)
    }


def _pair_of_raters(panel: Panel, one: int, other: int) -> PairOfRaters:
    both = panel.table.part(np.array([one, other]))
    return PairOfRaters(
        one=panel.raters[one].name,
        other=panel.raters[other].name,
        percent_agreement=percent_agreement(both),
        cohen_kappa=cohen_kappa(panel.table, one, other),
        order_free_alpha=order_free_alpha(both),
    )


def _rater(panel: Panel, row: int, pairs: PairsOfRaters) -> RaterRow:
    """Return the figures of one rater, the same for a person and for a judge."""
    rater = panel.raters[row]
    own, run = rater.comparisons, rater.run
    with_people = _with_people(panel, row, pairs)
    why_no_mean = ONE_AND_THE_SAME if with_people else _why_alone(panel, row) or NO_PERSON_ON_A_PAIR[rater.kind]
    return RaterRow(
        name=rater.name,
        kind=rater.kind,
        run=run.pk if run else None,
        judge=run.judge.name if run else None,
        method=run.method if run else None,
        prompt=run.prompt_name if run else None,
        votes=len(own),
        pairs=len(np.unique(own.pair_keys)),
        ties=int((decide(own.p_first) == 0.5).sum()),
        unparsed=rater.unparsed,
        errors=rater.errors,
        p_first=first_share(own) if rater.sees_pairs else Figure.missing(NO_ORDER, n=0),
        order_agreement=order_agreement(once_each(own)) if rater.sees_pairs else Figure.missing(ONE_ORDER, n=0),
        tie_rate=_tie_rate(rater),
        prefers_longer=_prefers_longer(panel, rater),
        accuracy=_accuracy(panel, row),
        mean_cohen_kappa=_mean([pair.cohen_kappa for pair in with_people], why_no_mean),
        mean_order_free_alpha=_mean([pair.order_free_alpha for pair in with_people], why_no_mean),
    )


def _tie_rate(rater: Rater) -> Figure:
    decisions = decide(rater.comparisons.p_first)
    if not len(decisions):
        return Figure.missing(NO_RATING, n=0)
    return Figure(float((decisions == 0.5).mean()), n=len(decisions))


def _prefers_longer(panel: Panel, rater: Rater) -> Figure:
    """Return the share of the decisions for the longer text, a tie counting 1/2."""
    own = rater.comparisons
    return favoured_share(own, longer_first(own, panel.lengths), if_empty=SAME_LENGTH)


def _why_alone(panel: Panel, row: int) -> str:
    """Return the reason why a rater has nobody to agree with; "" where another person has voted."""
    if len(panel.votes_of_others(row)):
        return ""
    return NO_OTHERS if len(panel.votes) else NO_VOTES


def _accuracy(panel: Panel, row: int) -> Figure:
    """Return the accuracy of a rater against the strict majority of the other people."""
    rater, others = panel.raters[row], panel.votes_of_others(row)
    if alone := _why_alone(panel, row):
        return Figure.missing(alone, n=0)
    return accuracy(rater.comparisons, human_preferences(rater.comparisons, None, others))


def _with_people(panel: Panel, row: int, pairs: PairsOfRaters) -> list[PairOfRaters]:
    """Return the agreement of a rater with each other person with a common pair."""
    rows = [(min(row, person), max(row, person)) for person in panel.people.tolist()]
    return [pairs[two] for two in rows if two in pairs]


def _group(panel: Panel, rows: IntArray, pairs: PairsOfRaters) -> GroupRow:
    """Return the agreement between some raters."""
    table, members = panel.table.part(rows), set(rows.tolist())
    ratings = (table.codes >= 0).sum(axis=0)
    within = [pair for two, pair in pairs.items() if members.issuperset(two)]
    why_no_mean = ONE_AND_THE_SAME if within else NO_TWO_ON_A_PAIR if len(rows) > 1 else FEWER_THAN_TWO
    return GroupRow(
        raters=len(rows),
        pairs=int((ratings > 0).sum()),
        shared_pairs=int((ratings > 1).sum()),
        percent_agreement=_with_reason(percent_agreement(table)),
        mean_cohen_kappa=_mean([pair.cohen_kappa for pair in within], why_no_mean),
        mean_order_free_alpha=_mean([pair.order_free_alpha for pair in within], why_no_mean),
        fleiss_kappa=_with_reason(fleiss_kappa(table)),
        krippendorff_alpha=_with_reason(krippendorff_alpha(table)),
        order_free_alpha=_with_reason(order_free_alpha(table)),
    )


def _against_people(panel: Panel, row: int) -> JudgeRow:
    """Compare a judge with people, on the pairs that it and at least two people answered."""
    rater, codes = panel.raters[row], panel.table.codes
    shared = (codes[row] >= 0) & ((codes[panel.people] >= 0).sum(axis=0) >= 2)
    people = panel.table.part(panel.people, shared)
    both = panel.table.part(np.append(panel.people, row), shared)
    nothing = None if shared.any() else Figure.missing(NO_PAIR_OF_THREE, n=0)
    return JudgeRow(
        name=rater.name,
        run=rater.run.pk if rater.run else None,
        shared_pairs=int(shared.sum()),
        human=_human(panel.votes, rater),
        alpha_people=nothing or krippendorff_alpha(people),
        alpha_with_judge=nothing or krippendorff_alpha(both),
        order_free_alpha_people=nothing or order_free_alpha(people),
        order_free_alpha_with_judge=nothing or order_free_alpha(both),
        alternative_annotator_test=alternative_annotator(panel, row),
    )


def _human(votes: Votes, judge: Rater | None = None) -> Figure:
    """Return how often a person agrees with the majority of the others, on a judge's contexts or on all."""
    everywhere = np.ones(votes.comparisons.n_contexts, dtype=bool)
    return agreement_of_people(votes, everywhere if judge is None else judge.recorded)


def _rating_agreement(ratings: FloatArray, contexts: IntArray) -> RatingAgreement:
    """Return Krippendorff's alpha of ratings as an order and as numbers.

    ratings: float, (n_raters, n_candidates). NaN where missing. contexts: int, (n_candidates,).
    """
    n_ratings = (~np.isnan(ratings)).sum(axis=0)
    shared = n_ratings >= 2
    table = RatingTable.of_values(ratings[:, shared], contexts[shared])
    too_many = TOO_MANY_VALUES if len(table.values) > MOST_VALUES else None
    why = too_many if shared.any() else NO_RATINGS
    missing = None if why is None else Figure.missing(why, n=0)
    return RatingAgreement(
        raters=len(ratings),
        candidates=int((n_ratings > 0).sum()),
        shared_candidates=int(shared.sum()),
        krippendorff_alpha_ordinal=missing or krippendorff_alpha(table, "ordinal"),
        krippendorff_alpha_interval=missing or krippendorff_alpha(table, "interval"),
    )


def _mean(figures: Sequence[Figure], if_none: str) -> Figure:
    """Return the plain mean of the figures that exist; n is their number."""
    values = [figure.value for figure in figures if figure.value is not None]
    return Figure(float(np.mean(values)), n=len(values)) if values else Figure.missing(if_none, n=0)


def _with_reason(figure: Figure) -> Figure:
    """Return the figure; without a common pair, with a reason that names pairs and raters."""
    return Figure.missing(NO_COMMON_PAIR, n=0) if figure.n == 0 else figure
