"""Frozen reports: later changes never alter them."""

import base64
import re
from dataclasses import replace

import pytest
from django.urls import reverse

from evenhand.refusals import Refused
from judging.models import Candidate, Comparison, FrozenReport, Judge, Run, Study, Vote
from judging.models.judges import DEMO_MODEL
from judging.services.deletion.row_deletion import delete_row
from judging.services.studies.study_changes import add_runs, create_study
from rankings.frozen.report_content import freeze, table_choice
from rankings.frozen.report_file import content_policy, data_in, freeze_study, report_html
from rankings.report.report_rows import report_rows
from rankings.report.report_table import DEMO_WARNING
from rankings.studies.charts.chart_request import ChartQuery
from rankings.studies.study_choice import runs_of_study
from tests.factories import answer_run, make_judge, make_run, make_user
from tests.rankings.frozen.conftest import two_judges

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def of_module(rows_of_module) -> Study:
    return two_judges(make_user("rosa", "researcher"), contexts=2)


@pytest.fixture
def study(of_module) -> Study:
    return Study.objects.get(pk=of_module.pk)


@pytest.fixture(scope="module")
def plain(of_module) -> str:
    """The file of a report with one table."""
    return frozen(of_module).html


@pytest.fixture(scope="module")
def of_bias(of_module) -> str:
    """The file of a report with a table and the charts of position bias."""
    return with_charts(of_module, "bias").html


def frozen(study: Study, *queries: str) -> FrozenReport:
    runs = runs_of_study(study)
    return freeze_study(study, runs, [table_choice(query, study, runs) for query in queries or ("rows=judge",)])


def change_answer(run: Run) -> None:
    Comparison.objects.filter(pk=run.comparisons.first().pk).update(p_first=0.01)


def test_figures_of_the_file_are_those_of_the_report(study):
    [table] = data_in(frozen(study, "rows=judge&columns=subset&figure=accuracy").html)["tables"]

    rows = report_rows(runs_of_study(study)[0].dataset)
    assert table["pivot"]["rows"] == ["alpha", "beta"]
    assert [line[0]["value"] for line in table["pivot"]["cells"]] == [
        row.accuracy.value for row in rows if row.is_whole
    ]


def test_report_stays_byte_for_byte_when_answers_runs_and_votes_change(study):
    report = frozen(study)
    before = FrozenReport.objects.get(pk=report.pk).html

    change_answer(runs_of_study(study)[0])
    add_runs(study, [answer_run(make_run(runs_of_study(study)[0].dataset, judge=make_judge("gamma")))])
    Vote.objects.update(choice="second")
    study.delete()

    assert FrozenReport.objects.get(pk=report.pk).html == before


def test_report_goes_with_a_run_that_it_shows(study):
    frozen(study)
    run = runs_of_study(study)[0]

    delete_row(run, name=str(run))

    assert not FrozenReport.objects.exists()


def with_charts(study: Study, *queries: str) -> FrozenReport:
    runs = runs_of_study(study)
    charts = [ChartQuery.parse(query) for query in queries]
    return freeze_study(study, runs, [table_choice("rows=judge", study, runs)], charts)


def test_charts_are_pictures_with_their_numbers(study):
    report = with_charts(study, "bias", "curves?measure=accuracy&ranking=win-ratio")

    bias, curves = data_in(report.html)["charts"]
    rows = {row.name.judge: row.p_first.value for row in report_rows(runs_of_study(study)[0].dataset) if row.is_whole}
    frozen_rows = {row["names"][-1]: row["figures"][0]["value"] for row in bias["table"]["rows"]}
    assert rows.items() <= frozen_rows.items()
    assert (bias["query"], curves["query"]) == ("bias", "curves?measure=accuracy&ranking=win-ratio")
    assert report.html.count('src="data:image/svg+xml;base64,') == 2
    assert "img-src data:" in content_policy(report.html)


def downloads_in(html: str, ending: str) -> list[str]:
    """Return the content of every download of a kind."""
    return [
        base64.b64decode(content).decode()
        for content in re.findall(rf'href="data:[\w/-]+;base64,([\w+/=]*)" download="[\w-]+\.{ending}"', html)
    ]


def test_intervals_of_ranks_are_those_of_the_page(client, researcher):
    study = two_judges(researcher, contexts=10, name="Ten", on="Ten")
    page = client.get(reverse("study-systems", args=[study.pk])).content.decode()

    html = with_charts(study, "systems").html

    on_page, frozen_ones = (re.findall(r'<span class="interval">([^<]*)</span>', text) for text in (page, html))
    assert on_page
    assert frozen_ones[-len(on_page) :] == on_page
    assert all(one.startswith("[") for one in on_page)


def test_picture_of_ranks_names_every_judge(study):
    html = with_charts(study, "systems").html

    [picture] = re.findall(r'src="data:image/svg\+xml;base64,([\w+/=]*)"', html)
    texts = re.findall(r"<text[^>]*>([^<]*)</text>", base64.b64decode(picture).decode())
    assert [texts.count(name) for name in ("alpha", "beta")] == [1, 1]


def test_headings_lead_to_nothing_outside_the_file(of_bias):
    assert re.findall(r'<a href="([^"]*)" data-sort="judge"', of_bias) == ["#table-1-section"]
    assert 'href="?' not in of_bias


