"""The page of gold pairs and repeats."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from judging.services.invitations.invitation_setup import create_invitation
from tests.campaigns import make_annotator, make_ready_campaign, prefer, small_campaign
from tests.judging.views.pages import page

pytestmark = pytest.mark.django_db


def upload(client, campaign, content):
    file = SimpleUploadedFile("gold.csv", content.encode())
    return client.post(reverse("gold-upload", args=[campaign.pk]), {"file": file}, follow=True)


def test_gold_pairs_are_uploaded_and_show_their_votes(client, researcher):
    ann = make_annotator("ann")
    campaign = make_ready_campaign(ann, created_by=researcher)

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
def test_a_wrong_table_is_refused_with_its_problem(client, researcher, content, problem):
    campaign = make_ready_campaign(make_annotator("ann"), created_by=researcher)

    html = upload(client, campaign, content).content.decode()

    assert problem in html
    assert not campaign.pairs.filter(purpose="gold").exists()


def test_page_says_what_the_checks_can_find_about_each_person(client, researcher):
    """100 ordinary pairs for two people: 50 each, with 12 of the 15 gold pairs that the share asks for, 20 repeats."""
    people = [make_annotator(name) for name in ("ann", "ben")]
    campaign = small_campaign(pairs=112, votes_per_pair=1, annotators=people, created_by=researcher)
    upload(client, campaign, gold_table(12))
    client.post(reverse("check-shares", args=[campaign.pk]), {"repeat_share": "0.4", "gold_share": "0.3"})

    html = page(client, "campaign-checks", campaign.pk)

    assert "Of 100 people who guess, gold pairs flag 39, repeats 59 and agreement with others 0." in html
    for row in (("Gold pairs", 12, 5, 39), ("Repeats", 20, 20, 59), ("Agreement with others", 0, 20, 0)):
        assert power_row(*row) in html


def gold_table(pairs):
    return "\n".join(["context,first,second,answer", *(f"c{number},a,b,first" for number in range(pairs))])


def power_row(name, answers, needed, percent):
    cells = "".join(f'<td class="num">{number}</td>' for number in (answers, needed, f"{percent}&#8239;%"))
    return f'<tr><th scope="row">{name}</th>{cells}</tr>'


def test_the_limit_of_a_link_makes_the_checks_smaller(client, researcher):
    campaign = small_campaign(pairs=110, votes_per_pair=2, created_by=researcher)
    upload(client, campaign, gold_table(10))
    create_invitation(campaign, admission="platform", created_by=researcher, most_pairs=55)

    html = page(client, "campaign-checks", campaign.pk)

    assert power_row("Gold pairs", 5, 5, 19) in html
    assert power_row("Time", 50, 20, 100) in html
