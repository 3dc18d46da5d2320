"""The controls above the figures of a run and of a dataset take effect at once, without a new page."""

import re

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from tests.rankings.agreement.panels import judged, voted_dataset

pytestmark = pytest.mark.usefixtures("forget_reports")


@pytest.fixture
def runs(page, sign_in):
    sign_in("researcher")
    panel = voted_dataset(contexts=6)
    return judged(panel, "careful"), judged(panel, "hasty")


def open_page(page, name, number):
    """Open a page, and mark it: a page that is loaded again has no mark."""
    page.goto(reverse(name, args=[number]))
    page.locator("h1").evaluate("heading => heading.ownerDocument.body.dataset.loaded = 'once'")


def expect_the_same_page(page, address):
    expect(page).to_have_url(re.compile(address))
    expect(page.locator("body")).to_have_attribute("data-loaded", "once")


def test_choices_of_results_take_effect_at_once_and_stand_in_the_address_and_the_downloads(page, runs):
    open_page(page, "dataset-results", runs[0].dataset_id)
    bias, export = page.get_by_label("Position bias"), page.locator("#exports a").first
    bias.select_option("raw")
    expect(page).to_have_url(re.compile(r"/results/\?variant=raw$"))
    expect(export).to_have_attribute("href", re.compile("variant=raw"))
    bias.select_option("")
    expect(page).to_have_url(re.compile(r"/results/\??$"))
    bias.select_option("debiased")
    expect_the_same_page(page, "variant=debiased")

    for go, address, value in [
        (page.go_back, r"/results/\??$", ""),
        (page.go_back, "variant=raw", "raw"),
        (page.go_forward, r"/results/\??$", ""),
        (page.go_forward, "variant=debiased", "debiased"),
    ]:
        go()
        expect(page).to_have_url(re.compile(address))
        expect(bias).to_have_value(value)
        page.wait_for_load_state()  # the scripts of a page that is being loaded do not hear of the next step


def test_curve_is_drawn_again_for_another_measure(page, runs):
    open_page(page, "run-curve", runs[0].pk)
    expect(page.locator("figure.chart svg").first).to_be_visible()

    page.get_by_label("Measured by").select_option("accuracy")

    expect(page.locator("figure.chart .ytitle")).to_have_text(re.compile("Accuracy"))
    expect_the_same_page(page, "measure=accuracy")


def test_diagnostics_name_what_cannot_be_left_out(page, runs):
    open_page(page, "run-diagnostics", runs[0].pk)

    page.get_by_text("Leave out", exact=True).click()
    page.get_by_label("Systems left out").fill("nobody")
    page.get_by_label("Systems left out").blur()

    expect(page.get_by_role("alert")).to_contain_text("nobody")
    expect_the_same_page(page, "without_system=nobody")


def test_heading_names_the_two_runs_once_both_are_chosen(page, runs):
    open_page(page, "dataset-compare", runs[0].dataset_id)

    page.get_by_label("Run", exact=True).select_option("")
    expect(page.get_by_text("Choose one of this dataset.")).to_be_visible()
    page.get_by_label("Run", exact=True).select_option(str(runs[0].pk))
    page.get_by_label("Compared with").select_option(str(runs[1].pk))

    expect(page.locator("#results h2").first).to_have_text("Panel · overall · careful and hasty")
    expect_the_same_page(page, f"one={runs[0].pk}&other={runs[1].pk}")


def test_menu_closes_by_escape_and_by_a_click_elsewhere_and_boxes_are_chosen_by_one_click(page, runs):
    page.goto(reverse("dataset-results", args=[runs[0].dataset_id]))
    export, columns = page.locator("#exports summary"), page.get_by_role("group", name="Columns")

    export.click()
    page.keyboard.press("Escape")
    expect(page.locator("#exports details")).not_to_have_attribute("open", "")
    expect(export).to_be_focused()
    export.click()
    page.locator("h1").click()
    expect(page.locator("#exports details")).not_to_have_attribute("open", "")

    page.locator("summary", has_text="Columns").click()
    columns.get_by_role("button", name="All").click()
    expect(page.get_by_role("columnheader", name="Threshold")).to_be_visible()
    expect(columns.get_by_label("Flip rate")).to_be_checked()
    columns.get_by_role("button", name="None").click()
    expect(columns.get_by_label("Flip rate")).not_to_be_checked()
