"""The pages on agreement, on two runs and on all runs in a browser: with axe, without scripts, on a phone."""

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from tests.browser.looks import faults
from tests.rankings.agreement.panels import judged, voted_dataset

pytestmark = pytest.mark.usefixtures("forget_reports")


@pytest.fixture
def runs(page, sign_in):
    sign_in("researcher")
    panel = voted_dataset()
    return judged(panel, "careful"), judged(panel, "hasty")


def agreement_of(runs):
    return reverse("dataset-agreement", args=[runs[0].dataset_id])


def differences_of(runs):
    address = reverse("dataset-compare", args=[runs[0].dataset_id])
    return f"{address}?one={runs[0].pk}&other={runs[1].pk}"


def groups_of(runs):
    return reverse("dataset-groups", args=[runs[0].dataset_id])


def test_researcher_reads_agreement_and_compares_two_runs(page, runs):
    page.goto(reverse("dataset-results", args=[runs[0].dataset_id]))
    page.get_by_role("link", name="Agreement", exact=True).click()
    expect(page.locator(".lede")).to_contain_text("Two people agree on")
    expect(page.locator("figure.chart svg").first).to_be_visible()

    page.get_by_role("link", name="Two runs compared").click()
    page.get_by_label("Run", exact=True).select_option(label=f"run {runs[0].pk}: careful, recorded")
    page.get_by_label("Compared with").select_option(label=f"run {runs[1].pk}: hasty, recorded")

    expect(page.locator(".lede")).to_contain_text(f"The accuracy of careful with recorded (run {runs[0].pk}) is")


def test_pages_fit_a_phone_and_pass_axe_in_the_light_and_in_the_dark(page, runs):
    addresses = [agreement_of(runs), differences_of(runs), groups_of(runs)]

    found = {address: faults(page, address) for address in addresses}

    assert found == {address: [] for address in addresses}
