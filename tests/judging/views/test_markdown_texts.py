"""Texts of a campaign as Markdown or as written, on the pages of annotators."""

import pytest
from django.urls import reverse

from judging.models import Candidate, Context
from tests.campaigns import make_ready_campaign, vote
from tests.factories import make_dataset
from tests.judging.views.pages import page

pytestmark = pytest.mark.django_db


@pytest.fixture
def pages(client, ann):
    """Return the voting page and the page that changes a vote, of a campaign with this format of texts."""

    def read(**fields):
        campaign = make_ready_campaign(ann, dataset=make_dataset(candidates=(3,)), **fields)
        Candidate.objects.update(text="**bold** <i>raw</i>")
        Context.objects.update(text="*article*")
        key = vote(campaign, ann).assignment.key
        return [page(client, "annotate", campaign.pk), page(client, "vote-change", campaign.pk, key)]

    return read


def test_markdown_is_rendered_where_the_campaign_says_so(pages):
    for html in pages(text_format="markdown"):
        assert html.count("<p><strong>bold</strong> &lt;i&gt;raw&lt;/i&gt;</p>") == 2
        assert "<p><em>article</em></p>" in html


def test_texts_are_shown_as_written_otherwise(pages):
    for html in pages():
        assert html.count("**bold** &lt;i&gt;raw&lt;/i&gt;") == 2
        assert "*article*" in html


def test_differences_of_markdown_are_marked_in_the_text_as_written(client, ann):
    campaign = make_ready_campaign(ann, dataset=make_dataset(candidates=(2,)), text_format="markdown")
    Candidate.objects.update(text="**bold**")
    page(client, "annotate", campaign.pk)

    key = campaign.assignments.get().key
    address = reverse("pair-differences", args=[campaign.pk])
    html = client.post(address, {"pair": key, "show": "on"}, follow=True).content.decode()

    assert html.count("**bold**") == 2
    assert "Markdown is shown as written meanwhile." in html
