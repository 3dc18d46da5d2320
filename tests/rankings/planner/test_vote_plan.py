"""The planner by command, page and API, and the votes that a campaign still needs."""

import pytest
from django.urls import reverse
from rest_framework.authtoken.models import Token

from judging.services.campaigns.assignments import next_pair
from tests.campaigns import answer, make_annotator, make_campaign, small_campaign
from tests.commands import printed, printed_json, refused
from tests.factories import make_dataset, make_run, make_user
from tests.rankings.agreement.panels import judged, voted_dataset

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("forget_reports")]


def test_command_plans_the_accuracy_of_a_judge(capsys):
    run = judged(voted_dataset(), "careful")

    plan = printed_json(capsys, "plan_votes", "--dataset", "Panel", "--run", run.pk, "--width", "0.1")
    text = printed(capsys, "plan_votes", "--dataset", "Panel", "--run", run.pk, "--width", "0.1")

    assert (plan["figure"], [row["votes_per_pair"] for row in plan["rows"]]) == ("accuracy of careful", [1, 2, 3, 5])
    one = plan["rows"][0]
    assert one["votes"] == one["pairs"] == 3 * one["contexts"]
    assert one["people"] == -(-one["votes"] // 50)
    assert one["width"] <= 0.1
    assert "For an interval of width 0.1:" in text


def test_without_a_run_agreement_between_people_is_planned(capsys):
    voted_dataset()

    plan = printed_json(capsys, "plan_votes", "--dataset", "Panel", "--pairs-per-person", "10")

    assert (plan["figure"], [row["votes_per_pair"] for row in plan["rows"]]) == ("agreement between people", [2, 3, 5])
    assert plan["rows"][0]["people"] == -(-plan["rows"][0]["votes"] // 10)


def test_a_run_can_stand_for_people_before_anybody_votes(capsys):
    dataset = voted_dataset()
    careful, hasty = judged(dataset, "careful"), judged(dataset, "hasty")
    dataset.attributes.get().votes.all().delete()

    command = ("plan_votes", "--dataset", "Panel", "--run", hasty.pk)
    without = printed_json(capsys, *command)["rows"][0]
    like = printed_json(capsys, *command, "--like", careful.pk)["rows"][0]

    assert (without["pairs"], "a simulation needs at least 10 pairs" in without["undefined"]) == (None, True)
    assert like["pairs"] > 50


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (("--width", "0"), "width: 0 — give a number between 0 and 1"),
        (("--width", "nan"), "width: nan"),
        (("--pairs-per-person", "0"), "pairs per person: 0"),
        (("--difference", "0.05"), "difference: it is of the accuracy of a judge; give its run, too"),
        (("--difference", "5"), "difference: 5 — give a share between 0 and 1"),
        (("--campaign", "nothing"), 'there is no "nothing"'),
    ],
)
def test_impossible_plans_are_refused(capsys, options, problem):
    voted_dataset(contexts=5)

    assert problem in refused(capsys, "plan_votes", "--dataset", "Panel", *options)[0]


def test_difference_of_two_judges_is_planned_alike_by_command_page_and_api(client, capsys):
    dataset = voted_dataset()
    careful, hasty = judged(dataset, "careful"), judged(dataset, "hasty")
    client.force_login(make_user("rita", "researcher"))
    options = {"run": careful.pk, "against": hasty.pk, "difference": "0.05"}

    command = ("plan_votes", "--dataset", "Panel", *(part for name in options for part in (f"--{name}", options[name])))
    plan, text = printed_json(capsys, *command), printed(capsys, *command)
    api = client.get(f"/api/datasets/{dataset.pk}/planner/", options).json()
    page = client.get(reverse("dataset-planner", args=[dataset.pk]), options).content.decode()

    assert api == plan
    assert (plan["figure"], plan["difference"]) == ("accuracy of careful against hasty", 0.05)
    assert plan["rows"][0]["contexts"] > 6
    for shown in (text, page):
        assert "a difference of 5 points to be found in 80 of 100 studies" in shown
        assert "Two votes that differ are no majority" in shown
        assert "found in 81 to 84 of 100" in shown


