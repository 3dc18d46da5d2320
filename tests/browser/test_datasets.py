"""The pages of a dataset and a context in a browser: parts that load, and the way to the answers of a pair."""

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from judging.models import HumanScore
from tests.factories import answer_run, make_dataset, make_run

pytestmark = pytest.mark.usefixtures("forget_reports")


@pytest.fixture
def run(sign_in):
    """Two contexts of three candidates with scores and ratings on two attributes, and the answers of a judge."""
    researcher = sign_in("researcher")
    dataset = make_dataset(candidates=(3, 3), attributes=("coherence", "fluency"), owner=researcher)
    HumanScore.objects.all().delete()
    for context in dataset.contexts.all():
        for place, candidate in enumerate(context.candidates.all()):
            for shift, rater in enumerate(("h1", "h2")):
                HumanScore.objects.create(
                    candidate=candidate, attribute=dataset.attributes.first(), rater=rater, value=place + shift
                )
    return answer_run(make_run(dataset, attribute="coherence", owner=researcher))


def test_researcher_goes_from_a_dataset_to_both_answers_of_a_pair(page, run):
    page.goto(run.dataset.get_absolute_url())
    expect(page.get_by_role("img", name="Human scores of coherence")).to_be_visible()

    page.get_by_role("link", name="c0", exact=True).click()
    page.get_by_role("link", name="c against a: 0.70 with c first, 0.30 with a first").click()

    expect(page.get_by_role("heading", name="c0: a against c")).to_be_visible()
    expect(page.locator(".answered-pair")).to_have_count(1)


def test_parts_are_pages_of_their_own_without_javascript(run, plain):
    plain.goto(run.dataset.get_absolute_url())
    plain.get_by_role("link", name="Scores and agreement of people").click()
    expect(plain.get_by_role("img", name="Human scores of coherence")).to_be_visible()

    plain.goto(reverse("context", args=[run.dataset.contexts.first().pk]))
    plain.get_by_role("link", name="Matrix of each judge").click()
    expect(plain.locator("table.pairs")).to_be_visible()
