"""Word differences on the voting page."""

import re

import pytest
from django.urls import reverse

from judging.models import Assignment, Candidate, Vote
from judging.services.campaigns.guidelines import note_guidelines_read
from judging.services.campaigns.next_pair import next_pair
from tests.campaigns import make_annotator, small_campaign
from tests.judging.views.pages import page

pytestmark = pytest.mark.django_db


@pytest.fixture
def campaign(ann):
    """One pair whose texts differ in a word, and another annotator who sees it too."""
    campaign = small_campaign(annotators=[ann, make_annotator("ben")])
    for text, candidate in zip(
        ("Two <b>old</b> libraries", "Two libraries"), Candidate.objects.order_by("pk"), strict=True
    ):
        Candidate.objects.filter(pk=candidate.pk).update(text=text)
    note_guidelines_read(campaign, annotator=ann)
    return campaign


def switch(client, campaign, pair, **fields):
    return client.post(reverse("pair-differences", args=[campaign.pk]), {"pair": str(pair.key), **fields}, follow=True)


def test_differences_are_underlined_on_request_and_hidden_again(client, ann, campaign):
    pair = next_pair(campaign, annotator=ann)
    before = page(client, "annotate", campaign.pk)

    shown = switch(client, campaign, pair, show="on").content.decode()
    hidden = switch(client, campaign, pair).content.decode()

    assert "<mark" not in before + hidden
    assert re.findall(r"<mark class=.differs.>(.*?)</mark>", shown) == ["&lt;b&gt;old&lt;/b&gt;"]
    assert all(f'name="pair" value="{pair.key}"' in html for html in (shown, hidden))


def test_a_vote_after_differences_and_common_scrolling_names_both(client, ann, campaign):
    pair = next_pair(campaign, annotator=ann)
    switch(client, campaign, pair, show="on")

    names = {"pair": str(pair.key), "first": pair.first_name, "second": pair.second_name}
    client.post(reverse("vote-record", args=[campaign.pk]), names | {"choice": "first", "scrolled_together": "on"})

    assert Vote.objects.get().reading_aids == "differences scrolling"


def test_differences_of_another_annotators_pair_are_refused_and_not_recorded(client, ann, campaign):
    his = next_pair(campaign, annotator=campaign.annotators.get(username="ben"))

    response = switch(client, campaign, his, show="on")

    assert "This page is out of date" in response.content.decode()
    assert "<mark" not in response.content.decode()
    assert not Assignment.objects.exclude(reading_aids="").exists()


def test_long_texts_say_that_they_are_not_compared(client, ann, campaign):
    Candidate.objects.update(text="word " * 3_001)

    shown = switch(client, campaign, next_pair(campaign, annotator=ann), show="on").content.decode()

    assert "The texts are too long to compare word by word." in shown
