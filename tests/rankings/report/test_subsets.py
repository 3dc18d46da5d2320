"""The subsets of reports: by a further field of contexts, such as the turn, and those without a record."""

import json

import pytest

from rankings.report.report_choice import ReportChoice, SubsetGroup
from rankings.report.report_rows import report_rows
from rankings.report.report_table import notes_on_unasked_subsets
from tests.commands import printed, refused
from tests.rankings.studies import WORKED_ANSWERS, WORKED_CONTEXTS, compared, make_dataset

TURNS = ({"turn": 1, 'odd name "x".y': "a"}, {"turn": 2})


pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def run(rows_of_module):
    contexts = [context | {"fields": fields} for context, fields in zip(WORKED_CONTEXTS, TURNS, strict=True)]
    return compared(make_dataset(contexts))


def test_rows_of_a_field_equal_the_rows_of_the_same_subsets(run):
    by_subset = report_rows(run.dataset)
    by_turn = report_rows(run.dataset, choice=ReportChoice(subsets_by="turn"))

    assert [row.subset for row in by_subset] == ["all", "scored", "voted"]
    assert [(row.subset, row.subsets_by) for row in by_turn] == [("all", "turn"), ("1", "turn"), ("2", "turn")]
    for one, other in zip(by_subset, by_turn, strict=True):
        assert (one.accuracy, one.p_first, one.counts) == (other.accuracy, other.p_first, other.counts)


def test_a_context_without_the_field_is_in_no_subset(run):
    rows = report_rows(run.dataset, choice=ReportChoice(subsets_by='odd name "x".y'))

    assert [row.subset for row in rows] == ["all", "a"]


def test_groups_are_of_the_values_of_the_field(run):
    choice = ReportChoice(subsets_by="turn", groups=(SubsetGroup("both", ("1", "2")),))

    assert [row.subset for row in report_rows(run.dataset, choice=choice)] == ["all", "1", "2", "both"]


def test_command_and_api_split_by_a_field_and_refuse_an_unknown_one(run, capsys, client, researcher):
    address = f"/api/datasets/{run.dataset_id}/report/"

    rows = json.loads(printed(capsys, "report", "--dataset", "Study", "--subsets-by", "turn", "--json"))["rows"]
    of_api = client.get(address, {"subsets_by": "turn"}).json()["rows"]

    assert [(row["subset"], row["subsets_by"]) for row in rows] == [("all", "turn"), ("1", "turn"), ("2", "turn")]
    assert [row["subset"] for row in of_api] == ["all", "1", "2"]
    assert refused(capsys, "report", "--dataset", "Study", "--subsets-by", "category") == [
        'subsets_by: contexts have no field "category"; there are: subset, turn, odd name "x".y'
    ]
    assert client.get(address, {"subsets_by": "category"}).status_code == 400


def test_page_offers_the_fields_of_a_dataset_that_has_some_and_says_which_one_splits(run, client, researcher):
    page = client.get(f"/datasets/{run.dataset_id}/results/", {"subsets_by": "turn"}).content.decode()
    without = compared(make_dataset(name="Without fields"))

    assert '<option value="turn" selected>turn</option>' in page
    assert "Subsets are the values of the contexts’ field turn." in page
    assert "Subsets by" not in client.get(f"/datasets/{without.dataset_id}/results/").content.decode()


def test_a_subset_without_a_record_has_no_row_and_is_named():
    only_first = "".join(line for line in WORKED_ANSWERS.splitlines(keepends=True) if not line.startswith("c1"))
    run = compared(make_dataset(name="Part"), only_first)

    rows = report_rows(run.dataset)

    assert [(row.subset, row.unrecorded) for row in rows] == [("all", ["voted"]), ("scored", None)]
    assert list(notes_on_unasked_subsets(rows)) == ["The run has no answer on voted."]


def test_runs_without_a_record_in_a_subset_are_named_if_others_have_one():
    whole = compared(make_dataset(name="Whole"))
    only_first = "".join(line for line in WORKED_ANSWERS.splitlines(keepends=True) if not line.startswith("c1"))
    parts = [compared(whole.dataset, only_first, judge=name) for name in ("second", "third")]

    one, both = (
        list(notes_on_unasked_subsets(report_rows(whole.dataset, runs=[whole, *some]))) for some in (parts[:1], parts)
    )

    assert one == [f"Run {parts[0].pk} has no answer on voted."]
    assert both == [f"None of the runs {parts[0].pk}, {parts[1].pk} has an answer on voted."]
