"""The switch "Mean over prompts" of the results page, and experts of the page of curves, in a browser."""

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from tests.browser.looks import faults, violations_in_both_schemes
from tests.rankings.studies import WORKED_ANSWERS, compared, make_dataset

pytestmark = pytest.mark.django_db(transaction=True)


def with_prompt(prompt, answers=WORKED_ANSWERS):
    """Add a prompt's name to recorded answers."""
    head, *lines = answers.splitlines()
    return "\n".join([f"{head},prompt", *(f"{line},{prompt}" for line in lines)]) + "\n"


@pytest.fixture
def dataset(sign_in):
    sign_in("researcher")
    dataset = make_dataset()
    for judge in ("one", "two"):
        compared(dataset, with_prompt("plain"), judge=judge)
        compared(dataset, with_prompt("strict", WORKED_ANSWERS.replace("0.9", "0.2")), judge=judge)
    return dataset


def test_switch_shows_means_in_the_address_and_in_exports(page, dataset):
    address = reverse("dataset-results", args=[dataset.pk])
    page.goto(f"{address}?subset=all")

    page.locator("form.controls summary", has_text="Runs").click()
    page.get_by_label("Mean over prompts").check()

    rows = page.locator("tbody tr:not(.people) th.names")
    expect(rows).to_have_count(2)
    expect(rows.first).to_contain_text(f"runs {', '.join(str(run.pk) for run in dataset.runs.order_by('pk')[:2])}")
    assert "over_prompts=on" in page.url
    expect(page.locator("#exports a[href*='over_prompts=on']").first).to_be_attached()
    assert faults(page, page.url) == []


def test_expert_is_drawn_from_its_field(page, dataset):
    page.goto(reverse("run-curve", args=[dataset.runs.first().pk]))
    page.locator("form.controls summary", has_text="Experts of your own").click()

    page.get_by_label("Experts of your own").fill("own=p*d - logaddexp(0, d)")
    page.get_by_label("Experts of your own").press("Tab")

    expect(page.locator("#results code", has_text="own=p*d")).to_be_visible()
    assert "expert=own" in page.url
    assert violations_in_both_schemes(page) == []
