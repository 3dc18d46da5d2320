"""The votes that an interval or a comparison of two judges needs, and those that a campaign still needs.

docs/reference/planner.md says how they are simulated.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from evenhand.numerics import Comparisons, Votes
from evenhand.numerics.accuracy import accuracy, human_preferences
from evenhand.numerics.exceptions import Undefined
from evenhand.numerics.figure import IntervalFigure
from evenhand.numerics.reliability.vote_planner import (
    USUAL_WIDTH,
    PilotPairs,
    pair_agreement,
    pilot_of_difference,
    pilot_of_judge,
    pilot_of_votes,
    plan_difference,
    plan_votes,
)
from evenhand.numerics.significance.paired_tests import common_comparisons
from evenhand.options import Option
from evenhand.refusals import Refused
from evenhand.report_json import Help, IfAny, Unwritten
from judging.models import Attribute, Campaign, Dataset, Run
from rankings.agreement.raters import pairs_of
from rankings.loading import campaign_votes
from rankings.record_states import states_of, states_of_votes
from rankings.report.report_rows import Sources
from rankings.report_cache import cached

USUAL_VOTES = (1, 2, 3, 5)
UNKNOWN_JUDGE = "another judge"
AGREEMENT_OF_PEOPLE = "agreement between people"


@dataclass(frozen=True, slots=True)
class PlanChoice:
    """The options of `vote_plan`, with the attribute and the width that they mean."""

    attribute: Attribute
    run: Run | None
    like: Run | None
    campaign: Campaign | None
    width: float
    difference: float | None
    against: Run | None
    pairs_per_person: int


@dataclass(frozen=True)
class VotePlanRow:
    """A plan with a number of votes on each pair. undefined: why there is none."""

    votes_per_pair: int
    contexts: int | None
    pairs: int | None
    votes: int | None
    people: int | None
    width: Annotated[float | None, Help("98 of 100 simulations stay below it; of a difference, the expected width.")]
    undefined: IfAny[str] = None


@dataclass(frozen=True)
class VotesSoFar:
    """The figure from the campaign's votes so far.

    more_votes: votes that are still expected to be needed; None if that cannot be simulated yet.
    """

    campaign: str
    campaign_id: Unwritten[int]
    votes: int
    figure: IntervalFigure
    more_votes: int | None
    is_enough: bool


@dataclass(frozen=True)
class VotePlan:
    """Plans for a wanted width or difference. figure: accuracy of a judge, or agreement between people."""

    dataset: str
    attribute: str
    figure: str
    width: float
    rows: Sequence[VotePlanRow]
    difference: Annotated[IfAny[float], Help("To be found in 80 of 100 studies, instead of a width.")] = None
    so_far: IfAny[VotesSoFar] = None


def vote_plan(
    dataset: Dataset,
    *,
    attribute: Annotated[
        Attribute | None,
        Option("What people vote on.", "Attribute", row="attribute", key="name", if_none="that of the campaign or run"),
    ] = None,
    run: Annotated[
        Run | None,
        Option("Run whose accuracy is wanted.", "Accuracy of", row="run", if_none="people among themselves"),
    ] = None,
    like: Annotated[
        Run | None,
        Option("Run whose probabilities stand for people.", "Simulate from", row="run", if_none="votes"),
    ] = None,
    campaign: Annotated[
        Campaign | None,
        Option(
            "Only its votes, and how many it still needs.", "Campaign", row="campaign", key="name", if_none="all votes"
        ),
    ] = None,
    width: Annotated[
        float | None,
        Option(
            "Of the 95 % interval.", "Width of the interval", above=0, below=1, if_none="that of the campaign, else 0.1"
        ),
    ] = None,
    difference: Annotated[
        float | None,
        Option("Of two accuracies, instead of a width, such as 0.05.", "Or difference to find", above=0, below=1),
    ] = None,
    against: Annotated[
        Run | None,
        Option("Run of the other judge.", "Against", row="run", if_none="another judge as accurate"),
    ] = None,
    pairs_per_person: Annotated[
        int, Option("Pairs that one person votes on.", "Pairs a person", low=1, high=1_000_000)
    ] = 50,
) -> VotePlan:
    """Print how many pairs, votes and people an interval of a wanted width needs, or a difference of two judges to be
    found in 80 of 100 studies, simulated from votes or from the answers of a run; for a campaign also how many votes
    it still needs.

    Raises Refused for a plan of several attributes, or of a run or campaign of another attribute.
    """
    chosen = attribute or _usual_attribute(dataset, campaign, run or like)
    wanted = width or (campaign and campaign.wanted_width) or USUAL_WIDTH
    return _plan(PlanChoice(chosen, run, like, campaign, wanted, difference, against, pairs_per_person))


def _usual_attribute(dataset: Dataset, campaign: Campaign | None, run: Run | None) -> Attribute:
    """Return the attribute of the campaign, else of the run, else of the dataset. Raises Refused unless it is one."""
    of_run = [run.attribute] if run else list(dataset.attributes.all())
    attributes = campaign.attributes_in_order() if campaign else of_run
    if len(attributes) != 1:
        names = ", ".join(one.name for one in attributes)
        raise Refused(f"attribute: choose one of {names}" if names else "attribute: the dataset has none")
    return attributes[0]


def _plan(choice: PlanChoice) -> VotePlan:
    """Return the plans of a choice. Raises Refused for a choice that cannot be planned."""
    _require_possible(choice)
    attribute, dataset, campaign = choice.attribute, choice.attribute.dataset, choice.campaign
    runs = (choice.run, choice.like, choice.against)
    states = states_of([one for one in runs if one])
    about = (dataset.created_at, dataset.name, attribute.name, states_of_votes([attribute.pk])[attribute.pk])
    of_campaign = campaign and (campaign.pk, campaign.name, campaign.votes_per_pair)
    numbers = (choice.width, choice.difference, choice.pairs_per_person)
    key = ("vote plan", *about, *(one and states[one.pk] for one in runs), of_campaign, *numbers)
    return cached(key, lambda: _planned(choice))


def _planned(choice: PlanChoice) -> VotePlan:
    sources = Sources(choice.attribute.dataset)
    judge, against = (
        None if one is None else pairs_of(sources.table, sources.answers(one)) for one in (choice.run, choice.against)
    )
    votes = _votes(sources, choice)
    if judge and against:
        judge, against = common_comparisons(judge, against)
    pilot = _pilot(sources, choice, votes, judge)
    if against:
        pilot = pilot_of_difference(pilot, _pilot(sources, choice, votes, against))
    figure = AGREEMENT_OF_PEOPLE if choice.run is None else f"accuracy of {choice.run.judge.name}"
    if choice.difference:
        figure += f" against {choice.against.judge.name if choice.against else UNKNOWN_JUDGE}"
    rows = [_row(pilot, choice, number) for number in USUAL_VOTES if choice.run or number > 1]
    so_far = None if choice.campaign is None or choice.difference else _so_far(choice.campaign, choice, votes, judge)
    names = (choice.attribute.dataset.name, choice.attribute.name)
    return VotePlan(*names, figure, choice.width, rows, choice.difference, so_far)


def _require_possible(choice: PlanChoice) -> None:
    problems = []
    if choice.campaign is not None and choice.attribute not in choice.campaign.attributes_in_order():
        problems.append(f'campaign: "{choice.campaign.name}" is not about "{choice.attribute.name}" of this dataset')
    if problems := [*problems, *_run_problems(choice)]:
        raise Refused(*problems)


def _run_problems(choice: PlanChoice) -> list[str]:
    problems = []
    for name, run in (("run", choice.run), ("like", choice.like), ("against", choice.against)):
        if run is not None and run.is_scoring:
            problems.append(f"{name}: {run.pk} scores candidates one by one; choose one that compares")
        elif run is not None and run.attribute_id != choice.attribute.pk:
            problems.append(f'{name}: run {run.pk} is not about "{choice.attribute.name}" of this dataset')
    if choice.difference is not None and choice.run is None:
        problems.append("difference: it is of the accuracy of a judge; give its run, too")
    if choice.difference is None and choice.against is not None:
        problems.append("against: give the difference that is to be found, too")
    return problems


def _votes(sources: Sources, choice: PlanChoice) -> Votes:
    if choice.campaign is None:
        return sources.people(choice.attribute).first_round
    return campaign_votes(sources.table, choice.campaign, choice.attribute)


def _pilot(sources: Sources, choice: PlanChoice, votes: Votes, judge: Comparisons | None) -> PilotPairs:
    if choice.like is None:
        return pilot_of_votes(votes, judge)
    return pilot_of_judge(pairs_of(sources.table, sources.answers(choice.like)), judge)


def _row(pilot: PilotPairs, choice: PlanChoice, votes_per_pair: int) -> VotePlanRow:
    try:
        if choice.difference:
            plan = plan_difference(pilot, difference=choice.difference, votes_per_pair=votes_per_pair)
        else:
            plan = plan_votes(pilot, width=choice.width, votes_per_pair=votes_per_pair)
    except Undefined as undefined:
        return VotePlanRow(votes_per_pair, None, None, None, None, None, str(undefined))
    people = max(votes_per_pair, -(-plan.votes // choice.pairs_per_person))
    return VotePlanRow(votes_per_pair, plan.contexts, plan.pairs, plan.votes, people, plan.width)


def _so_far(campaign: Campaign, choice: PlanChoice, votes: Votes, judge: Comparisons | None) -> VotesSoFar:
    figure = pair_agreement(votes) if judge is None else accuracy(judge, human_preferences(judge, None, votes))
    width = None if figure.low is None or figure.high is None else figure.high - figure.low
    is_enough = width is not None and width <= choice.width
    more = 0 if is_enough else _more_votes(campaign, choice, votes, judge)
    return VotesSoFar(campaign.name, campaign.pk, len(votes), figure, more, is_enough)


def _more_votes(campaign: Campaign, choice: PlanChoice, votes: Votes, judge: Comparisons | None) -> int | None:
    """Return the votes that are still needed, as simulated from those so far; None if they are too few."""
    try:
        pilot = pilot_of_votes(votes, judge)
        plan = plan_votes(pilot, width=choice.width, votes_per_pair=campaign.votes_per_pair)
    except Undefined:
        return None
    return max(1, plan.votes - len(votes))