def test_methods_cite_authors_and_list_references(researcher):
    html = frozen(two_judges(researcher, contexts=3, name="Three", on="Three")).html

    methods = html[html.index("<h2>Methods</h2>") : html.index("<summary>BibTeX")]
    assert "[@" not in methods
    assert "(Efron and Tibshirani, 1993)" in methods
    assert (
        "<li>B. Efron and R. J. Tibshirani (1993). An Introduction to the Bootstrap. Chapman and Hall.</li>" in methods
    )


def test_warnings_travel_into_page_and_latex(study, plain):
    """Both judges answer every question alike, on two contexts, and one is the demo judge."""
    demo = Judge.objects.get(model=DEMO_MODEL)
    add_runs(study, [answer_run(make_run(runs_of_study(study)[0].dataset, judge=demo))])

    html = frozen(study).html

    [latex] = downloads_in(html, "tex")
    assert DEMO_WARNING not in plain
    for text in (html, latex):
        assert DEMO_WARNING in text
        assert "Rests on 2 contexts: all runs." in text
        assert "Failed trust checks: enough contexts (all runs)" in text


def test_methods_describe_what_the_tables_hold(study):
    queries = {name: f"rows=judge&figure={name}" for name in ("accuracy", "p_first", "spearman")}
    reports = {name: data_in(frozen(study, query).html) for name, query in queries.items()}
    methods = {name: report["methods"][0]["text"]["markdown"] for name, report in reports.items()}

    assert {name: "Accuracy is the share" in text for name, text in methods.items()} == {
        "accuracy": True,
        "p_first": False,
        "spearman": False,
    }
    assert not any("Debiased" in text for text in methods.values())


def test_latex_has_the_heading_as_caption(of_bias):
    table, chart = downloads_in(of_bias, "tex")

    assert "\\caption{Accuracy}" in table
    assert "\\caption{Position bias}" in chart


def test_files_of_a_table_name_all_dimensions_of_its_rows(study):
    html = frozen(study, "rows=judge,prompt&columns=attribute").html

    [table] = downloads_in(html, "csv")
    assert table.splitlines()[0].split(",")[:2] == ["judge", "prompt"]


def test_numbers_of_answers_have_separators(study):
    run = runs_of_study(study)[0]
    content = freeze(study, [run], [table_choice("rows=judge", study, [run])])
    [stamp] = content.content.certificate.runs
    many = replace(content.content.certificate, runs=[replace(stamp, answered=24000)])

    html = report_html(replace(content, content=replace(content.content, certificate=many)))

    assert '<td class="num">24,000</td>' in html


@pytest.mark.parametrize(
    ("query", "problem"),
    [
        ("curve", 'chart: "curve" is unknown (did you mean "curves"?)'),
        ("bias?rankin=x", "chart: bias, rankin: unknown"),
        ("curves?ranking=x", 'chart: curves, ranking: "x" is unknown'),
        ("coverage?judge=nobody", 'chart: coverage, judge: "nobody" is unknown'),
    ],
)
def test_wrong_chart_is_refused_with_the_reason(study, query, problem):
    with pytest.raises(Refused) as refused:
        with_charts(study, query)

    assert problem in str(refused.value)


def test_certificate_changes_with_a_vote(study, plain):
    [before] = data_in(plain)["certificate"]["votes"]
    Vote.objects.filter(pk=Vote.objects.first().pk).update(choice="second")

    [after] = data_in(frozen(study).html)["certificate"]["votes"]

    assert (before["votes"], after["votes"]) == (2, 2)
    assert before["sha256"] != after["sha256"]


def test_certificate_does_not_depend_on_the_order_in_which_answers_were_stored(study, plain):
    run = runs_of_study(study)[0]
    [before, _] = data_in(plain)["certificate"]["runs"]
    moved = run.comparisons.first()
    moved.delete()
    moved.pk = None
    moved.save()

    [after, _] = data_in(frozen(study).html)["certificate"]["runs"]

    assert before["answers_sha256"] == after["answers_sha256"]


def test_file_names_no_annotator_and_loads_nothing(plain):
    assert "ann" not in re.findall(r"\b\w+\b", plain.replace("annotator", ""))
    assert re.findall(r'(?:src|href)="(?!#|data:|\?)[^"]*"', plain) == []
    assert "@import" not in plain
    assert "url(" not in plain


def test_policy_of_the_file_allows_its_own_style_and_script_only(plain):
    policy = content_policy(plain)

    assert "unsafe" not in policy
    assert len(re.findall(r"'sha256-[\w+/=]{44}'", policy)) == 2


@pytest.mark.parametrize(
    ("query", "problem"),
    [
        ("figur=accuracy", 'table: figur: unknown (did you mean "figure"?)'),
        ("level=deep", 'table: level: "deep" is unknown; choose one of: per_context, pooled, system'),
        ("figure=beauty", 'table: figure: "beauty" is unknown; choose one of: accuracy'),
        ("judge=nobody", 'only: no run has the judge "nobody"'),
    ],
)
def test_wrong_table_is_refused_with_the_reason(study, query, problem):
    with pytest.raises(Refused) as refusal:
        frozen(study, query)

    assert str(refusal.value).startswith(problem)


def test_study_without_runs_is_refused():
    with pytest.raises(Refused, match='study: "Empty" has no runs yet'):
        frozen(create_study("Empty"))


def test_candidates_are_not_in_the_file(study, plain):
    [*texts] = Candidate.objects.filter(context__dataset=study.runs.first().dataset).values_list("text", flat=True)

    assert len(texts) == 6
    assert [text for text in texts if text in plain] == []
