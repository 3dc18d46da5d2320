"""Rows for comparison: people, and judges that read nothing, on the pairs of the runs."""

import pytest

from rankings.report.figures.simple_judges import NO_FIRST, NO_TEXTS
from rankings.report.people_and_simple_judges import COMPARISON_NOTE, MANY_SETS, MOST_SETS_OF_PAIRS
from rankings.report.report_choice import ReportChoice
from rankings.report.report_rows import report_rows
from rankings.report.report_table import TableChoice, report_table
from rankings.tables.formats import markdown_table
from rankings.tables.table import TableStyle, printed_cells
from tests.rankings.studies import answers, compared, make_dataset, one_context, scored, with_copies

pytestmark = pytest.mark.django_db
COLUMNS = ("judge", "subset", "accuracy", "kappa", "p_first")
ONE = one_context(3, 2, 1)


def votes(*choices):
    """Votes on a and b, by one person each."""
    return [
        {"attribute": "overall", "first": "a", "second": "b", "choice": choice, "rater": f"h{number}"}
        for number, choice in enumerate(choices)
    ]


def with_texts(**texts):
    [context] = one_context(3, 2, 1)
    context["candidates"] = [one | {"text": texts[one["candidate"]]} for one in context["candidates"]]
    return [context]


def compared_with(dataset, **choice):
    """name -> accuracy, its n, and kappa, of the rows for comparison on all contexts."""
    table = report_table(report_rows(dataset, choice=ReportChoice(**choice)), TableChoice(columns=COLUMNS))
    rows = [row for row in table.rows if row.of == "comparison" and row.names[1] == "all"]
    return {row.names[0]: (row.figures[0].value, row.figures[0].n, row.figures[1].value) for row in rows}


def test_people_are_compared_with_the_majority_of_the_others():
    dataset = make_dataset(one_context(None, None, votes=votes("first", "first", "first", "second")))
    compared(dataset, answers("a b 0.9"))

    found = compared_with(dataset)

    assert found["People"] == (0.75, 4, 0)  # each of three agrees with 2 of 3, the fourth with nobody
    assert found["Always first"] == (1, 1, None)
    assert found["Longer text"] == (0.5, 1, 0)


def test_people_who_agree_on_both_sides_have_full_kappa():
    opposite = [one | {"second": "c"} for one in votes("second", "second", "second")]
    dataset = make_dataset(one_context(None, None, None, votes=[*votes("first", "first", "first"), *opposite]))
    compared(dataset, answers("a b 0.9", "a c 0.2"))

    assert compared_with(dataset)["People"] == (1, 6, pytest.approx(1))


def test_always_first_is_right_where_people_prefer_the_text_shown_first():
    dataset = make_dataset(ONE)
    compared(dataset, answers("a b 0.9", "c b 0.3", "a c 0.8", "b a 0.2"))

    assert compared_with(dataset)["Always first"] == (0.5, 4, 0)


def test_longer_text_is_right_where_people_prefer_it_and_ties_equal_lengths():
    dataset = make_dataset(with_texts(a="long", b="x", c="y"))
    compared(dataset, answers("a b 0.1", "b a 0.9", "b c 0.9", "c b 0.1"))

    assert compared_with(dataset)["Longer text"] == (0.75, 4, pytest.approx(1 / 3))  # observed 1/2, by chance 1/4


def test_datasets_without_texts_have_no_longer_text_and_say_why():
    dataset = make_dataset(with_texts(a="", b="", c=""))
    compared(dataset, answers("a b 0.9", "b a 0.2"))
    rows = report_rows(dataset)

    table = report_table(rows, TableChoice(columns=COLUMNS))

    assert "Longer text" not in compared_with(dataset)
    assert "No row for people on overall: the attribute has no votes." in table.notes
    assert f"No row for longer text on overall: {NO_TEXTS}." in table.notes


def test_runs_of_scores_show_no_text_first():
    dataset = make_dataset(with_texts(a="long", b="x", c=""))
    scored(dataset, "context,attribute,candidate,score\nc0,overall,a,1\nc0,overall,b,2\nc0,overall,c,3\n")

    [row] = report_rows(dataset)

    _, first, longer = row.for_comparison
    assert (first.accuracy.undefined, longer.accuracy.value, longer.accuracy.n) == (NO_FIRST, 1, 3)


