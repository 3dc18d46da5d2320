"""Pages of those who run campaigns."""

import csv
import io
import re

import pytest
from django.urls import reverse

from judging.models import Campaign, Candidate, Context, User, Vote
from judging.services.campaigns.next_pair import next_pair
from judging.services.campaigns.skips_and_undo import skip_pair
from judging.services.campaigns.vote_exclusions import exclude_rater
from tests.campaigns import make_annotator, make_campaign, make_ready_campaign, prefer, vote
from tests.factories import answer_run, make_dataset, make_run, make_user
from tests.judging.views.pages import page

pytestmark = pytest.mark.django_db


def rows_of(response) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(b"".join(response.streaming_content).decode())))


def test_researchers_see_progress_and_download_as_many_votes_as_the_page_counts(client, ann):
    campaign = make_ready_campaign(ann, guidelines="Mind the facts.")
    votes = [vote(campaign, ann, "tie", milliseconds=3000), vote(campaign, ann)]
    client.force_login(make_user("rita", "researcher"))

    html = page(client, "campaign", campaign.pk)
    rows = rows_of(client.get(reverse("campaign-download", args=[campaign.pk])))

    assert "<strong>2</strong> of <strong>18</strong> votes recorded." in html
    assert "Agreement appears once a pair has two votes" in html
    assert [(row["first"], row["second"], row["choice"], row["rater"], row["seconds"]) for row in rows] == [
        (votes[0].first.key, votes[0].second.key, "tie", ann.rater_name, "3.0"),
        (votes[1].first.key, votes[1].second.key, "first", ann.rater_name, ""),
    ]


def test_researchers_see_votes_by_day_and_skips_by_reason(client, ann):
    campaign = make_ready_campaign(ann)
    vote(campaign, ann)
    skip_pair(next_pair(campaign, annotator=ann), reason="language")
    client.force_login(make_user("rita", "researcher"))

    html = page(client, "campaign", campaign.pk)

    assert "<h2>Progress</h2>" in html
    assert '<td class="num">1</td>' in html.split("Votes by day as a table")[1].split("</table>")[0]
    assert '<th scope="row">I do not read this language well enough</th><td class="num">1</td>' in html


def test_downloaded_votes_are_those_of_the_campaign(client, ann):
    campaign = make_ready_campaign(ann)
    other = make_ready_campaign(ann, name="Another")
    vote(campaign, ann, "tie")
    vote(other, ann, "first")
    client.force_login(make_user("rita", "researcher"))

    rows = rows_of(client.get(reverse("campaign-download", args=[campaign.pk])))

    assert [row["choice"] for row in rows] == ["tie"]


def test_downloaded_votes_say_what_is_excluded_and_why_and_under_which_guidelines(client, ann):
    ben = make_user("ben", "annotator")
    campaign = make_ready_campaign(ann, ben, name="May", guidelines="Mind the facts.")
    given = vote(campaign, ann)
    vote(campaign, ben, "tie")
    exclude_rater(campaign.dataset, rater=ann.rater_name, reason="wrong key")
    client.force_login(make_user("rita", "researcher"))

    rows = rows_of(client.get(reverse("campaign-download", args=[campaign.pk])))

    assert [(row["campaign"], row["excluded"], row["exclude_reason"], row["choice"]) for row in rows] == [
        ("May", "true", "wrong key", "first"),
        ("May", "false", "", "tie"),
    ]
    given.assignment.refresh_from_db()
    assert {row["guidelines"] for row in rows} == {given.assignment.guidelines.digest}
    assert [row["voted_at"] for row in rows] == [one.voted_at.isoformat() for one in Vote.objects.order_by("pk")]


def test_downloaded_votes_hold_no_formula(client, ann):
    dataset = make_dataset(candidates=(2,))
    Context.objects.update(key="=1+1")
    Candidate.objects.update(system="@SUM(A1)")
    campaign = make_ready_campaign(ann, dataset=dataset)
    vote(campaign, ann)
    client.force_login(make_user("rita", "researcher"))

    (row,) = rows_of(client.get(reverse("campaign-download", args=[campaign.pk])))

    assert (row["context"], row["first_system"]) == ("'=1+1", "'@SUM(A1)")


