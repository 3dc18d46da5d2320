"""A researcher adds an endpoint and asks it about one pair, without a command."""

import pytest
from playwright.sync_api import expect

from judging.models import Judge
from tests.browser.looks import violations
from tests.evenhand.engine.endpoint.fake_endpoints import openai_reasoning
from tests.evenhand.engine.endpoint.misbehaving_server import ServedEndpoint
from tests.factories import make_dataset

pytestmark = pytest.mark.django_db(transaction=True)


def test_endpoint_is_added_and_asked_by_page(page, sign_in, settings):
    settings.ENDPOINT_HOSTS = ["127.0.0.1"]
    make_dataset(owner=sign_in("researcher"))
    with ServedEndpoint(openai_reasoning) as endpoint:
        page.goto("/judges/new/")
        page.get_by_label("Name", exact=True).fill("o9")
        page.get_by_text("an OpenAI-compatible endpoint").click()
        page.get_by_label("Model", exact=True).fill("o9")
        page.get_by_label("Address of the endpoint").fill(endpoint.url)
        page.get_by_role("button", name="Add the judge").click()

        page.get_by_role("link", name="Ask it about one pair").click()
        page.get_by_label("Thinking", exact=True).select_option("on")
        page.get_by_label("Most tokens of thinking").fill("300")
        page.get_by_role("button", name="Ask now").click()

        expect(page.get_by_role("heading", name="a first, b second")).to_be_visible()
        expect(page.get_by_text("p 1.0000").first).to_be_visible()
        expect(page.get_by_text("Only the default (1) is supported")).to_be_visible()
        expect(page.get_by_text("The two orders disagree")).to_be_visible()
        expect(page.get_by_text("It thought for 64 tokens").first).to_be_visible()
        trial_faults = violations(page)

    assert set(Judge.objects.get(name="o9").probes) == {"on"}
    assert trial_faults == []
