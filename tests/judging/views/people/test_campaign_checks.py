"""The page of gold pairs and repeats."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from tests.campaigns import make_annotator, make_ready_campaign, prefer
from tests.factories import make_user
from tests.judging.views.pages import page

pytestmark = pytest.mark.django_db


@pytest.fixture
def rita(client):
    rita = make_user("rita", "researcher")
    client.force_login(rita)
    return rita


def upload(client, campaign, content):
    file = SimpleUploadedFile("gold.csv", content.encode())
    return client.post(reverse("gold-upload", args=[campaign.pk]), {"file": file}, follow=True)


def test_gold_pairs_are_uploaded_and_show_their_votes(client, rita):
    ann = make_annotator("ann")
    campaign = make_ready_campaign(ann, created_by=rita)

    added = upload(client, campaign, "context,first,second,answer\nc0,a,b,second\n").content.decode()
    client.post(reverse("check-shares", args=[campaign.pk]), {"repeat_share": "0.2", "gold_share": "1"})
    campaign.refresh_from_db()
    prefer(campaign, ann, earlier=True)
    prefer(campaign, ann, earlier=False)

    html = page(client, "campaign-checks", campaign.pk)
    assert "1 gold pair added." in added
    assert (campaign.repeat_share, campaign.gold_share) == (0.2, 1.0)
    assert "<strong>1</strong> of <strong>1</strong> votes on gold pairs are right." in html
    assert '<th scope="row">c0</th><td>a, b</td><td>b</td><td class="num">1</td><td class="num">1</td>' in html


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("context,first,second\nc0,a,b\n", "answer"),
        ("context,first,second,answer\nc0,a,b,better\n", "better"),
        ("context,first,second,answer\nc0,a,a,tie\n", "a candidate other than first"),
        ("context,first,second,answer\nc0,a,b,tie\nc0,b,a,tie\n", "has it on line 2"),
        ("context,first,second,answer\nc0,a,z,tie\n", "is not a candidate of c0"),
        ("", "gold.csv"),
    ],
)
def test_a_wrong_table_is_refused_with_its_problem(client, rita, content, problem):
    campaign = make_ready_campaign(make_annotator("ann"), created_by=rita)

    html = upload(client, campaign, content).content.decode()

    assert problem in html
    assert not campaign.pairs.filter(purpose="gold").exists()


def test_only_the_creator_sees_known_answers(client, rita):
    campaign = make_ready_campaign(make_annotator("ann"), created_by=make_user("otto", "researcher"))

    assert client.get(reverse("campaign-checks", args=[campaign.pk])).status_code == 404