def test_researchers_read_how_far_people_agree(client, ann):
    ben = make_annotator("ben")
    campaign = make_ready_campaign(ann, ben, dataset=make_dataset(candidates=(2,)))
    prefer(campaign, ann, earlier=True)
    prefer(campaign, ben, earlier=True)
    client.force_login(make_user("rita", "researcher"))

    html = page(client, "campaign", campaign.pk)

    assert "Pairwise agreement: <strong>100.0&#8239;%</strong> of 1 pair of votes." in html


def test_creating_a_campaign_draws_a_fresh_seed_and_warns_of_shared_pairs(client):
    dataset = make_dataset(candidates=(2,))
    client.force_login(make_user("rita", "researcher"))
    address = f"{reverse('campaign-new')}?dataset={dataset.pk}"
    filled = {"attributes": "coherence", "votes_per_pair": 1, "seed": ""}

    first, second = (client.post(address, filled | {"name": name}, follow=True) for name in ("One", "Two"))

    assert len({campaign.seed for campaign in Campaign.objects.all()}) == 2
    assert "Shares pairs with" not in first.content.decode()
    assert second.content.decode().count("Shares pairs with One (1 shared pair, 0 shared annotators).") == 1


def test_campaign_is_offered_to_annotators_who_may_sign_in(client, ann):
    User.objects.filter(pk=make_annotator("gone").pk).update(is_active=False)
    client.force_login(make_user("rita", "researcher"))

    form = client.get(reverse("campaign-new"), {"dataset": make_dataset().pk}).context["form"]

    assert form.fields["annotators"].choices == [("ann", "ann")]


def test_creating_a_campaign_marks_the_fields_that_are_wrong(client):
    campaign = make_campaign()
    client.force_login(make_user("rita", "researcher"))

    response = client.post(f"{reverse('campaign-new')}?dataset={campaign.dataset_id}", {"votes_per_pair": 0, "seed": 0})

    html = response.content.decode()
    assert "Nothing was saved: please correct the marked fields." in html
    assert set(response.context["form"].errors) == {"name", "attributes", "votes_per_pair"}
    assert html.count('aria-invalid="true"') == 3


def test_editing_after_a_vote_changes_guidelines_but_no_rule(client, ann):
    rita = make_user("rita", "researcher")
    make_annotator("ben")
    campaign = make_ready_campaign(ann, guidelines="Mind the style.", created_by=rita)
    vote(campaign, ann)
    client.force_login(rita)

    client.post(
        reverse("campaign-edit", args=[campaign.pk]), {"guidelines": "Mind the facts.", "annotators": ["ann", "ben"]}
    )

    campaign.refresh_from_db()
    assert (campaign.guidelines, campaign.allow_ties) == ("Mind the facts.", True)
    assert campaign.annotators.count() == 2


def test_researchers_discard_a_campaign_without_votes(client, ann):
    rita = make_user("rita", "researcher")
    empty, voted = make_campaign(name="empty", created_by=rita), make_ready_campaign(ann, name="voted", created_by=rita)
    vote(voted, ann)
    client.force_login(rita)

    for campaign in (empty, voted):
        client.post(reverse("campaign-discard", args=[campaign.pk]))

    assert [campaign.name for campaign in empty.dataset.campaigns.all()] == ["voted"]


def test_campaign_whose_owner_lost_the_role_is_changed_by_admins_alone(client):
    ann = make_annotator("ann")
    campaign = make_campaign(created_by=ann, annotators=[ann])
    client.force_login(ann)

    assert client.get(reverse("campaign-edit", args=[campaign.pk])).status_code == 404


