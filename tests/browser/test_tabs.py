"""The tabs of a study and of a run: they stay where they are from one to the next."""

import pytest
from django.urls import reverse

from judging.services.studies.study_changes import create_study
from tests.browser.looks import SMALL_PHONE
from tests.browser.voting import DESKTOP
from tests.rankings.studies import WORKED_ANSWERS, compared, make_dataset

pytestmark = pytest.mark.usefixtures("forget_reports")

PLACE = """() => {
    const tabs = document.querySelector("main .tabs").getBoundingClientRect();
    const current = document.querySelector("main .tabs [aria-current]").getBoundingClientRect();
    const inView = tabs.left <= current.left && current.right <= tabs.right + 1;
    return [tabs.left, tabs.top + scrollY, tabs.width, getComputedStyle(document.querySelector("h1")).fontSize, inView];
}"""


@pytest.fixture
def runs(page, sign_in):
    owner = sign_in("researcher")
    dataset = make_dataset()
    runs = [compared(dataset, judge="GPT"), compared(dataset, WORKED_ANSWERS.replace("0.9", "0.2"), judge="Llama")]
    for run in runs:
        run.owner = owner
        run.save()
    return runs


@pytest.fixture
def study(runs):
    return reverse("study", args=[create_study("Table 1", owner=runs[0].owner, runs=runs).pk])


@pytest.fixture
def dataset(runs):
    return runs[0].dataset.get_absolute_url()


@pytest.fixture
def results(runs):
    return reverse("run-results", args=[runs[0].pk])


LINKS = "links => links.map(link => [link.innerText, link.href, link.ariaCurrent === 'page'])"


def open_page(page, address):
    """Open a page without waiting for its charts: they stand below the tabs."""
    page.goto(address, wait_until="domcontentloaded")


def places(page, address):
    """Return page -> where its tabs stand, how large the title is, and whether the tab itself is in view.

    Of each tab and section, on a phone that loads the page, and once its window is as wide as a desktop.
    """
    open_page(page, address)
    on_phone, on_desktop = {}, {}
    for title, tab, _ in page.locator("main .tabs a").evaluate_all(LINKS):
        page.set_viewport_size(SMALL_PHONE)
        open_page(page, tab)
        opened, sections = page.url, page.locator("main .sections a").evaluate_all(LINKS)
        for section, href, is_current in sections or [("", tab, True)]:
            page.set_viewport_size(SMALL_PHONE)
            if not is_current or page.url != opened:
                open_page(page, href)
            on_phone[title, section] = tuple(page.evaluate(PLACE))
            page.set_viewport_size(DESKTOP)
            on_desktop[title, section] = tuple(page.evaluate(PLACE))
    return on_phone, on_desktop


@pytest.mark.parametrize(
    ("pages", "n_pages", "tabs"),
    [
        ("study", 13, ["Table", "Curves", "Bias", "Judges", "Systems", "Runs", "Reports"]),
        ("results", 15, ["Results", "Answers", "Scores", "Reliability", "Set-up"]),
        ("dataset", 15, ["Data", "Results", "People", "Checks"]),
    ],
)
def test_tabs_stand_at_one_place_on_all_of_their_pages(page, request, pages, n_pages, tabs):
    for found in places(page, request.getfixturevalue(pages)):
        assert len(found) == n_pages
        assert list(dict.fromkeys(title for title, _ in found)) == tabs
        first = next(iter(found.values()))
        assert {title: place for title, place in found.items() if place != first} == {}
        assert first[-1] is True


def test_page_of_a_run_has_its_title_where_its_results_have_it(page, runs, results):
    lefts = []
    for address in (runs[0].get_absolute_url(), results):
        open_page(page, address)
        title = page.get_by_role("heading", level=1)
        lefts.append(title.evaluate("title => [title.getBoundingClientRect().left, getComputedStyle(title).fontSize]"))

    assert lefts[0] == lefts[1]
