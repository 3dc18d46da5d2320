"""Report rows as CSV with a column for every figure."""

import csv
import io

import pytest

from rankings.report.long_lines import every_figure_csv
from rankings.report.report_rows import report_rows
from tests.rankings.studies import answers, compared, make_dataset, one_context

pytestmark = pytest.mark.django_db


def test_csv_has_a_column_for_every_figure_in_full_precision():
    dataset = make_dataset()
    compared(dataset)
    rows = report_rows(dataset)

    lines = list(csv.DictReader(io.StringIO(every_figure_csv(rows))))

    assert [line["subset"] for line in lines] == ["all", "scored", "voted"]
    assert float(lines[0]["accuracy.value"]) == rows[0].accuracy.value
    assert float(lines[0]["spearman.win-ratio.raw.per_context"]) == rows[0].spearman["win-ratio"].raw.per_context
    assert lines[2]["order_agreement.value"] == ""
    assert lines[2]["order_agreement.undefined"] == "no pair was decided in both orders"


def test_csv_keeps_a_judge_from_being_a_formula():
    dataset = make_dataset(one_context(1, 2))
    compared(dataset, answers("a b 0.7"), judge="=1+1")

    [line] = csv.DictReader(io.StringIO(every_figure_csv(report_rows(dataset))))

    assert line["judge"] == "'=1+1"


def test_csv_has_a_column_for_every_check_gap_and_list_of_systems():
    dataset = make_dataset()
    compared(dataset, judge="gpt-4")

    line = next(csv.DictReader(io.StringIO(every_figure_csv(report_rows(dataset)))))

    assert (line["trust.both-orders.state"], line["trust.both-orders.value"]) == ("note", "0.75")
    assert (line["length_preference.accuracy_by_gap.1.gap_to"], line["self_preference.family"]) == ("0.1", "gpt")


def test_csv_has_the_systems_of_a_family_in_one_cell():
    texts = [{"candidate": key, "system": f"gpt-{key}", "text": key, "scores": {"overall": 1}} for key in "345"]
    dataset = make_dataset([{"context": "c0", "text": "Article", "candidates": texts}])
    compared(dataset, "context,attribute,first,second,p_first\nc0,overall,3,4,0.7\n", judge="gpt-4")

    [line] = csv.DictReader(io.StringIO(every_figure_csv(report_rows(dataset))))

    assert line["self_preference.systems"] == "gpt-3; gpt-4; gpt-5"
