"""The goal of a campaign: set on the planner's page, by command and API, and read on the campaign's page."""

import pytest
from django.db import IntegrityError
from django.urls import reverse

from judging.models import Campaign
from judging.services.campaigns.campaign_copies import copy_campaign
from tests.campaigns import make_annotator, make_campaign, make_ready_campaign, vote_by_context
from tests.commands import printed, printed_json, refused
from tests.factories import make_dataset, make_user

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("forget_reports")]


@pytest.fixture
def campaign(researcher):
    """Two people who agree on three of four pairs: an interval of width 0.75."""
    people = [make_annotator("ann"), make_annotator("ben")]
    dataset = make_dataset(candidates=(2,) * 4)
    campaign = make_ready_campaign(*people, dataset=dataset, votes_per_pair=2, created_by=researcher)
    for person in people:
        vote_by_context(campaign, person, {f"c{n}": "b" if n == 3 and person == people[1] else "a" for n in range(4)})
    return campaign


def set_goal(client, campaign, width):
    return client.post(reverse("campaign-wanted-width", args=[campaign.pk]), {"width": width}, follow=True)


def page_of(client, campaign) -> str:
    return " ".join(client.get(campaign.get_absolute_url()).content.decode().split())


def test_the_page_of_a_campaign_says_whether_its_votes_are_enough(client, campaign):
    without = page_of(client, campaign)
    set_goal(client, campaign, "0.9")
    wide = page_of(client, campaign)
    set_goal(client, campaign, "0.1")
    narrow = page_of(client, campaign)

    assert "nough" not in without.replace("Enough?", "")
    assert "<strong>Enough votes</strong>: the interval is 0.853 wide, and 0.9 was wanted." in wide
    assert "Not enough votes yet: the interval is 0.853 wide, and 0.1 is wanted." in narrow


def test_a_goal_is_set_and_removed_on_the_planners_page(client, campaign):
    planner = reverse("dataset-planner", args=[campaign.dataset_id])
    of_rob = make_campaign(make_dataset("Other"), created_by=make_user("rob", "researcher"), name="June")
    Campaign.objects.filter(pk=of_rob.pk).update(name=campaign.name)

    before = client.get(planner, {"campaign": campaign.name, "width": "0.2"}).content.decode()
    answer = set_goal(client, campaign, "0.2")
    after = client.get(planner, {"campaign": campaign.name}).content.decode()
    removed = set_goal(client, campaign, "")

    assert '<input type="hidden" name="width" value="0.2">' in before
    assert "Make width 0.2 the goal of the campaign</button>" in before
    assert "has enough votes once the interval is at most 0.2 wide" in answer.content.decode()
    assert f"The goal of {campaign.name} is an interval of width 0.2." in after
    assert '<input type="hidden" name="width" value="">' in after
    assert "Remove the goal" in after
    assert "The campaign has no goal now." in removed.content.decode()
    assert Campaign.objects.get(pk=campaign.pk).wanted_width is None


def test_an_impossible_goal_is_refused(client, campaign):
    for width in ("0", "1", "-0.1", "nan", "inf", "wide"):
        assert "wanted_width:" in set_goal(client, campaign, width).content.decode(), width
    assert Campaign.objects.get().wanted_width is None


def test_command_and_api_set_and_show_the_goal(client, capsys, campaign):
    printed(capsys, "change_campaign", campaign.name, "--wanted-width", "0.9")
    address = f"/api/campaigns/{campaign.pk}/"
    report = client.get(f"{address}progress/").json()
    patched = client.patch(address, {"wanted_width": 0.1}, content_type="application/json").json()

    assert (report["wanted_width"], report["attributes"][0]["is_enough"]) == (0.9, True)
    assert round(report["agreement"]["width"], 3) == 0.853
    assert patched["wanted_width"] == 0.1
    assert not client.get(f"{address}progress/").json()["attributes"][0]["is_enough"]
    assert (
        "wanted_width: 2 — give a number" in refused(capsys, "change_campaign", campaign.name, "--wanted-width", "2")[0]
    )
    printed(capsys, "change_campaign", campaign.name, "--wanted-width", "0")
    assert Campaign.objects.get().wanted_width is None


def test_the_planner_takes_the_goal_as_its_width_and_a_copy_keeps_it(capsys, campaign):
    Campaign.objects.update(wanted_width=0.3)

    plan = printed_json(capsys, "plan_votes", "--dataset", campaign.dataset.name, "--campaign", campaign.name)
    other = printed_json(capsys, "plan_votes", "--dataset", campaign.dataset.name)
    copy = copy_campaign(Campaign.objects.get(), name="Again", created_by=None)

    assert (plan["width"], other["width"], copy.wanted_width) == (0.3, 0.1, 0.3)


def test_a_stored_goal_is_a_share(campaign):
    with pytest.raises(IntegrityError):
        Campaign.objects.update(wanted_width=1.5)
