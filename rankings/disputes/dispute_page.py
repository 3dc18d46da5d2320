"""The sentence on top of the page of disputed pairs, and its entries."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evenhand.units import counted
from judging.models import Campaign, CampaignPair, Candidate, Context, Run
from rankings.disputes.dispute_rows import DisputedPair, Explanation, JudgeOnPair, VoteOnPair, rows_of_pairs
from rankings.disputes.disputed_pairs import DisputeChoice, Disputes, PairVotes, find_disputes
from rankings.report.printed_numbers import percent

SIDE_OF_CHOICE = {"first": "A", "second": "B", "tie": "tie", "both-bad": "both bad", "cannot-judge": "cannot judge"}


@dataclass(frozen=True, slots=True)
class DisputeSide:
    """A candidate of a pair. name: "A" or "B". votes: votes in figures for it."""

    name: str
    candidate: Candidate
    votes: int


@dataclass(frozen=True, slots=True)
class ShownVote:
    """A vote. answer: A, B or words. shown_first: the side that this person saw first."""

    vote: VoteOnPair
    answer: str
    shown_first: str


@dataclass(frozen=True, slots=True)
class ShownJudge:
    """The answers of a run. decisions: A, B or tie, by A first and by B first; "" without an answer."""

    answers: JudgeOnPair
    decisions: tuple[str, str]


@dataclass(frozen=True, slots=True)
class DisputeEntry:
    """A disputed pair on the page. A stands before B in the dataset."""

    context: Context
    sides: tuple[DisputeSide, DisputeSide]
    row: DisputedPair
    votes: Sequence[ShownVote]
    judges: Sequence[ShownJudge]

    @property
    def has_comments(self) -> bool:
        return any(one.vote.comment for one in self.votes)

    @property
    def has_second_round(self) -> bool:
        return any(one.vote.second_round for one in self.votes)

    @property
    def majority(self) -> str:
        """Return A, B or tie by the votes of both rounds; "" without a majority."""
        return SIDE_OF_CHOICE.get(self.row.majority, "")

    @property
    def decision(self) -> str:
        """Return A, B or tie; "" without a decision."""
        return SIDE_OF_CHOICE.get(self.row.decision, "")

    @property
    def explanations(self) -> list[tuple[str, Explanation]]:
        """Return the texts of all judges, with the judge's name and prompt."""
        answers = [one.answers for one in self.judges]
        return [(f"{one.judge}, {one.prompt}", text) for one in answers for text in one.explanations]


def describe_disputes(disputes: Disputes) -> str:
    """Write how many pairs people disagree on."""
    if not disputes.compared:
        return "No pair has two votes yet, so nobody can disagree."
    share = percent(disputes.disputed / disputes.compared)
    pairs = counted(disputes.compared, "pair")
    return f"People disagree on {disputes.disputed:,} of {pairs} with two votes or more ({share})."


def describe_by_attribute(campaign: Campaign) -> str:
    """Write how many pairs people disagree on, for each attribute of a campaign."""
    disputes_on = {name: find_disputes(campaign, DisputeChoice(attribute=name)) for name in campaign.own_questions()}
    parts = [f"{one.disputed:,} of {one.compared:,} on {name}" for name, one in disputes_on.items()]
    return f"People disagree on these pairs with two votes or more: {', '.join(parts)}."


def disputed_entries(wanted: Sequence[int], counts: Mapping[int, PairVotes], runs: Sequence[Run]) -> list[DisputeEntry]:
    """Return the entries of pairs by id. runs: whose answers are shown."""
    return [_entry(pair, row) for pair, row in rows_of_pairs(wanted, counts, runs)]


def _entry(pair: CampaignPair, row: DisputedPair) -> DisputeEntry:
    sides = (DisputeSide("A", pair.one, row.for_first), DisputeSide("B", pair.compared_with, row.for_second))
    votes = [
        ShownVote(vote, SIDE_OF_CHOICE[vote.choice], "A" if vote.shown_first == row.first else "B")
        for vote in row.votes
    ]
    judges = [ShownJudge(one, (_decided(one.p_first), _decided(one.p_first_swapped))) for one in row.judges]
    return DisputeEntry(pair.one.context, sides, row, votes, judges)


def _decided(p: float | None) -> str:
    return "" if p is None else "tie" if p == 0.5 else "A" if p > 0.5 else "B"
