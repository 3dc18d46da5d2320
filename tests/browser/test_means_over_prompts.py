"""The switch "Mean over prompts" of the results page, in a browser."""

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from tests.browser.looks import faults
from tests.rankings.studies import WORKED_ANSWERS, compared, make_dataset


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
