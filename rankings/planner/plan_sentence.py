"""The answer of the planner in one or two sentences."""

from __future__ import annotations

from judging.units import counted
from rankings.planner.vote_plan import VotePlan, VotePlanRow, VotesSoFar


def describe_plan(plan: VotePlan) -> str:
    """Write the cheapest plan, and for a campaign whether its votes are enough."""
    cheapest = min((row for row in plan.rows if row.votes is not None), key=lambda row: row.votes or 0, default=None)
    if cheapest is None:
        forecast = f"No plan: {plan.rows[0].undefined}."
    else:
        forecast = f"For an interval of width {plan.width:g}: {_describe_row(cheapest)}."
    return f"{_describe_so_far(plan.so_far)} {forecast}" if plan.so_far else forecast


def _describe_row(row: VotePlanRow) -> str:
    people = f"{row.people:,} {'person' if row.people == 1 else 'people'}"
    return f"{counted(row.pairs or 0, 'pair')} × {counted(row.votes_per_pair, 'vote')}, {row.votes:,} votes by {people}"


def _describe_so_far(so_far: VotesSoFar) -> str:
    if so_far.is_enough:
        return f"Enough: the {so_far.votes:,} votes of {so_far.campaign} give this width already."
    if so_far.more_votes is None:
        return f"{so_far.campaign} has {counted(so_far.votes, 'vote')}, too few to say how many more it needs."
    return f"{so_far.campaign} has {counted(so_far.votes, 'vote')} and needs about {so_far.more_votes:,} more."
