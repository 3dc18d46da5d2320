"""Figures over HTTP: the same as everywhere."""

import pytest
from django.urls import reverse
from rest_framework import serializers

from judging.web.report_schema import serializer_of
from rankings.agreement.agreement_row import AgreementReport
from rankings.audits.audit_report import AuditReport
from rankings.compare.comparison_of_runs import AllCompared, RunsCompared
from rankings.curves.curve_records import CurveChoice, CurveReport
from rankings.diagnostics.diagnostics_row import Diagnostics
from rankings.report.report_row import ReportRow
from rankings.scores.score_rows import ScoreRow
from tests.factories import make_user
from tests.rankings.report.report_figures import (
    agreement_json,
    audit_json,
    curve_json,
    diagnostics_json,
    differences_json,
    groups_json,
    report_json,
    scores_json,
)
from tests.rankings.studies import compared, make_dataset, scored

RowSerializer = serializer_of(ReportRow)

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def run(rows_of_module):
    return compared(make_dataset())


def test_report_of_a_run_is_that_of_the_command(run, client, researcher):
    assert client.get(f"/api/runs/{run.pk}/report/").json() == {"rows": report_json(run.dataset)}


CHOICE = {"column": ["judge", "accuracy"], "subset": "all", "digits": 0, "interval": "none"}


@pytest.mark.parametrize("ending", ["tex", "md", "html", "csv"])
def test_table_of_a_dataset_is_that_of_the_page(run, client, researcher, ending):
    api = client.get(f"/api/datasets/{run.dataset_id}/report/", CHOICE | {"table": ending})
    page = client.get(reverse("dataset-report", args=[run.dataset_id, ending]), CHOICE)

    assert api.getvalue() == page.getvalue()
    assert api["Content-Type"] == page["Content-Type"]


def test_table_of_a_run_has_the_columns_of_its_page(run, client, researcher):
    text = client.get(f"/api/runs/{run.pk}/report/", {"table": "csv"}).getvalue().decode()

    assert text.startswith("subset,answers,unparsed,errors,accuracy.value,")


def test_table_with_unknown_choices_is_refused(run, client, researcher):
    wrong = {"table": "doc", "column": "precision", "digits": 9}

    response = client.get(f"/api/datasets/{run.dataset_id}/report/", wrong)

    assert response.status_code == 400
    assert [problem.split(":")[0] for problem in response.json()["problems"]] == ["table", "column", "digits"]


def test_table_of_an_unknown_subset_is_refused(run, client, researcher):
    response = client.get(f"/api/runs/{run.pk}/report/", {"table": "csv", "subset": "hard"})

    assert response.json()["problems"] == ['subset: there is no "hard"; there are: all, scored, voted']


def fields_of(serializer) -> object:
    """The names of the fields that a serializer describes, with those of their parts."""
    if isinstance(serializer, serializers.ListSerializer):
        return fields_of(serializer.child)
    if isinstance(serializer, serializers.Serializer):
        return {name: fields_of(field) for name, field in serializer.fields.items()}
    if isinstance(serializer, serializers.DictField):
        return {"*": fields_of(serializer.child)} if isinstance(serializer.child, serializers.Serializer) else None
    return None


def undescribed(described, row, path="row"):
    """Return the fields that only a row or only its description has."""
    if isinstance(row, list):
        return [one for entry in row for one in undescribed(described, entry, path)]
    if not isinstance(row, dict) or described is None:
        return []
    if "*" in described:
        described = dict.fromkeys(row, described["*"])
    only_one = [f"{path}.{name}" for name in set(described) ^ set(row)]
    both = [
        one for name in set(described) & set(row) for one in undescribed(described[name], row[name], f"{path}.{name}")
    ]
    return only_one + both


def test_every_field_of_a_report_row_is_described_and_the_other_way_round(run):
    scored(run.dataset, "context,attribute,candidate,score\nc0,overall,a,5\nc0,overall,b,\n")
    rows = report_json(run.dataset)

    differences = [one for row in rows for one in undescribed(fields_of(RowSerializer()), row)]

    optional = (
        "undefined",
        "hold_out",
        "over_candidates",
        "sampled",
        "thinking",
        "thinking_shift",
        "thinking_flips",
        "own_metrics",
        "accuracy_macro",
        "debiased",
        "order",
        "unparsed_as",
        "subsets",
        "subsets_by",
        "unrecorded",
        "without",
        "excluded_votes",
        "bounded",
        "decided_by_scores",
        *("row.trust.low", "row.trust.high", "row.trust.needed"),
    )
    assert [one for one in differences if not {one, one.rpartition(".")[2]} & {*optional}] == []
    described = RowSerializer(data=rows, many=True)
    assert described.is_valid(), described.errors


REPORTS = {
    CurveReport: lambda run, other: curve_json(run, CurveChoice(("win-ratio", "pairs"), people=True, draws=2)),
    AgreementReport: lambda run, other: agreement_json(run.dataset, attributes=[run.attribute], runs=[run, other]),
    RunsCompared: lambda run, other: differences_json(run, other),
    AllCompared: lambda run, other: groups_json([run, other]),
    Diagnostics: lambda run, other: diagnostics_json(run, runs=[run, other]),
    AuditReport: lambda run, other: audit_json(run),
}
OMITTED = (
    *("undefined", "sampled", "thinking", "own_metrics", "people", "worth", "beam"),
    *("order", "subsets_by", "without", "excluded_votes"),
    "calibration_before",  # of a judge that was calibrated
)


@pytest.mark.parametrize("kind", REPORTS)
def test_every_field_of_a_report_is_described_and_the_other_way_round(run, kind):
    report = REPORTS[kind](run, compared(run.dataset, judge="other"))

    differences = undescribed(fields_of(serializer_of(kind)()), report)

    assert [one for one in differences if one.rpartition(".")[2] not in OMITTED] == []


def test_every_field_of_a_score_is_described_and_the_other_way_round(run):
    scores = scores_json(run, ranking="poe-bt")

    assert undescribed(fields_of(serializer_of(ScoreRow)()), scores) == []


def test_description_of_a_report_row_has_the_fields_of_some_runs_only():
    described = fields_of(RowSerializer())

    assert set(described["hold_out"]) == {"comparisons", "p_first", "order_agreement", "accuracy"}
    assert set(described["sampled"]) == {"samples", "temperature"}
    assert described["accuracy_macro"] == described["accuracy"]


def test_report_of_a_dataset_has_those_of_its_runs_that_one_may_see_and_asks_for(run, client, researcher):
    address = f"/api/datasets/{run.dataset_id}/report/"
    other, hidden = compared(run.dataset, judge="other"), compared(run.dataset, judge="hidden")
    elsewhere = compared(make_dataset(name="Another"))
    hidden.owner = make_user("rob", "researcher")
    hidden.save()

    def runs_of(**query):
        return {row["run"] for row in client.get(address, query).json()["rows"]}

    assert runs_of() == {run.pk, other.pk}
    assert runs_of(run=[other.pk]) == {other.pk}
    assert runs_of(run=[elsewhere.pk]) == runs_of(run=[hidden.pk]) == set()


def test_scores_of_a_metric_refuse_a_ranking_of_comparisons(client, researcher):
    run = scored(make_dataset(name="Scored"), "context,attribute,candidate,score\nc0,overall,a,5\n")

    answer = client.get(f"/api/runs/{run.pk}/scores/", {"ranking": "poe-bt"})

    assert (answer.status_code, answer.json()["problems"]) == (
        400,
        [f'ranking: run {run.pk} has no ranking "poe-bt"; there are: score'],
    )