def test_other_judge_without_a_difference_is_refused(capsys):
    run = judged(voted_dataset(), "careful")

    problems = refused(capsys, "plan_votes", "--dataset", "Panel", "--run", run.pk, "--against", run.pk)

    assert problems == ["against: give the difference that is to be found, too"]


def test_nothing_is_said_about_plans_that_do_not_exist(client, capsys):
    dataset = voted_dataset(contexts=3)
    client.force_login(make_user("rita", "researcher"))

    text = printed(capsys, "plan_votes", "--dataset", "Panel")
    page = client.get(reverse("dataset-planner", args=[dataset.pk])).content.decode()

    for shown in (text, page):
        assert "No plan:" in shown
        assert "made-up" not in shown


def test_runs_and_campaigns_of_other_datasets_are_refused(capsys):
    voted_dataset(contexts=5)
    other = make_run(make_dataset("Other"))

    assert refused(capsys, "plan_votes", "--dataset", "Panel", "--run", other.pk)


def voted_campaign(*, answered):
    """Two people who agree on three of four pairs."""
    people = [make_annotator("ann"), make_annotator("ben")]
    campaign = small_campaign(pairs=60, annotators=people, votes_per_pair=2)
    for person in people:
        for _ in range(answered):
            assignment = next_pair(campaign, annotator=person)
            number = assignment.pair.one.context.position
            is_earlier = person == people[0] or number % 4 != 0
            answer(assignment, "second" if assignment.swapped == is_earlier else "first")
    return campaign


def test_a_campaign_says_how_many_votes_it_still_needs_and_when_they_are_enough(capsys):
    campaign = voted_campaign(answered=60)
    command = ("plan_votes", "--dataset", campaign.dataset.name, "--campaign", campaign.name)

    narrow = printed_json(capsys, *command, "--width", "0.1")["so_far"]
    wide = printed_json(capsys, *command, "--width", "0.5")["so_far"]

    assert (narrow["votes"], narrow["figure"]["value"], narrow["is_enough"]) == (120, 0.75, False)
    assert 400 < narrow["more_votes"] < 900  # 2 · (2 · 1.96 · √(0.75 · 0.25) / 0.1)² = 576 votes in all for the mean
    assert (wide["is_enough"], wide["more_votes"]) == (True, 0)
    assert "Enough: the 120 votes" in printed(capsys, *command, "--width", "0.5")


def test_a_campaign_with_few_votes_says_so(capsys):
    campaign = voted_campaign(answered=2)

    text = printed(capsys, "plan_votes", "--dataset", campaign.dataset.name, "--campaign", campaign.name)

    assert "has 4 votes, too few to say how many more it needs" in text


def test_votes_of_other_campaigns_do_not_count_for_one(capsys):
    campaign = voted_campaign(answered=30)
    make_campaign(campaign.dataset, annotators=[make_annotator("cleo")], name="other")

    plan = printed_json(capsys, "plan_votes", "--dataset", campaign.dataset.name, "--campaign", "other")

    assert plan["so_far"]["votes"] == 0


def test_page_and_api_plan_alike(client, capsys):
    dataset = voted_dataset()
    run = judged(dataset, "careful")
    hidden = make_user("otto", "researcher")
    rita = make_user("rita", "researcher")
    client.force_login(rita)
    token = Token.objects.get_or_create(user=rita)[0].key

    page = client.get(reverse("dataset-planner", args=[dataset.pk]), {"run": run.pk, "width": "0.2"}).content.decode()
    default = client.get(reverse("dataset-planner", args=[dataset.pk])).content.decode()
    wrong = client.get(reverse("dataset-planner", args=[dataset.pk]), {"width": "7"}).content.decode()
    api = client.get(
        f"/api/datasets/{dataset.pk}/planner/",
        {"run": run.pk, "width": "0.2"},
        headers={"Authorization": f"Token {token}"},
    ).json()
    command = printed_json(capsys, "plan_votes", "--dataset", "Panel", "--run", run.pk, "--width", "0.2")

    assert api == command
    assert f"{api['rows'][0]['pairs']} pairs" in page
    assert "Agreement between people on overall" in default
    assert "less than or equal to 0.999" in wrong
    assert "Nothing was saved" not in wrong
    run.owner = hidden
    run.save()
    refused_run = client.get(f"/api/datasets/{dataset.pk}/planner/", {"run": run.pk})
    assert refused_run.status_code == 400
