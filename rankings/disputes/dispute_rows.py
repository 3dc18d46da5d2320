"""Disputed pairs with each vote, and the answers of judges in both orders with their explanations."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

from django.db.models import Q

from evenhand.report_json import Help
from judging.models import CHECK_PURPOSES, Campaign, CampaignPair, Comparison, Outcome, Reasoning, Run, Vote
from judging.models.comparisons import P_FIRST_OF_CHOICE
from judging.models.labelling.votes import Choice, choice_of_answer
from rankings.disputes.disputed_pairs import Disputes, PairVotes

RowKey = tuple[int, int, int]
"""Ids of the candidates of a pair, the earlier one in the dataset first, and of its attribute."""


@dataclass(frozen=True)
class VoteOnPair:
    """One vote, also an undecided or excluded one."""

    rater: str
    choice: Annotated[str, Help("first or second candidate of the pair, tie, both-bad or cannot-judge.")]
    shown_first: Annotated[str, Help("Identifier of the candidate that this person saw first.")]
    strength: float | None
    confidence: float | None
    comment: str
    seconds: float | None
    excluded: bool
    second_round: Annotated[bool, Help("True for a vote of a second round on the pair.")]


@dataclass(frozen=True)
class Explanation:
    """A text that a judge wrote. title: its kind, and the order of the pair."""

    title: str
    text: str


@dataclass(frozen=True)
class JudgeOnPair:
    """The answers of a run on a pair."""

    run: int
    judge: str
    prompt: str
    p_first: Annotated[float | None, Help("p, that the first is better, with the first candidate shown first.")]
    p_first_swapped: Annotated[float | None, Help("The same with the second candidate shown first.")]
    explanations: Sequence[Explanation]


@dataclass(frozen=True)
class DisputedPair:
    """A pair on which people disagree. first: the candidate that stands earlier in the dataset."""

    attribute: str
    context: str
    first: str
    second: str
    for_first: Annotated[int, Help("Votes in figures for the first candidate.")]
    for_second: int
    ties: int
    disagreement: Annotated[float, Help("Share of the couples of votes that differ.")]
    majority: Annotated[str, Help("Answer of more than half of the votes in figures of all rounds; empty for none.")]
    decision: Annotated[str, Help("Answer of a manager or expert, apart from votes; empty for none.")]
    decision_reason: str
    votes: Sequence[VoteOnPair]
    judges: Sequence[JudgeOnPair]


@dataclass(frozen=True)
class DisputeReport:
    """The disputed pairs of a campaign."""

    campaign: str
    compared: Annotated[int, Help("Pairs with two votes or more.")]
    disputed: Annotated[int, Help("Pairs with two different votes.")]
    chosen: Annotated[int, Help("Disputed pairs that the filters choose.")]
    pairs: list[DisputedPair]


def judging_runs(campaign: Campaign, runs: Sequence[Run]) -> list[Run]:
    """Return those of the runs that compare pairs on an attribute of the campaign, the latest first."""
    asked = {attribute.pk for attribute in campaign.attributes_in_order()}
    wanted = [run for run in runs if run.attribute_id in asked and not run.is_scoring]
    return sorted(wanted, key=lambda run: -run.pk)


def dispute_report(
    campaign: Campaign, disputes: Disputes, runs: Sequence[Run], *, start: int = 0, limit: int | None = None
) -> DisputeReport:
    """Return the chosen disputed pairs from `start` on, at most `limit`, with the answers of these runs."""
    page = disputes.chosen[start : None if limit is None else start + limit]
    rows = [row for _, row in rows_of_pairs(page, disputes.votes, runs)]
    return DisputeReport(campaign.name, disputes.compared, disputes.disputed, len(disputes.chosen), rows)


def rows_of_pairs(
    wanted: Sequence[int], counts: Mapping[int, PairVotes], runs: Sequence[Run]
) -> list[tuple[CampaignPair, DisputedPair]]:
    """Return pairs by id with their rows, in a fixed number of queries for any number of pairs."""
    known = CampaignPair.objects.select_related("attribute", "one__context", "other", "decision").in_bulk(wanted)
    pairs = [known[key] for key in wanted]
    votes, judges = _votes_on(pairs), _answers_on(pairs, runs)
    keys = [pair.keys for pair in pairs]
    return [(pair, _row(pair, counts[pair.pk], votes[key], judges[key])) for pair, key in zip(pairs, keys, strict=True)]


def _row(
    pair: CampaignPair, counts: PairVotes, votes: Sequence[VoteOnPair], judges: Sequence[JudgeOnPair]
) -> DisputedPair:
    names = (pair.attribute.name, pair.one.context.key, pair.one.key, pair.compared_with.key)
    numbers = (counts.one, counts.other, counts.ties)
    decided = getattr(pair, "decision", None)
    answer = choice_of_answer(decided.answer, is_swapped=False) if decided else ""
    answers = (_majority(votes), answer, decided.reason if decided else "")
    return DisputedPair(*names, *numbers, counts.disagreement, *answers, votes, judges)


def _majority(votes: Sequence[VoteOnPair]) -> str:
    choices = [vote.choice for vote in votes if vote.choice in Choice.values and not vote.excluded]
    return next((choice for choice, number in Counter(choices).items() if 2 * number > len(choices)), "")


def _votes_on(pairs: Sequence[CampaignPair]) -> dict[RowKey, list[VoteOnPair]]:
    """Return pair -> all its votes, also of later rounds, in the order in which they were given."""
    votes_of: dict[RowKey, list[VoteOnPair]] = defaultdict(list)
    ones, others = [pair.one_id for pair in pairs], [pair.other_id for pair in pairs]
    rounds = {pair.campaign_id for pair in pairs}
    later = Q(
        assignment__campaign__first_round__in=rounds,
        assignment__pair__one__in=ones,
        assignment__pair__other__in=others,
    )
    rows = Vote.objects.filter(Q(assignment__pair__in=pairs) | later).exclude(purpose__in=CHECK_PURPOSES)
    for vote in rows.order_by("pk").select_related("assignment__pair", "first"):
        if shown := vote.assignment:
            is_later = shown.campaign_id not in rounds
            one = _vote(vote, is_swapped=shown.swapped, is_later=is_later)
            votes_of[shown.pair.keys].append(one)
    return votes_of


def _vote(vote: Vote, *, is_swapped: bool, is_later: bool) -> VoteOnPair:
    mirrored = {Choice.FIRST.value: Choice.SECOND.value, Choice.SECOND.value: Choice.FIRST.value}
    choice = mirrored.get(vote.choice, vote.choice) if is_swapped else vote.choice
    details = (vote.strength, vote.confidence, vote.comment, vote.seconds, vote.excluded)
    return VoteOnPair(vote.rater, choice, vote.first.key, *details, is_later)


def _answers_on(pairs: Sequence[CampaignPair], runs: Sequence[Run]) -> dict[RowKey, list[JudgeOnPair]]:
    """Return pair -> the answers of each run on its attribute that was asked about it."""
    candidates = {key for pair in pairs for key in pair.keys[:2]}
    asked = Comparison.objects.filter(run__in=runs, first__in=candidates, second__in=candidates)
    comparison_of = {(one.run_id, one.first_id, one.second_id): one for one in asked}
    answers: dict[RowKey, list[JudgeOnPair]] = defaultdict(list)
    for run in runs:
        reasonings = _reasonings(run, candidates)
        for pair in (one for one in pairs if one.attribute_id == run.attribute_id):
            one, other, _ = pair.keys
            orders = ((one, other), (other, one))
            given, swapped = (comparison_of.get((run.pk, *order)) for order in orders)
            if given or swapped:
                answers[pair.keys].append(_judge(run, pair, given, swapped, reasonings))
    return answers


def _judge(
    run: Run,
    pair: CampaignPair,
    given: Comparison | None,
    swapped: Comparison | None,
    reasonings: Mapping[tuple[int, ...], Reasoning],
) -> JudgeOnPair:
    p_given, p_swapped = _p_first(given), _p_first(swapped)
    return JudgeOnPair(
        run.pk,
        run.judge.name,
        run.prompt_name,
        p_first=p_given,
        p_first_swapped=None if p_swapped is None else 1 - p_swapped,
        explanations=list(_explanations(pair, given, swapped, reasonings)),
    )


def _p_first(one: Comparison | None) -> float | None:
    """Return the probability of a comparison, or 1, 0 or 1/2 of its choice; None without an answer."""
    if one is None or one.outcome != Outcome.ANSWERED:
        return None
    return P_FIRST_OF_CHOICE[one.choice] if one.p_first is None else one.p_first


def _explanations(
    pair: CampaignPair,
    given: Comparison | None,
    swapped: Comparison | None,
    reasonings: Mapping[tuple[int, ...], Reasoning],
) -> Iterator[Explanation]:
    for candidate in (pair.one, pair.compared_with):
        if about := reasonings.get((candidate.pk,)):
            yield Explanation(f"Reasoning about {candidate.key}", about.text or about.error)
    for comparison, first in ((given, pair.one), (swapped, pair.compared_with)):
        if comparison is None:
            continue
        about = reasonings.get(comparison.candidate_ids)
        texts = {
            "Reasoning about the pair": about and (about.text or about.error),
            "Generated text": comparison.text.strip(),
            "Thinking": comparison.thinking.strip(),
            "Error": comparison.error,
        }
        yield from (Explanation(f"{title}, {first.key} first", text) for title, text in texts.items() if text)


def _reasonings(run: Run, candidates: set[int]) -> dict[tuple[int, ...], Reasoning]:
    """Return candidates -> the run's reasoning about them: one candidate, or an ordered pair."""
    if not run.reasonings_planned:
        return {}
    return {one.candidate_ids: one for one in Reasoning.objects.of_run(run).filter(candidate__in=candidates)}