def test_unparsed_answers_that_count_as_wrong_are_pairs_that_the_others_answer():
    dataset = make_dataset(ONE)
    compared(dataset, answers("a b 0.9", "b a 0.9").replace("b,a,0.9", "b,a,"))

    assert compared_with(dataset)["Always first"][:2] == (1, 1)
    assert compared_with(dataset, unparsed="wrong")["Always first"][:2] == (0.5, 2)


def test_runs_asked_the_same_pairs_share_the_rows_of_the_one_that_answered_most():
    dataset = make_dataset(ONE)
    compared(dataset, answers("a b 0.9", "b a 0.9").replace("b,a,0.9", "b,a,"), judge="unread")
    compared(dataset, answers("b a 0.1", "a b 0.9"), judge="read")

    assert compared_with(dataset)["Always first"][:2] == (0.5, 2)


def test_runs_on_different_pairs_have_rows_that_name_them():
    dataset = make_dataset(ONE)
    one, other = (compared(dataset, answers(pair), judge=pair) for pair in ("a b 0.9", "b a 0.2"))

    found = compared_with(dataset)

    assert found[f"Always first (run {one.pk})"][:2] == (1, 1)
    assert found[f"Always first (run {other.pk})"][:2] == (0, 1)
    assert found["Longer text"][:2] == (0.5, 1)


def test_too_many_sets_of_pairs_have_no_rows_and_a_note():
    dataset = make_dataset(ONE)
    pairs = ["a b", "b a", "a b 0.9|a c", "a b 0.9|b a 0.1|a c", "b a 0.1|c a"]
    for number in range(MOST_SETS_OF_PAIRS + 1):
        compared(dataset, answers(*f"{pairs[number]} 0.9".split("|")), judge=f"judge {number}")

    table = report_table(report_rows(dataset), TableChoice(columns=COLUMNS))

    assert not any(row.names[0].startswith("Always first") for row in table.rows)
    assert MANY_SETS in table.notes


def test_rows_for_comparison_stand_last_without_a_mark_and_move_none():
    contexts, right = with_copies(ONE, answers("a b 0.9", "b a 0.1", "b c 0.2"), times=11)
    dataset = make_dataset(contexts)
    for name, verdicts in (("right", right), ("wrong", right.replace("0.9", "0.2").replace("0.1", "0.8"))):
        compared(dataset, verdicts, judge=name)

    table = report_table(report_rows(dataset), TableChoice(columns=COLUMNS, sort="-accuracy"))

    marks = [
        (row.names[0], cells[0].mark) for row, cells in zip(table.rows, printed_cells(table, TableStyle()), strict=True)
    ]
    assert marks == [("wrong", ""), ("right", "best"), ("Always first", ""), ("Longer text", "")]
    assert table.rows[2].figures[0].value > table.rows[0].figures[0].value


def test_table_without_judge_accuracy_or_kappa_has_no_rows_for_comparison():
    compared(dataset := make_dataset(ONE), answers("a b 0.9"))
    rows = report_rows(dataset)

    for columns in (("judge", "p_first"), ("run", "accuracy")):
        assert len(report_table(rows, TableChoice(columns=columns)).rows) == 1


def test_table_of_one_run_that_names_no_judge_has_them_on_all_contexts():
    contexts = [one | {"subset": "hard"} for one in ONE]
    compared(dataset := make_dataset(contexts), answers("a b 0.9", "b a 0.2", "b c 0.4"))
    rows = report_rows(dataset)

    table = report_table(rows, TableChoice(columns=("subset", "accuracy", "kappa")))
    text = markdown_table(table, TableStyle())

    assert [row.names for row in table.rows] == [("all",), ("hard",), ("Always first",), ("Longer text",)]
    assert [figure.value for figure in table.rows[2].figures] == [pytest.approx(2 / 3), 0]
    assert "| *For comparison* |" in text
    assert COMPARISON_NOTE in table.notes
