"""The registry of figures: one definition reaches every place that shows figures."""

import csv
import io
import pickle

import pytest

from evenhand.report_json import as_json
from judging.web.report_schema import serializer_of
from rankings.report.figures.figure_definitions import FIGURES, IN_ORDER
from rankings.report.long_lines import every_figure_csv
from rankings.report.pages.sentences_and_cards import cards
from rankings.report.report_columns import DATASET_COLUMNS, RUN_COLUMNS
from rankings.report.report_row import ReportRow
from rankings.report.report_rows import report_rows
from tests.rankings.studies import compared, make_dataset

RowSerializer = serializer_of(ReportRow)

pytestmark = pytest.mark.django_db


@pytest.fixture
def row():
    """The row of a run whose judge thought first, so that it has every figure."""
    dataset = make_dataset()
    compared(dataset).comparisons.update(p_first_before=0.25)
    return report_rows(dataset)[0]


def test_every_figure_is_in_the_json_the_csv_and_the_description_of_the_api(row):
    [line] = csv.DictReader(io.StringIO(every_figure_csv([row])))
    described, everything = RowSerializer().fields, as_json(row)

    for name, figure in FIGURES.items():
        written = everything[name]
        assert written["value"] == row.value_of(figure).value, name
        assert set(written) - {"undefined"} == {
            field.removeprefix(f"{name}.") for field in line if field.startswith(f"{name}.")
        } - {"undefined"}, name
        assert set(described[name].fields) == set(written) | {"undefined"}, name


def test_figure_with_a_section_has_a_card_there(row):
    titles = {section: [card.title for card in cards(row, section)] for section in ("agreement", "bias")}

    assert titles == {
        section: [definition.title for definition in IN_ORDER if definition.section == section] for section in titles
    }
    assert titles["agreement"][:2] == ["Accuracy", "Kappa with people"]


def test_tables_have_the_figures_that_name_them():
    assert "human" in RUN_COLUMNS
    assert "human" not in DATASET_COLUMNS


def test_report_row_survives_the_cache(row):
    assert pickle.loads(pickle.dumps(row)) == row


def test_parts_of_a_report_row_cannot_be_changed(row):
    with pytest.raises(AttributeError):
        row.accuracy.value = 1.0
