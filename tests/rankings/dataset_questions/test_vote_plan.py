"""Plans of votes, and the votes that a campaign still needs."""

import pytest

from judging.models import Vote
from judging.services.campaigns.next_pair import next_pair
from tests.campaigns import answer, make_annotator, make_campaign, small_campaign
from tests.commands import printed, printed_json, refused
from tests.factories import make_dataset, make_run, make_user
from tests.rankings.agreement.panels import judged, voted_dataset

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("forget_reports")]


@pytest.fixture(scope="module")
def judges(rows_of_module):
    """Name -> run of two judges on the dataset Panel, on which people voted."""
    dataset = voted_dataset()
    return {name: judged(dataset, name) for name in ("careful", "hasty")}


def test_command_plans_the_accuracy_of_a_judge(capsys, judges):
    run = judges["careful"]

    plan = printed_json(capsys, "plan_votes", "--dataset", "Panel", "--run", run.pk, "--width", "0.1")
    text = printed(capsys, "plan_votes", "--dataset", "Panel", "--run", run.pk, "--width", "0.1")

    assert (plan["figure"], [row["votes_per_pair"] for row in plan["rows"]]) == ("accuracy of careful", [1, 2, 3, 5])
    one = plan["rows"][0]
    assert one["votes"] == one["pairs"] == 3 * one["contexts"]
    assert one["people"] == -(-one["votes"] // 50)
    assert one["width"] <= 0.1
    assert "For an interval of width 0.1:" in text


@pytest.mark.usefixtures("judges")
def test_without_a_run_agreement_between_people_is_planned(capsys):
    plan = printed_json(capsys, "plan_votes", "--dataset", "Panel", "--pairs-per-person", "10")

    assert (plan["figure"], [row["votes_per_pair"] for row in plan["rows"]]) == ("agreement between people", [2, 3, 5])
    assert plan["rows"][0]["people"] == -(-plan["rows"][0]["votes"] // 10)


def test_a_run_can_stand_for_people_before_anybody_votes(capsys, judges):
    careful, hasty = judges["careful"], judges["hasty"]
    careful.dataset.attributes.get().votes.all().delete()

    command = ("plan_votes", "--dataset", "Panel", "--run", hasty.pk)
    without = printed_json(capsys, *command)["rows"][0]
    like = printed_json(capsys, *command, "--like", careful.pk)["rows"][0]

    assert (without["pairs"], "a simulation needs at least 10 pairs" in without["undefined"]) == (None, True)
    assert like["pairs"] > 50


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (("--width", "0"), "width: 0 — give a number above 0 and below 1"),
        (("--width", "nan"), "width: nan"),
        (("--pairs-per-person", "0"), "pairs_per_person: 0 — give a whole number from 1 to 1,000,000"),
        (("--difference", "0.05"), "difference: it is of the accuracy of a judge; give its run, too"),
        (("--difference", "5"), "difference: 5 — give a number above 0 and below 1"),
        (("--campaign", "nothing"), 'campaign: there is no campaign "nothing" on Panel'),
    ],
)
@pytest.mark.usefixtures("judges")
def test_impossible_plans_are_refused(capsys, options, problem):
    assert problem in refused(capsys, "plan_votes", "--dataset", "Panel", *options)[0]


def test_difference_of_two_judges_is_planned(capsys, judges):
    careful, hasty = judges["careful"], judges["hasty"]

    command = ("plan_votes", "--dataset", "Panel", "--run", careful.pk, "--against", hasty.pk, "--difference", "0.05")
    plan, text = printed_json(capsys, *command), printed(capsys, *command)

    assert (plan["figure"], plan["difference"]) == ("accuracy of careful against hasty", 0.05)
    assert plan["rows"][0]["contexts"] > 6
    assert "a difference of 5 points to be found in 80 of 100 studies" in text
    assert "Two votes that differ are no majority" in text
    assert "found in 81 to 84 of 100" in text


def test_other_judge_without_a_difference_is_refused(capsys, judges):
    run = judges["careful"]

    problems = refused(capsys, "plan_votes", "--dataset", "Panel", "--run", run.pk, "--against", run.pk)

    assert problems == ["against: give the difference that is to be found, too"]


def test_nothing_is_said_about_plans_that_do_not_exist(capsys):
    voted_dataset(contexts=3, name="Small")

    text = printed(capsys, "plan_votes", "--dataset", "Small")

    assert "No plan:" in text
    assert "made-up" not in text


def test_plan_is_of_one_attribute_and_the_page_begins_with_the_first(client, capsys):
    dataset = voted_dataset(contexts=3, name="Small")
    dataset.attributes.create(name="fluency", position=1)
    client.force_login(make_user("rita", "researcher"))

    page = client.get(f"/datasets/{dataset.pk}/planner/")

    problem = "attribute: choose one of overall, fluency"
    assert refused(capsys, "plan_votes", "--dataset", "Small") == [problem]
    assert client.get(f"/api/datasets/{dataset.pk}/planner/").json()["problems"] == [problem]
    assert page.context["report"].attribute == page.context["form"]["attribute"].value() == "overall"


@pytest.mark.usefixtures("judges")
def test_runs_and_campaigns_of_other_datasets_are_refused(capsys):
    other = make_run(make_dataset("Other"))

    assert refused(capsys, "plan_votes", "--dataset", "Panel", "--run", other.pk)


@pytest.fixture(scope="module")
def campaign(rows_of_module):
    """A campaign on sixty pairs, with the votes of two people who agree on three of four."""
    people = [make_annotator("ann"), make_annotator("ben")]
    campaign = small_campaign(pairs=60, annotators=people, votes_per_pair=2)
    for person in people:
        while assignment := next_pair(campaign, annotator=person):
            number = assignment.pair.one.context.position
            is_earlier = person == people[0] or number % 4 != 0
            answer(assignment, "second" if assignment.swapped == is_earlier else "first")
    return campaign


def test_a_campaign_says_how_many_votes_it_still_needs_and_when_they_are_enough(capsys, campaign):
    command = ("plan_votes", "--dataset", campaign.dataset.name, "--campaign", campaign.name)

    narrow = printed_json(capsys, *command, "--width", "0.1")["so_far"]
    wide = printed_json(capsys, *command, "--width", "0.5")["so_far"]

    assert (narrow["votes"], narrow["figure"]["value"], narrow["is_enough"]) == (120, 0.75, False)
    assert 400 < narrow["more_votes"] < 900  # 2 · (2 · 1.96 · √(0.75 · 0.25) / 0.1)² = 576 votes in all for the mean
    assert (wide["is_enough"], wide["more_votes"]) == (True, 0)
    assert "Enough: the 120 votes" in printed(capsys, *command, "--width", "0.5")


def test_a_campaign_with_few_votes_says_so(capsys, campaign):
    Vote.objects.exclude(context__key__in=("c0", "c1")).delete()

    text = printed(capsys, "plan_votes", "--dataset", campaign.dataset.name, "--campaign", campaign.name)

    assert "has 4 votes, too few to say how many more it needs" in text


def test_votes_of_other_campaigns_do_not_count_for_one(capsys, campaign):
    make_campaign(campaign.dataset, annotators=[make_annotator("cleo")], name="other")

    plan = printed_json(capsys, "plan_votes", "--dataset", campaign.dataset.name, "--campaign", "other")

    assert plan["so_far"]["votes"] == 0
