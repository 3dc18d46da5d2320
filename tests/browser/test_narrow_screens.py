"""Pages on a phone and on paper: the answer stands high, nothing is clipped, and folds open by keyboard."""

import re

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from judging.services.studies.study_changes import create_study
from tests.browser.looks import OPEN, violations
from tests.browser.voting import DESKTOP, PHONE
from tests.rankings.studies import WORKED_ANSWERS, compared, make_dataset
from tests.rankings.studies.charts.studies_with_charts import make_study

pytestmark = pytest.mark.usefixtures("forget_reports")
UPPER_HALF = 420  # pixels
FULL_HEIGHT = "frame => [frame.scrollHeight - frame.clientHeight, frame.scrollWidth - frame.clientWidth]"


@pytest.fixture
def run(sign_in):
    owner = sign_in("researcher")
    dataset = make_dataset()
    runs = [compared(dataset, judge="GPT"), compared(dataset, WORKED_ANSWERS.replace("0.9", "0.2"), judge="Llama")]
    create_study("Table 1", owner=owner, runs=runs)
    return runs[0]


@pytest.fixture
def study(run):
    return reverse("study", args=[run.studies.get().pk])


def top_of(locator):
    return locator.bounding_box()["y"]


def test_first_figures_stand_in_the_upper_half_of_a_phone(page, study, run):
    page.set_viewport_size(PHONE)

    page.goto(study)
    assert top_of(page.locator(".lede")) < UPPER_HALF
    page.goto(reverse("run-results", args=[run.pk]))
    assert top_of(page.locator(".headline-figures .value").first) < UPPER_HALF


def test_menu_and_choices_of_a_phone_open_by_keyboard_and_pass_axe(page, study):
    page.set_viewport_size(PHONE)
    page.goto(study)
    menu, choices = page.locator("summary", has_text="Menu"), page.locator("summary", has_text="Choices")
    expect(page.get_by_role("link", name="Datasets")).to_be_hidden()
    expect(page.get_by_label("Figure")).to_be_hidden()

    choices.press("Enter")
    page.get_by_label("Figure").select_option("p_first")
    expect(page).to_have_url(re.compile("figure=p_first"))
    expect(page.get_by_label("Figure")).to_be_visible()
    menu.press("Enter")

    expect(page.get_by_role("link", name="Datasets")).to_be_visible()
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


def test_wide_screen_has_neither_fold(page, study):
    page.set_viewport_size(DESKTOP)
    page.goto(study)

    expect(page.get_by_role("link", name="Datasets")).to_be_visible()
    expect(page.get_by_label("Figure")).to_be_visible()
    expect(page.locator("summary", has_text=re.compile("Menu|Choices")).first).to_be_hidden()
    page.locator(".narrow-fold").evaluate_all(OPEN)
    assert violations(page) == []


def test_reference_rows_stand_last_on_the_cards_of_a_phone(page, study):
    page.set_viewport_size(PHONE)
    page.goto(study)

    tops = page.locator("tbody tr:not(.section)").evaluate_all(
        "rows => rows.map(row => [row.getBoundingClientRect().top, row.matches('.people')])"
    )

    assert [is_people for _, is_people in sorted(tops)] == [False, False, True, True, True]


def test_table_of_thirty_rows_is_drawn_whole(page, sign_in):
    sign_in("researcher")
    study = make_study(*(f"judge {number}" for number in range(28)))

    for size in (DESKTOP, PHONE):
        page.set_viewport_size(size)
        page.goto(reverse("study", args=[study.pk]))
        frame = page.locator(".scroll.figures")
        expect(frame.locator("tbody tr:not(.section)")).to_have_count(30)
        assert frame.evaluate(FULL_HEIGHT) == [0, 0]


def test_longer_table_scrolls_in_its_frame_but_not_on_a_phone_and_on_paper(page, sign_in):
    sign_in("researcher")
    study = make_study(*(f"judge {number}" for number in range(31)))
    page.goto(reverse("study", args=[study.pk]))
    frame = page.locator(".scroll.figures")

    assert frame.evaluate(FULL_HEIGHT)[0] > 0
    page.emulate_media(media="print")
    assert frame.evaluate(FULL_HEIGHT)[0] == 0
    page.emulate_media(media="screen")
    page.set_viewport_size(PHONE)
    assert frame.evaluate(FULL_HEIGHT) == [0, 0]


def test_agreement_with_people_is_whole_on_a_phone(page, run):
    page.set_viewport_size(PHONE)
    page.goto(reverse("run-answers", args=[run.pk]))

    frames = page.locator(".verdicts .scroll")

    assert {tuple(size) for size in frames.evaluate_all(f"frames => frames.map({FULL_HEIGHT})")} == {(0, 0)}


def test_printed_page_names_its_choices(page, study):
    page.goto(f"{study}?figure=accuracy&debias=yes&order=given")
    line = page.locator(".print-only")
    expect(line).to_be_hidden()

    page.emulate_media(media="print")

    expect(line).to_be_visible()
    expect(line).to_have_text(re.compile(r"Figure: Accuracy · Bias: debiased · .*Unparsed: excluded.* \d+ \w+ 20\d\d$"))
