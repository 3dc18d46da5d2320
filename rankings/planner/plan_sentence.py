"""The answer of the planner in one or two sentences."""

from __future__ import annotations

from evenhand.units import counted
from rankings.planner.vote_plan import UNKNOWN_JUDGE, VotePlan, VotePlanRow, VotesSoFar


def describe_plan(plan: VotePlan) -> str:
    """Write the cheapest plan, and for a campaign whether its votes are enough."""
    cheapest = min((row for row in plan.rows if row.votes is not None), key=lambda row: row.votes or 0, default=None)
    if cheapest is None:
        forecast = f"No plan: {plan.rows[0].undefined}."
    else:
        wanted = f"an interval of width {plan.width:g}"
        if plan.difference:
            wanted = f"a difference of {plan.difference * 100:.4g} points to be found in 80 of 100 studies"
        forecast = f"For {wanted}: {_describe_row(cheapest)}."
    return f"{_describe_so_far(plan.so_far)} {forecast}" if plan.so_far else forecast


def note_on_plan(plan: VotePlan) -> str:
    """Write what was measured about such plans; "" without one."""
    if all(row.votes is None for row in plan.rows):
        return ""
    measured = "In made-up campaigns of planned sizes, up to 2 of 100 had a wider interval."
    if plan.difference:
        found = (
            "81 to 84 of 100"
            if not plan.figure.endswith(UNKNOWN_JUDGE)
            else "98 to 99 of 100, because judges err on the same pairs"
        )
        measured = f"In made-up studies of planned sizes, the difference was found in {found}."
    even = (
        ""
        if plan.figure.startswith("agreement")
        else " Two votes that differ are no majority: such pairs do not count."
    )
    return measured + even


def _describe_row(row: VotePlanRow) -> str:
    people = f"{row.people:,} {'person' if row.people == 1 else 'people'}"
    pairs = f"{counted(row.contexts or 0, 'context')}, {counted(row.pairs or 0, 'pair')}"
    return f"{pairs} × {counted(row.votes_per_pair, 'vote')}, {row.votes:,} votes by {people}"


def _describe_so_far(so_far: VotesSoFar) -> str:
    if so_far.is_enough:
        return f"Enough: the {so_far.votes:,} votes of {so_far.campaign} give this width already."
    if so_far.more_votes is None:
        return f"{so_far.campaign} has {counted(so_far.votes, 'vote')}, too few to say how many more it needs."
    return f"{so_far.campaign} has {counted(so_far.votes, 'vote')} and needs about {so_far.more_votes:,} more."
