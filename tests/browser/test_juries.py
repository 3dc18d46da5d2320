"""Juries and abstaining in a browser: made, read and handed to people, with axe and on a phone."""

import re

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from judging.models import Campaign
from judging.services.studies.study_changes import create_study
from rankings.juries.stored_juries import make_jury
from tests.browser.looks import SMALL_PHONE, faults
from tests.browser.voting import DESKTOP
from tests.rankings.abstaining.undecided_pairs import run_with_undecided_pairs
from tests.rankings.agreement.panels import JUDGES, judged, voted_dataset

pytestmark = pytest.mark.usefixtures("forget_reports")


@pytest.fixture
def panel(page, sign_in):
    sign_in("researcher")
    dataset = voted_dataset(contexts=40)
    for name in JUDGES:
        judged(dataset, name)
    return dataset


def test_researcher_makes_a_jury_with_learned_weights(page, panel):
    address = reverse("dataset-juries", args=[panel.pk])
    page.goto(address)
    for box in page.get_by_role("checkbox").all():
        box.check()
    page.get_by_label("learned weights").check()
    page.get_by_label("Name").fill("three judges")
    page.get_by_role("button", name="Make the jury").click()

    expect(page.get_by_text("The jury answered 240 comparisons.")).to_be_visible()
    page.goto(address)
    page.get_by_text("of 3 members").click()
    expect(page.get_by_role("columnheader", name="Weight")).to_be_visible()
    assert faults(page, address) == []


def test_researcher_asks_people_about_pairs_in_doubt(page, sign_in):
    sign_in("researcher")
    run = run_with_undecided_pairs()
    page.goto(reverse("run-results", args=[run.pk]))
    page.get_by_role("link", name="Reliability").click()
    page.get_by_role("link", name="When should it abstain?").click()
    expect(page.locator("figure.chart svg").first).to_be_visible()
    assert faults(page, page.url) == []

    page.get_by_role("button", name="Ask people about").click()

    expect(page.get_by_text("The campaign is ready.")).to_be_visible()
    assert Campaign.objects.get().pair_choice["rule"] == "given"


def test_study_shows_a_jury_among_judges_and_judges_that_read_nothing(page, panel):
    jury = make_jury(name="three judges", run=list(panel.runs.all()), by="majority").run
    study = create_study("With a jury", runs=[*panel.runs.exclude(pk=jury.pk), jury])
    address = reverse("study", args=[study.pk])
    figures = f"{address}?rows=judge&figure=accuracy"

    assert faults(page, figures) == []

    for viewport in (DESKTOP, SMALL_PHONE):
        page.set_viewport_size(viewport)
        page.goto(figures)
        for name in ("Always first", "Longer text", "three judges", *JUDGES):
            row = page.get_by_role("row").filter(has=page.get_by_role("rowheader", name=name, exact=True))
            expect(row.get_by_role("cell").first).to_have_text(re.compile(r"^\s*[0-9.]+"))
