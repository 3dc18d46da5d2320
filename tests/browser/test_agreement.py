"""The pages on agreement, on two runs and on all runs in a browser."""

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from tests.rankings.agreement.panels import judged, voted_dataset

pytestmark = pytest.mark.usefixtures("forget_reports")


@pytest.fixture
def runs(page, sign_in):
    sign_in("researcher")
    panel = voted_dataset()
    return judged(panel, "careful"), judged(panel, "hasty")


def test_researcher_reads_agreement_and_compares_two_runs(page, runs):
    page.goto(reverse("dataset-results", args=[runs[0].dataset_id]))
    page.get_by_role("link", name="People", exact=True).click()
    expect(page.locator(".lede")).to_contain_text("Two people agree on")
    expect(page.locator("figure.chart svg").first).to_be_visible()

    page.get_by_role("link", name="Results", exact=True).click()
    page.get_by_role("link", name="Two runs", exact=True).click()
    page.get_by_label("Run", exact=True).select_option(label=f"run {runs[0].pk}: careful, recorded")
    page.get_by_label("Compared with").select_option(label=f"run {runs[1].pk}: hasty, recorded")

    expect(page.locator(".lede")).to_contain_text(f"The accuracy of careful with recorded (run {runs[0].pk}) is")
