"""Tables of figures in a browser: sorting by a click, and choices that take effect without a reload."""

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from tests.rankings.studies import WORKED_ANSWERS, WORKED_CONTEXTS, compared, make_dataset, with_copies


@pytest.fixture
def dataset(sign_in):
    sign_in("researcher")
    contexts, answers = with_copies(WORKED_CONTEXTS, WORKED_ANSWERS)
    dataset = make_dataset(contexts)
    compared(dataset, answers, judge="one")
    compared(dataset, answers.replace("0.9", "0.2"), judge="two")
    return dataset


def test_click_on_a_heading_sorts_and_stays_in_the_address(page, dataset):
    page.goto(reverse("dataset-results", args=[dataset.pk]) + "?subset=all")
    judges = page.locator("tbody tr:not(.people) th.names a")
    expect(judges).to_have_text(["one", "two"])

    page.locator("thead a[data-sort=judge]").click()
    page.locator("thead a[data-sort=judge]").press("Enter")

    expect(judges).to_have_text(["two", "one"])
    expect(page.locator("thead th.names")).to_have_attribute("aria-sort", "descending")
    assert "sort=-judge" in page.url
    page.reload()
    expect(judges).to_have_text(["two", "one"])


def test_click_on_the_rank_turns_the_lowest_first_round(page, dataset):
    page.goto(reverse("run-scores", args=[dataset.runs.get(judge__name="one").pk]) + "?ranking=win-ratio&sort=score")
    scores = page.get_by_role("region", name="Scores")
    heading = scores.locator("th:has(> a[data-sort=rank])")
    first_names = scores.locator("tbody:first-of-type th.names a")

    orders = []
    for direction in ("ascending", "descending"):
        scores.locator("a[data-sort=rank]").click()
        expect(heading).to_have_attribute("aria-sort", direction)
        orders.append(first_names.all_inner_texts())

    assert orders == [["a", "b", "c"], ["b", "c", "a"]]
    assert "sort=-rank" in page.url


STRIPS = """cells => cells.map(cell => {
    const strip = cell.querySelector("svg.plot").getBoundingClientRect();
    const figure = cell.querySelector(".figure").getBoundingClientRect();
    const mark = cell.querySelector(".reference")?.getBoundingClientRect();
    return {
        width: strip.width,
        beside: Math.abs(strip.right - figure.right) > 1,
        below: strip.top - figure.bottom < 8,
        mark: mark && mark.height / strip.height,
    };
})"""


def test_interval_is_drawn_on_a_strip_of_one_width_that_ends_below_its_number(page, dataset):
    page.goto(reverse("dataset-results", args=[dataset.pk]) + "?subset=all&column=accuracy&column=p_first")

    strips = page.locator("table.figures td:has(svg.plot)").evaluate_all(STRIPS)

    assert {(strip["width"], strip["beside"], strip["below"]) for strip in strips} == {(128, False, True)}
    assert {strip["mark"] for strip in strips} == {1}
