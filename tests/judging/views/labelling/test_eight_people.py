"""A campaign from its first vote to its last, with eight people: careful ones finish, careless ones are found."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from judging.models import Campaign
from tests.campaigns import wrong_places
from tests.judging.views.labelling.eight_people import (
    CODE,
    EVERYTHING,
    TRAINING,
    better,
    by_chance,
    campaign_of_eight,
    careful,
    compare_figures,
    downloaded,
    exclude,
    quality,
    raters_by_name,
    standings,
    stored_votes,
    worse,
)
from tests.judging.views.labelling.form_sessions import FormSession, Texts

pytestmark = pytest.mark.django_db

FEWEST_FIGURES = 96
CAREFUL, EXCLUDED = {"careful", "calm", "patient"}, ("random", "unwilling")


@pytest.fixture
def campaign() -> Campaign:
    return campaign_of_eight()


@pytest.fixture
def people(campaign) -> dict[str, FormSession]:
    """Eight people, in the order in which they come."""
    choices = {
        "idle": careful(0),
        "left": careful(0),
        "undoing": careful(0),
        "unwilling": lambda _: "cannot-judge",
        "random": by_chance,
        "careful": careful(1),
        "calm": careful(2),
        "patient": careful(3),
    }
    return {name: FormSession(name, campaign, choose) for name, choose in choices.items()}


def act(session: FormSession) -> None:
    """Do what a person of this name does."""
    session.begin()
    if session.name == "random":
        train(session, worse)
        assert "0 of your 2 training answers are right; 100 % are needed." in session.reader.html
        session.reader.press("Do the training again")
    train(session, better)
    if session.name == "left":
        for _ in range(7):
            session.vote()
    elif session.name == "undoing":
        for _ in range(9):
            session.vote()
        for _ in range(9):
            session.take_back()
    elif session.name != "idle":
        session.vote()
        session.vote(worse(session.reader.texts()))
        session.take_back()
        session.vote_to_the_end()


def train(session: FormSession, choose: Callable[[Texts], str]) -> None:
    for _ in range(TRAINING):
        session.train(choose)


def test_careful_people_finish_and_careless_people_are_found_and_no_vote_is_lost_or_doubled(campaign, people):
    manager = Client()
    manager.force_login(campaign.created_by)

    for session in people.values():
        act(session)
    take_back_after_the_code(people["careful"])

    raters = raters_by_name(manager, campaign)
    has_code = {name for name, session in people.items() if CODE in session.reader.html}
    flags = {row["rater"]: row["flags"] for row in quality(manager, campaign)["raters"]}
    flagged = {name: flags[raters[name]] for name in people if flags.get(raters[name])}
    assert has_code == {*CAREFUL, "random"}
    assert flagged == {"random": ["no-agreement"], "unwilling": ["gold"]}
    assert standings(manager, campaign, raters) == {
        **dict.fromkeys([*CAREFUL, "random"], "finished"),
        "idle": "not started",
        "left": "behind",
        "undoing": "not started",
        "unwilling": "too often cannot judge",
    }
    assert stored_votes(manager, campaign) == sorted(
        (raters[name], *given) for name, session in people.items() for given in session.given
    )
    assert [len(people[name].given) for name in people] == [0, 7, 0, *[EVERYTHING] * 5]
    assert compare_figures(manager, campaign) >= FEWEST_FIGURES

    for name in EXCLUDED:
        exclude(manager, campaign, raters[name])

    assert {row["rater"] for row in downloaded(manager, campaign) if row["excluded"] == "true"} == {
        raters[name] for name in EXCLUDED
    }
    assert compare_figures(manager, campaign) >= FEWEST_FIGURES
    assert wrong_places(campaign) == []


def take_back_after_the_code(session: FormSession) -> None:
    """Send the form of the last undo again, as an older page still shows it."""
    [*_, latest] = session.campaign.assignments.filter(annotator__enrolments__platform_person=session.name)
    session.reader.open(reverse("pair-reopen", args=[session.campaign.pk]), {"pair": str(latest.key)})
    assert "you can change your vote, but not take it back" in session.reader.html
