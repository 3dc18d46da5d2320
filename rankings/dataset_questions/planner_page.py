"""`plan_votes`: how many votes a wanted interval or difference needs."""

from collections.abc import Iterator

from evenhand.numerics import Figure
from evenhand.units import counted
from judging.models import Campaign
from rankings.analyses.record import Action, Analysis, Block, Sentence, TabSection, TitledTable
from rankings.dataset_questions.planner_report import (
    AGREEMENT_OF_PEOPLE,
    UNKNOWN_JUDGE,
    VotePlan,
    VotePlanRow,
    VotesSoFar,
    vote_plan,
)
from rankings.report.printed_numbers import coefficient
from rankings.tables.table import Column, Row, Table

COUNTS_OF_PLANS = tuple(
    Column(name=name, title=name.capitalize(), kind="count", parts=())
    for name in ("contexts", "pairs", "votes", "people")
)


def _blocks(plan: VotePlan) -> Iterator[Block]:
    yield Sentence(describe_plan(plan), is_lede=True)
    if plan.so_far:
        yield Sentence(f"So far: {_figure_so_far(plan.so_far.figure)}.")
    yield TitledTable(_table(plan), "Plans")
    if plan.so_far and plan.figure == AGREEMENT_OF_PEOPLE:
        yield _goal(Campaign.objects.get(pk=plan.so_far.campaign_id), f"{plan.width:g}")
    if note := note_on_plan(plan):
        yield Sentence(note)
    yield Sentence("Simulated contexts have as many pairs as the contexts of the pilot.")


def _figure_so_far(figure: Figure) -> str:
    if figure.value is None or figure.low is None or figure.high is None:
        return "no interval yet"
    return f"{coefficient(figure.value)}, interval {coefficient(figure.low)} to {coefficient(figure.high)}"


def _table(plan: VotePlan) -> Table:
    width = Column(
        name="width",
        title="Expected width" if plan.difference else "Width",
        kind="coefficient",
        parts=(),
        definition="planner/#the-simulation",
    )
    rows = tuple(Row((f"{counted(one.votes_per_pair, 'vote')} a pair",), tuple(_figures(one))) for one in plan.rows)
    about = f"{plan.dataset}, {plan.attribute}: {plan.figure}."
    return Table(("Plan",), (*COUNTS_OF_PLANS, width), rows, heads=(about,))


def _figures(row: VotePlanRow) -> Iterator[Figure]:
    for value in (row.contexts, row.pairs, row.votes, row.people, row.width):
        yield Figure.missing(row.undefined or "") if value is None else Figure(value)


def _goal(campaign: Campaign, width: str) -> Action:
    """Return the step that makes a width the goal of a campaign, or takes this goal away."""
    address = "campaign-wanted-width"
    if f"{campaign.wanted_width or 0:g}" != width:
        text = f"The page of {campaign.name} says whether its votes are enough once it has a goal."
        return Action(text, f"Make width {width} the goal of the campaign", address, campaign, (("width", width),))
    text = f"The goal of {campaign.name} is an interval of width {width}. Its page says when its votes are enough."
    return Action(text, "Remove the goal", address, campaign, (("width", ""),))


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
        "" if plan.figure == AGREEMENT_OF_PEOPLE else " Two votes that differ are no majority: such pairs do not count."
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


ANALYSIS = Analysis(
    name="planner",
    title="How many votes are enough",
    section=TabSection("People", "How many more votes?", place=3),
    of="dataset",
    function=vote_plan,
    blocks=_blocks,
    examples=(
        "plan_votes --dataset LLMBar --run 3 --width 0.1",
        "plan_votes --dataset SummEval --attribute coherence --run 3 --like 5 --pairs-per-person 80",
        "plan_votes --dataset LLMBar --run 3 --against 4 --difference 0.05",
        "plan_votes --dataset SummEval --attribute coherence --campaign 'Which is better?' --width 0.08",
    ),
)
