"""The table of a study in a browser: its switches, and how it is printed."""

import re

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from judging.models import Comparison
from judging.services.studies.study_changes import create_study
from tests.browser.looks import violations_in_both_schemes
from tests.browser.page_addresses import worked_runs
from tests.rankings.studies import compared, make_dataset
from tests.rankings.studies.charts.studies_with_charts import make_study

pytestmark = pytest.mark.usefixtures("forget_reports")


@pytest.fixture
def address(page, sign_in):
    """The page of a study with two judges."""
    sign_in("researcher")
    return reverse("study", args=[create_study("Table 1", runs=worked_runs()).pk])


def test_switches_change_the_page_and_the_address_and_hold_for_every_tab_without_a_new_page(page, address):
    page.goto(address)
    expect(page.locator(".lede")).to_contain_text("GPT leads on all contexts: accuracy")
    page.locator("body").evaluate("body => { body.dataset.loaded = 'once'; }")

    page.get_by_label("Figure").select_option("p_first")
    expect(page.locator(".lede")).to_contain_text("P(first) on all contexts")
    expect(page).to_have_url(re.compile("figure=p_first"))
    page.get_by_label("Bias").select_option("debiased")
    expect(page).to_have_url(re.compile("debias=yes"))
    expect(page.locator("body")).to_have_attribute("data-loaded", "once")

    tabs = page.locator(":is(.tabs, .sections)")
    addresses = tabs.locator("a").evaluate_all("links => links.map(link => link.href)")
    assert [one for one in addresses if "debias=yes" not in one] == []
    tabs.get_by_role("link", name="Judges", exact=True).click()
    expect(page).to_have_url(re.compile("debias=yes"))
    tabs.get_by_role("link", name="Table", exact=True).click()
    expect(page.get_by_label("Bias", exact=True)).to_have_value("yes")


CHANGE = """(field, value) => {
    field.value = value;
    field.dispatchEvent(new Event("change", { bubbles: true }));
}"""

CHANGE_AS_SOON_AS_THE_FORM_IS_NEW = """(body, [name, value]) => {
    body.addEventListener("htmx:afterSwap", () => setTimeout(() => {
        const field = document.querySelector(`select[name="${name}"]`);
        field.value = value;
        field.dispatchEvent(new Event("change", { bubbles: true }));
    }), { once: true });
}"""


def test_second_switch_holds_while_the_first_is_on_its_way(page, address):
    page.route(re.compile(r"/systems/\?debias=yes$"), lambda route: None)  # never answered
    page.goto(f"{address}systems/")

    page.get_by_label("Bias").evaluate(CHANGE, "yes")
    page.get_by_label("Ranking").evaluate(CHANGE, "win-ratio")

    expect(page).to_have_url(re.compile("ranking=win-ratio.*debias=yes"))
    expect(page.get_by_label("Bias", exact=True)).to_have_value("yes")
    expect(page.get_by_label("Ranking", exact=True)).to_have_value("win-ratio")


def test_second_switch_holds_in_the_moment_in_which_the_first_arrives(page, address):
    page.goto(f"{address}systems/")
    page.locator("body").evaluate(CHANGE_AS_SOON_AS_THE_FORM_IS_NEW, ["ranking", "win-ratio"])

    page.get_by_label("Bias").evaluate(CHANGE, "yes")

    expect(page).to_have_url(re.compile("ranking=win-ratio.*debias=yes"))
    expect(page.get_by_label("Ranking", exact=True)).to_have_value("win-ratio")


def test_back_and_forward_show_the_chart_in_its_place_with_its_choices(page, address):
    page.goto(f"{address}systems/")
    page.get_by_label("Ranking").select_option("win-ratio")
    expect(page).to_have_url(re.compile("ranking=win-ratio"))

    page.go_back()
    expect(page).not_to_have_url(re.compile("ranking="))
    expect(page.get_by_label("Ranking")).to_have_value("bradley-terry")
    page.go_forward()
    expect(page).to_have_url(re.compile("ranking=win-ratio"))
    expect(page.get_by_label("Ranking")).to_have_value("win-ratio")

    figure, drawing = page.locator("figure.chart"), page.locator("figure.chart svg.main-svg").first
    expect(drawing).to_be_visible()
    outer, inner = figure.bounding_box(), drawing.bounding_box()
    assert (inner["x"] >= outer["x"], inner["y"] >= outer["y"]) == (True, True)


def test_slider_reads_all_curves_at_another_budget(page, address):
    page.goto(f"{address}curves/")
    expect(page.locator("figure.chart svg").first).to_be_visible()

    page.get_by_label("Budget").fill("3")

    expect(page.get_by_role("link", name="at 3", exact=True)).to_be_visible()
    expect(page.locator("figure.chart svg").first).to_be_visible()
    expect(page).to_have_url(re.compile("budget=3"))


def test_printed_chart_is_no_higher_than_a_page(page, sign_in):
    sign_in("researcher")
    study = make_study(*(f"judge {number}" for number in range(20)))
    page.goto(reverse("study-agreement", args=[study.pk]))
    drawn = page.locator("figure.chart svg.main-svg").first
    expect(drawn).to_have_attribute("height", "800")

    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")

    expect(drawn).to_have_attribute("height", "560")
    expect(page.locator("form.controls")).to_be_hidden()
    expect(page.get_by_role("navigation", name="Pages of the study")).to_be_hidden()


def test_printed_results_list_the_runs_that_failed_a_check_though_they_are_folded(page, sign_in):
    sign_in("researcher")
    dataset = make_dataset()
    runs = [compared(dataset, judge=f"judge {number}") for number in range(6)]
    Comparison.objects.filter(run__in=runs).update(outcome="unparsed", p_first=None)
    page.goto(reverse("dataset-results", args=[dataset.pk]))
    listed = page.locator("details", has_text="Few unparsed answers: failed by 6 of 6 runs").locator("li")
    expect(listed.first).to_be_hidden()

    page.emulate_media(media="print")

    expect(listed).to_have_count(6)
    expect(listed.last).to_be_visible()


def test_table_of_a_new_study_follows_the_ticked_runs_before_the_study_has_a_name(page, address):
    page.goto(f"{reverse('study-new')}?method=comparative")
    table = page.get_by_role("region", name="Table of the study")
    page.get_by_role("checkbox", name="run").nth(0).check()
    expect(table).to_be_visible()
    one = table.get_by_role("row").count()

    page.get_by_role("checkbox", name="All").check()

    expect(table.get_by_role("row")).not_to_have_count(one)
    assert violations_in_both_schemes(page) == []
    page.get_by_label("Name", exact=True).fill("Mine")
    page.get_by_role("button", name="Create study").click()
    expect(page.get_by_role("heading", name="Mine")).to_be_visible()