@pytest.mark.parametrize(
    ("votes", "buttons"),
    [
        (1, [("button", "annotate"), ("button quiet", "vote-list")]),
        (2, [("button", "vote-list"), ("button quiet", "annotate")]),
    ],
)
def test_the_first_button_leads_to_the_next_pair_while_there_is_one_and_then_to_own_votes(client, ann, votes, buttons):
    campaign = make_ready_campaign(ann, dataset=make_dataset(candidates=(2, 2)))
    for _ in range(votes):
        vote(campaign, ann)

    html = page(client, "home").split('<div class="actions">')[1].split("</div>")[0]

    assert re.findall(r'<a class="([^"]*)" href="([^"]*)"', html) == [
        (style, reverse(name, args=[campaign.pk])) for style, name in buttons
    ]


@pytest.mark.parametrize("campaigns", [1, 4])
def test_campaign_list_needs_the_same_queries_for_any_number_of_campaigns(
    client, ann, campaigns, django_assert_num_queries
):
    for number in range(campaigns):
        make_campaign(name=f"Campaign {number}", annotators=[ann])
    client.force_login(make_user("rita", "researcher"))

    with django_assert_num_queries(6):
        page(client, "campaign-list")


def test_datasets_of_a_new_campaign_are_links_with_grouped_digits(client):
    dataset = make_dataset(candidates=(500, 500))
    client.force_login(make_user("rita", "researcher"))

    assert f'href="?dataset={dataset.pk}">Summaries</a>: 2 contexts, 1,000 candidates' in page(client, "campaign-new")


def test_a_campaign_on_doubted_pairs_is_made_by_page(client):
    rita = make_user("rita", "researcher")
    dataset = make_dataset()
    run = answer_run(make_run(dataset, owner=rita), p_first=0.5)
    hidden = make_run(dataset, owner=make_user("otto", "researcher"))
    client.force_login(rita)
    address = f"{reverse('campaign-new')}?dataset={dataset.pk}"
    fields = {"name": "Doubts", "attributes": "coherence", "votes_per_pair": 1, "selection": "unsure"}

    without_runs = client.post(address, fields).context["form"]
    with_hidden = client.post(address, fields | {"pair_limit": 2, "runs": [hidden.pk]}).content.decode()
    client.post(address, fields | {"pair_limit": 2, "runs": [run.pk], "random_share": "0.5"})

    assert without_runs.errors == {
        "runs": ["missing — the selection unsure needs one run or more with answers on the attribute"],
        "pair_limit": ["missing — the selection unsure needs a limit of pairs, or a number per context"],
    }
    assert f"there is no run {hidden.pk} on Summaries that you may see" in with_hidden
    html = page(client, "campaign", Campaign.objects.get(name="Doubts").pk)
    assert f"Where judges disagree or are unsure (runs {run.pk}); 1 random pair held out" in html


def test_form_counts_votes_while_it_is_filled_in_also_without_scripts_and_creates_nothing(client, ann):
    client.force_login(make_user("rita", "researcher"))
    dataset = make_dataset(candidates=(3, 3))
    fields = {
        "attributes": ["coherence"],
        "selection": "all",
        "votes_per_pair": 2,
        "annotators": ["ann"],
    }

    counted = client.post(reverse("campaign-effort", args=[dataset.pk]), fields).content.decode()
    wrong = client.post(reverse("campaign-effort", args=[dataset.pk]), fields | {"votes_per_pair": 0}).content.decode()
    address = f"{reverse('campaign-new')}?dataset={dataset.pk}"
    without_scripts = client.post(address, fields | {"annotators": [], "effort": ""}).content.decode()

    assert "6 pairs × 2 votes = 12 votes; about 6 each for 1 person" in counted
    assert "Each pair needs 2 people; 1 is chosen." in counted
    assert "Of 100 people who guess, gold pairs flag 0, repeats 0 and agreement with others 0." in counted
    assert "votes_per_pair: 0 — give a whole number from 1 to 1,000" in wrong
    assert "6 pairs × 2 votes = 12 votes" in without_scripts
    assert not Campaign.objects.exists()
