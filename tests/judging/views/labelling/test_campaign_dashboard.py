"""The first page of a campaign: how far, until when, how far people agree."""

from datetime import date, timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from judging.models import Assignment, Participation
from judging.services.campaigns.progress.campaign_progress import LabellingDay
from judging.services.campaigns.vote_exclusions import exclude_rater
from judging.views.labelling.campaign_dashboard import HEIGHT, TOP, draw_progress
from tests.campaigns import make_annotator, make_ready_campaign, vote, vote_by_context
from tests.factories import make_dataset, make_user


@pytest.fixture
def campaign(client):
    """Two people who agree on the first pair. Three of four pairs are left."""
    people = [make_annotator("ann"), make_annotator("ben")]
    campaign = make_ready_campaign(*people, dataset=make_dataset(candidates=(2,) * 4), votes_per_pair=2)
    for person in people:
        prefer_first_pair(campaign, person, earlier=True)
    earlier = Assignment.objects.filter(annotator=people[0], status="voted")
    earlier.update(answered_at=timezone.now() - timedelta(hours=2))
    client.force_login(make_user("rita", "researcher"))
    return campaign


def prefer_first_pair(campaign, person, *, earlier, position=0):
    """Vote on a pair by its position."""
    vote_by_context(campaign, person, {campaign.pairs.get(position=position).one.context.key: "a" if earlier else "b"})


def read_page(client, campaign):
    return client.get(campaign.get_absolute_url()).content.decode()


@pytest.mark.django_db
def test_page_says_first_how_much_is_complete_and_who_has_finished_and_leads_the_creator_to_the_pay_list(client):
    rita = make_user("rita", "researcher")
    ann, ben = make_annotator("ann"), make_annotator("ben")
    campaign = make_ready_campaign(ann, ben, dataset=make_dataset(candidates=(2, 2)), votes_per_pair=2, created_by=rita)
    for person in (ann, ann, ben):
        vote(campaign, person)

    pages = []
    for viewer in (rita, make_user("rob", "researcher")):
        client.force_login(viewer)
        pages.append(" ".join(read_page(client, campaign).split()))

    complete, finished = "<strong>1</strong> of <strong>2</strong>", "<strong>1</strong> of 2"
    answer = f"{complete} pairs have all their votes. {finished} people have finished"
    people = reverse("campaign-people", args=[campaign.pk])
    assert [page.split('<p class="lede">')[1].strip().startswith(answer) for page in pages] == [True, True]
    assert [f'<a href="{people}#pay">whom to pay</a>' in page for page in pages] == [True, False]

    exclude_rater(campaign.dataset, rater=ann.rater_name, reason="too quick")

    client.force_login(rita)
    assert "<strong>0</strong> of 2 people have finished, 1 excluded: " in read_page(client, campaign)
    assert "2 people take part; 0 finished, 1 excluded." in client.get(people).content.decode()


@pytest.mark.django_db
def test_page_names_who_has_not_started_and_links_to_disputed_pairs_and_quality(client, campaign):
    Participation.objects.create(campaign=campaign, annotator=make_annotator("cora"))
    for name in ("ann", "ben"):
        person = campaign.annotators.get(username=name)
        prefer_first_pair(campaign, person, earlier=name == "ann", position=1)

    page = read_page(client, campaign)

    assert "not started</span>" in page
    assert f'{reverse("campaign-disputes", args=[campaign.pk])}">1 disputed pair</a>' in page
    quality = f"{reverse('dataset-quality', args=[campaign.dataset_id])}?attribute=coherence"
    assert quality in page
    assert campaign.get_absolute_url() in client.get(quality).content.decode()


@pytest.mark.django_db
def test_api_gives_votes_pace_and_agreement(client, campaign):
    answer = client.get(reverse("api-campaign-progress", args=[campaign.pk])).json()

    assert (answer["done"], answer["pace"]["votes_per_day"], answer["agreement"]["disputed"]) == (2, 2.0, 0)


@pytest.mark.django_db
def test_a_campaign_without_votes_says_why_no_end_is_expected(client):
    rita = make_user("rita", "researcher")
    client.force_login(rita)
    campaign = make_ready_campaign(make_annotator("ann"), created_by=rita)

    answer = client.get(reverse("api-campaign-progress", args=[campaign.pk])).json()

    assert (answer["pace"]["undefined"], answer["agreement"]["percent"]) == ("nobody has voted yet", None)


@pytest.mark.django_db
def test_page_says_who_is_excluded_and_counts_nobody_who_gets_no_pair_among_the_assigned(client, researcher):
    ann, ben = make_annotator("ann"), make_annotator("ben")
    campaign = make_ready_campaign(ann, ben, votes_per_pair=2, created_by=researcher)
    vote(campaign, ann)
    exclude_rater(campaign.dataset, campaign, rater=ann.rater_name, reason="guessed")

    html = client.get(campaign.get_absolute_url()).content.decode()

    row = html[html.index(f'<th scope="row">{ann.rater_name}') :].partition("</tr>")[0]
    assert ('data-status="failed">excluded</span>' in row, html.count(">excluded</span>")) == (True, 1)
    assert "Each pair needs 2 annotators; only 1 is assigned." in html


@pytest.mark.django_db
@pytest.mark.parametrize(("assigned", "said"), [(1, "only 1 is assigned."), (0, "none is assigned.")])
def test_page_expects_no_end_with_too_few_people_and_says_how_many_are_assigned(client, campaign, assigned, said):
    Participation.objects.filter(campaign=campaign).exclude(annotator__username="ann" if assigned else "").delete()

    page = read_page(client, campaign)

    number = said.removeprefix("only ")
    assert f"No end can be expected: each pair needs 2 annotators, {number}" in page
    assert f"<p>Each pair needs 2 annotators; {said}" in page


def test_chart_places_days_by_date_and_reaches_the_top_with_the_last_vote():
    days = [LabellingDay(date(2026, 3, 1), 4, 2, 4), LabellingDay(date(2026, 3, 4), 4, 2, 8)]

    chart = draw_progress(days, planned=8, end=None)

    first, last = chart.marks
    assert last.x - first.x == pytest.approx(3 * chart.bar_width / 0.6)
    assert last.y == TOP
    assert first.bar_height == pytest.approx(last.bar_height)
    assert first.bar_height == pytest.approx((chart.bottom - TOP) / 2)
    assert chart.forecast == ""
    assert chart.bottom < HEIGHT


def test_chart_draws_the_forecast_to_the_planned_votes():
    days = [LabellingDay(date(2026, 3, 1), 4, 2, 4)]

    chart = draw_progress(days, planned=8, end=date(2026, 3, 2))

    assert chart.last == date(2026, 3, 2)
    assert chart.forecast.endswith(f",{TOP:.1f}")


def test_no_days_no_chart():
    assert draw_progress([], planned=8, end=None) is None
