"""Charts of a study as Chromium draws them: equal panels, folded panels, numbers that can be read."""

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from judging.services.studies.study_changes import create_study
from tests.rankings.studies import compared, make_dataset
from tests.rankings.studies.charts.studies_with_charts import make_grid

pytestmark = pytest.mark.usefixtures("forget_reports")

JUDGES = tuple(f"judge {letter}" for letter in "ABCDEF")
PROMPTS = (*(f"prompt {number}" for number in range(1, 6)), "a prompt with a long name")
PLOT_AREAS = """() => [...document.querySelectorAll("figure.chart")].map((figure) => {
    const area = figure.querySelector(".nsewdrag").getBoundingClientRect();
    const outer = figure.getBoundingClientRect();
    return [area.x - outer.x, area.y - outer.y, area.width, area.height].map(Math.round).join(" ");
})"""
NARROW, WIDE = {"width": 390, "height": 800}, {"width": 1280, "height": 800}


def areas(page, *, are_narrow):
    """Return the different places and sizes of the plots in their charts, when all are drawn for this width."""
    expect(page.locator("figure.chart .legend")).to_have_count(12 if are_narrow else 0)
    return set(page.evaluate(PLOT_AREAS))


def send(page, event):
    page.evaluate("name => { dispatchEvent(new Event(name)); }", event)


def test_panels_have_equal_plot_areas_folded_or_not_on_a_phone_on_a_desktop_and_after_printing(page, sign_in):
    """The curves of 36 runs: four of twelve panels are drawn while they are folded."""
    sign_in("researcher")
    page.goto(reverse("study-curves", args=[make_grid(JUDGES, PROMPTS).pk]))
    last = page.locator("figure.chart").last
    expect(page.locator("figure.chart .nsewdrag")).to_have_count(12)
    expect(last).to_be_hidden()
    page.set_viewport_size(NARROW)

    page.get_by_text("4 more panels").click()
    unfolded = areas(page, are_narrow=True)
    page.set_viewport_size(WIDE)
    wide = areas(page, are_narrow=False)
    page.get_by_text("4 more panels").click()
    page.emulate_media(media="print")
    send(page, "beforeprint")
    expect(page.locator("figure.chart .legend")).to_have_count(12)
    expect(last).to_be_visible()
    page.emulate_media(media="screen")
    send(page, "afterprint")
    expect(last).to_be_hidden()
    page.get_by_text("4 more panels").click()

    assert (len(unfolded), len(wide)) == (1, 1)
    assert areas(page, are_narrow=False) == wide


def test_matrix_has_numbers_in_its_cells_only_where_they_can_be_read(page, sign_in):
    sign_in("researcher")
    dataset = make_dataset()
    runs = [compared(dataset, judge=f"judge {number}") for number in range(15)]
    page.goto(reverse("study-agreement", args=[create_study("Many", runs=runs).pk]))
    number = page.locator("figure.chart .heatmap-label text").first
    expect(number).to_be_visible()

    page.set_viewport_size(NARROW)
    expect(number).to_be_hidden()
    page.set_viewport_size(WIDE)
    expect(number).to_be_visible()
