"""The figures of a study's tabs by command and API: those of the pages, over runs that the caller may see."""

import csv
import io
import json

import pytest
from django.urls import reverse
from rest_framework.test import APIClient

from judging.models import Run, Study
from judging.services.studies.study_changes import create_study
from rankings.studies.charts.chart_request import CHART_TABS
from tests.commands import printed, printed_json, refused
from tests.factories import make_user
from tests.rankings.pages import hide, read
from tests.rankings.studies import make_dataset
from tests.rankings.studies.charts.studies_with_charts import cells_by_row, contexts_with_systems, judged, make_study

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("researcher")]


@pytest.fixture(scope="module")
def of_module(rows_of_module):
    """Two judges of texts that name systems, and a run outside of the study."""
    dataset = make_dataset(contexts_with_systems())
    judged(dataset, "outsider", 2)
    return create_study("Systems", runs=[judged(dataset, "GPT"), judged(dataset, "Llama", 1)])


@pytest.fixture
def study(of_module):
    return Study.objects.get(pk=of_module.pk)


@pytest.fixture
def api():
    client = APIClient()
    client.force_authenticate(make_user("ada", "researcher"))
    return client


def figures(api, study, **query):
    return api.get(reverse("api-study-figures", args=[study.pk]), query)


def values_by_row(report):
    """Return row -> column -> number, of figures with a value."""
    return {
        row["names"][-1]: {
            column["name"]: figure["value"]
            for column, figure in zip(report["columns"], row["figures"], strict=True)
            if figure and figure["value"] is not None
        }
        for row in report["rows"]
    }


@pytest.mark.parametrize("tab", [tab for tab in CHART_TABS if tab != "matrix"])
def test_numbers_of_the_command_are_those_of_the_page(client, study, capsys, tab):
    report = printed_json(capsys, "study_figures", "Systems", "--tab", tab)

    on_page = cells_by_row(read(client, f"study-{tab}", study))
    assert values_by_row(report) == {name: pytest.approx(cells, rel=1e-8) for name, cells in on_page.items()}
    assert report["runs"] == list(study.runs.order_by("pk").values_list("pk", flat=True))


@pytest.mark.parametrize("tab", CHART_TABS)
def test_api_returns_the_json_of_the_command(api, study, capsys, tab):
    assert figures(api, study, tab=tab).json() == printed_json(capsys, "study_figures", "Systems", "--tab", tab)


@pytest.mark.parametrize("tab", CHART_TABS)
def test_points_are_those_of_the_files_of_the_charts(client, study, capsys, tab):
    charts = printed_json(capsys, "study_figures", "Systems", "--tab", tab)["charts"]

    assert charts
    for chart in charts:
        file = client.get(reverse(f"study-{tab}", args=[study.pk]), {"picture": f"{chart['name']}.csv"})
        rows = list(csv.DictReader(io.StringIO(file.getvalue().decode())))
        points = [{**point, "x": point.get("column", point["x"])} for point in chart["points"]]
        assert [{name: _text(point[name]) for name in rows[0]} for point in points] == rows


def _text(value):
    return "" if value is None else str(value)


def test_choices_hold_in_command_and_api(client, api, study, capsys):
    chosen = printed_json(capsys, "study_figures", "Systems", "--tab", "bias", "--judge", "Llama")

    assert list(values_by_row(chosen)) == ["Llama"]
    assert chosen["choices"]["judge"] == "Llama"
    debiased = figures(api, study, tab="calibration", debias="true").json()
    assert values_by_row(debiased) == {
        name: pytest.approx(cells, rel=1e-8)
        for name, cells in cells_by_row(read(client, "study-calibration", study, debias="yes")).items()
    }
    assert debiased["rows"] != figures(api, study, tab="calibration", debias="false").json()["rows"]


def test_runs_may_be_chosen_by_names_that_they_share(study, capsys):
    every = printed_json(capsys, "study_figures", "Systems", "--tab", "bias")

    named = printed_json(capsys, "study_figures", "Systems", "--tab", "bias", "--attribute", "overall", "--seed", "0")

    assert named == every


def test_figures_without_a_value_have_their_reason(study, capsys):
    rows = printed_json(capsys, "study_figures", "Systems", "--tab", "systems")["rows"]

    assert {figure["undefined"] for row in rows for figure in row["figures"] if figure["value"] is None} == {
        "an interval of this figure needs at least ten contexts"
    }


def test_tab_without_a_chart_says_why(capsys):
    make_study("GPT")

    report = printed_json(capsys, "study_figures", "Charts", "--tab", "systems")

    assert (report["charts"], report["undefined"]) == ([], "the texts of the dataset name no systems, or only one")


def test_study_without_runs_says_so(api, capsys):
    study = create_study("Empty")

    report = printed_json(capsys, "study_figures", "Empty", "--tab", "bias")

    assert (report["rows"], report["undefined"]) == ([], "the study has no runs yet")
    assert figures(api, study, tab="bias").json() == report


def test_table_is_printed_and_sent_in_the_formats_of_the_page(api, client, study, capsys):
    file = client.get(reverse("study-bias", args=[study.pk]), {"table": "csv"}).getvalue().decode()

    assert printed(capsys, "study_figures", "Systems", "--tab", "bias", "--csv") == file
    assert figures(api, study, tab="bias", table="csv").getvalue().decode() == file
    assert "\\toprule" in printed(capsys, "study_figures", "Systems", "--tab", "bias", "--latex")
    assert "GPT is furthest from" in printed(capsys, "study_figures", "Systems", "--tab", "bias")


def test_wrong_choices_are_refused_with_those_that_the_tab_has(api, study, capsys):
    for tab, ranking in (("bias", "win-ratio"), ("systems", "best")):
        problems = refused(capsys, "study_figures", "Systems", "--tab", tab, "--ranking", ranking)
        answer = figures(api, study, tab=tab, ranking=ranking)

        assert (answer.status_code, answer.json()["problems"]) == (400, problems)
        wrong = (
            "ranking: unknown; there are: dataset" if tab == "bias" else 'ranking: "best" is unknown; choose one of: '
        )
        assert problems[0].startswith(wrong)
    assert (
        figures(api, study, tab="bios")
        .json()["problems"][0]
        .startswith('tab: "bios" is unknown (did you mean "bias"?)')
    )
    assert figures(api, study, tab="bias", colour="red").json()["problems"][0].startswith("colour: unknown")
    assert figures(api, study).json()["problems"] == ["tab: needed"]


def test_api_leaves_out_runs_of_somebody_else(api, study):
    hide(Run.objects.get(judge__name="Llama"))
    study.owner = make_user("olga", "researcher")
    study.save()

    assert figures(api, study, tab="bias").status_code == 404
    api.force_authenticate(study.owner)
    answer = figures(api, study, tab="bias")
    assert (list(values_by_row(answer.json())), "Llama" in json.dumps(answer.json())) == (["GPT"], False)
