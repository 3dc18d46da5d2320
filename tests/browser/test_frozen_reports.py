"""A frozen report in a real browser: without an account, under its own policy, and offline from a file."""

import pytest
from playwright.sync_api import expect

from judging.models import FrozenReport
from judging.services.studies.study_changes import create_study
from rankings.frozen.report_content import table_choice
from rankings.frozen.report_file import freeze_study
from rankings.studies.charts.chart_request import ChartQuery
from rankings.studies.study_choice import runs_of_study
from tests.factories import answer_run, make_dataset, make_judge, make_run


@pytest.fixture
def report() -> FrozenReport:
    """Accuracy and P(first) of two judges."""
    dataset = make_dataset(candidates=(4, 4))
    runs = [
        answer_run(make_run(dataset, judge=make_judge(name)), p_first=p_first)
        for name, p_first in (("alpha", 0.8), ("beta", 0.3))
    ]
    study = create_study("Two judges", runs=runs)
    choices = [table_choice(f"rows=judge&figure={figure}", study, runs) for figure in ("accuracy", "p_first")]
    return freeze_study(study, runs_of_study(study), choices)


def first_judges(page) -> tuple[str, str]:
    """Return the judge in the first row before and after the table is sorted by judge, downwards."""
    first = page.locator("#table-2-section tbody tr th").first
    before = first.inner_text()
    for _ in range(2):
        page.locator("#table-2-section thead a[data-sort='judge']").click()
    return before, first.inner_text()


def test_link_shows_the_report_to_a_visitor_and_its_file_opens_without_a_network(page, report, tmp_path):
    """Their tables sort by a click, under the policy of each."""
    page.goto(report.get_absolute_url())
    expect(page.get_by_role("heading", name="Certificate")).to_be_visible()
    from_the_link = first_judges(page)
    file = tmp_path / "report.html"
    file.write_text(report.html)
    page.context.set_offline(True)

    page.goto(file.as_uri())

    expect(page.get_by_role("heading", name="Two judges")).to_be_visible()
    assert (from_the_link, first_judges(page), page.url) == (("alpha", "beta"), ("alpha", "beta"), file.as_uri())
    with page.expect_download() as download:
        page.locator("#table-1-section").get_by_role("link", name="CSV").click()
    assert "alpha" in download.value.path().read_text()


SCROLLS = "(box) => [box.scrollHeight > box.clientHeight + 1, box.scrollWidth > box.clientWidth + 1]"


@pytest.fixture
def matrix() -> FrozenReport:
    """A comparison matrix of ten systems by two judges."""
    dataset = make_dataset(candidates=(10, 10))
    runs = [
        answer_run(make_run(dataset, judge=make_judge(name)), p_first=p_first)
        for name, p_first in (("gamma", 0.8), ("delta", 0.3))
    ]
    study = create_study("Ten systems", runs=runs)
    tables = [table_choice("rows=judge&figure=p_first", study, runs)]
    return freeze_study(study, runs_of_study(study), tables, [ChartQuery("matrix")])


def test_nothing_scrolls_inside_the_tables_of_a_report(page, matrix):
    page.goto(matrix.get_absolute_url())
    tables = page.locator(".scroll.figures")
    expect(tables).to_have_count(2)

    for width in (390, 1280):
        page.set_viewport_size({"width": width, "height": 600})
        assert [one.evaluate(SCROLLS) for one in tables.all()] == [[False, False]] * 2
