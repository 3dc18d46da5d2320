"""The table of a report: its columns, rows, order and notes."""

from dataclasses import replace

import pytest

from evenhand.engine import DEMO_MODEL
from evenhand.numerics import Figure
from evenhand.refusals import Refused
from rankings.report.report_columns import COLUMNS
from rankings.report.report_row import Correlations
from rankings.report.report_rows import report_rows
from rankings.report.report_table import SAME_PAIRS_NOTE, TableChoice, checked, report_table
from rankings.report.run_names import RunName, Sampled, ThinkingSettings
from rankings.tables.table import TableStyle, printed_cells
from rankings.tables.text_table import text_table
from tests.rankings.studies import answers, compared, make_dataset, one_context, scored, with_copies

pytestmark = pytest.mark.django_db


def named(table):
    """The names of the rows."""
    return [row.names for row in table.rows]


def figures_of(table, place=0):
    """A row's figures by the name of their column."""
    return dict(zip([column.name for column in table.columns], table.rows[place].figures, strict=True))


def test_report_table_has_the_columns_of_the_page():
    run = compared(make_dataset())
    rows = report_rows(run.dataset)

    table = report_table(rows, TableChoice())

    assert table.name_titles == ("Run", "Judge", "Method", "Prompt", "Attribute", "Subset")
    assert [row.names for row in table.rows if row.of == "judge"] == [
        (run.pk, "judge", "comparative", "recorded", "overall", subset) for subset in ("all", "scored", "voted")
    ]
    assert [row.section for row in table.rows[:4]] == ["all", *["For comparison · all"] * 2, "scored"]
    assert [column.name for column in table.columns] == [
        *("answers", "accuracy", "kappa", "accuracy_debiased", "accuracy_both_orders", "p_first", "order_agreement"),
        *("spearman", "spearman_debiased", "kendall", "kendall_debiased"),
    ]
    assert figures_of(table)["accuracy"] == rows[0].accuracy


def test_report_table_has_the_chosen_columns_subsets_and_ranking():
    run = compared(make_dataset())
    rows = report_rows(run.dataset)
    choice = TableChoice(columns=("spearman", "judge", "threshold"), subsets=("scored",), ranking="win-ratio")

    table = report_table(rows, choice)

    block = rows[1].spearman["win-ratio"].raw
    assert named(table) == [("judge",)]  # without accuracy and kappa, nothing stands beside it
    assert figures_of(table) == {
        "threshold": rows[1].threshold,
        "spearman": Figure(
            block.per_context,
            block.per_context_low,
            block.per_context_high,
            1,
            (block.undefined or {}).get("per_context"),
        ),
    }


def test_report_table_sorts_runs_with_their_subsets_highest_first():
    dataset = make_dataset(one_context(1, 2))
    runs = [compared(dataset, answers(f"b a {p}"), judge=name) for name, p in (("low", 0.1), ("high", 0.9))]
    undefined = scored(dataset, "context,attribute,candidate,score\nc0,overall,a,\n")
    rows = report_rows(dataset)

    table = report_table(rows, TableChoice(columns=("run",), sort="accuracy"))

    assert named(table) == [(run.pk,) for run in (*reversed(runs), undefined)]


ONE = one_context(3, 2, 1)
TWELVE, RIGHT = with_copies(ONE, answers("a b 0.9", "b a 0.1", "b c 0.8"), times=11)
WRONG, LUCKY = RIGHT.replace("0.9", "0.2"), answers("a b 0.9")
ON_OTHER_PAIRS = with_copies(ONE, answers("a b 0.9", "b a 0.1", "a c 0.8"), times=11)[1]


def marks_of(dataset, *columns):
    table = report_table(report_rows(dataset), TableChoice(columns=("judge", *columns), sort="accuracy"))
    cells = [[cell.mark for cell in row] for row in printed_cells(table, TableStyle())]
    judged = zip(table.rows, cells, strict=True)
    return {row.names[0]: marks for row, marks in judged if row.of != "comparison"}, table.figure_notes


def test_report_table_marks_the_best_of_rows_on_the_same_pairs_and_of_correlations_on_the_same_contexts():
    dataset = make_dataset(TWELVE)
    for name, verdicts in (("right", RIGHT), ("wrong", WRONG), ("other pairs", ON_OTHER_PAIRS)):
        compared(dataset, verdicts, judge=name)

    marks, notes = marks_of(dataset, "accuracy", "p_first", "spearman")

    assert marks == {
        "right": ["best", "", "best"],
        "other pairs": ["", "", ""],
        "wrong": ["", "", ""],
    }
    assert SAME_PAIRS_NOTE in notes


def test_report_table_lists_a_run_on_few_contexts_last_and_without_a_mark():
    dataset = make_dataset(TWELVE)
    for name, verdicts in (("lucky", LUCKY), ("right", RIGHT.replace("0.8", "0.2")), ("wrong", WRONG)):
        compared(dataset, verdicts, judge=name)

    marks, _ = marks_of(dataset, "accuracy", "spearman")

    assert list(marks) == ["right", "wrong", "lucky"]
    assert marks["lucky"] == ["", ""]


def test_rows_rest_on_the_same_pairs_in_any_order_and_with_unread_answers():
    dataset = make_dataset(one_context(3, 2, 1))
    both = "a b 0.9", "b a 0.1", "b c 0.8", "a c 0.7"
    for name, verdicts in (
        ("both orders", answers(*both)),
        ("one order", answers("b a 0.1", "c b 0.8", "a c 0.6")),
        ("unread", answers(*both).replace("b,c,0.8", "b,c,").replace("b,a,0.1", "b,a,")),
        ("a pair less", answers(*both[:3])),
    ):
        compared(dataset, verdicts, judge=name)
    scored(dataset, "context,attribute,candidate,score\nc0,overall,a,3\nc0,overall,b,2\nc0,overall,c,1\n")

    pairs = [row.asked.pairs for row in report_rows(dataset) if row.is_whole]

    assert len(set(pairs)) == 2
    assert pairs[0] == pairs[1] == pairs[2] == pairs[4]


def test_report_table_says_why_figures_are_undefined():
    dataset = make_dataset(one_context(1, 2))
    scored(dataset, "context,attribute,candidate,score\nc0,overall,a,5\nc0,overall,b,6\n")

    table = report_table(report_rows(dataset), TableChoice(columns=("p_first", "spearman", "spearman_debiased")))

    assert [cell.number for cell in printed_cells(table, TableStyle())[0]] == ["–", "1.000", "–"]
    assert (
        "Spearman: mean over contexts, for the ranking Bradley-Terry; of a run that scores, for its own scores."
    ) in table.notes
    assert table.figure_notes[-2:] == (
        "Undefined (–): P(first): a run that scores candidates one by one shows no pair, so it has no position bias.",
        "Undefined (–): Spearman debiased: scores have no order that could be debiased.",
    )


def test_report_table_notes_how_answers_were_sampled():
    dataset = make_dataset(one_context(1, 2))
    compared(dataset, answers("a b 0.7"))
    [row] = report_rows(dataset)

    table = report_table([replace(row, name=replace(row.name, sampled=Sampled(4, 1.0)))], TableChoice())

    assert table.notes[-1] == f"Run {row.name.run}: asked with 4 samples at temperature 1."


def test_report_table_gives_a_correlation_its_interval():
    rows = report_rows(compared(make_dataset()).dataset)
    block = replace(rows[0].spearman["win-ratio"].raw, per_context_low=0.5, per_context_high=0.9)
    rows[0] = replace(rows[0], spearman=rows[0].spearman | {"win-ratio": Correlations(block)})

    table = report_table(rows, TableChoice(columns=("spearman",), ranking="win-ratio"))

    assert printed_cells(table, TableStyle())[0][0].interval == "[0.500, 0.900]"


FAILED = (
    "run {}: failed checks: enough contexts (the answers are on 2 contexts; from 10 on, intervals are of use); few "
    "unparsed answers (1 of 9 comparisons could not be parsed; at most 1% is good); few errors (1 of 9 comparisons "
    "failed with an error; at most 1% is good)"
)


def test_text_table_ends_with_the_failed_checks_of_each_run():
    run = compared(make_dataset())
    table = report_table(report_rows(run.dataset), TableChoice())

    assert table.comments == (FAILED.format(run.pk),)
    assert text_table(table, TableStyle()).splitlines()[-1] == FAILED.format(run.pk)


def test_table_warns_about_unfinished_runs_and_the_demo_judge():
    run = compared(make_dataset())
    run.status, run.judge.model = run.Status.RUNNING, DEMO_MODEL
    rows = report_rows(run.dataset)

    table = report_table(rows, TableChoice(), runs=[run])

    assert table.notes[0] == f"Run {run.pk} is running: its figures cover the answers so far."
    assert table.comments[0] == "The demo judge is trained for the sample data only. Do not report these figures."


def test_table_has_no_comment_on_checks_that_passed():
    dataset = make_dataset(one_context(3, 2, 1))
    run = compared(dataset, answers("a b 0.7", "b a 0.6", "b c 0.7", "c b 0.6", "c a 0.7", "a c 0.6"))

    [comment] = report_table(report_rows(dataset), TableChoice()).comments

    assert comment == (
        f"run {run.pk}: failed checks: enough contexts (the answers are on 1 context; from 10 on, intervals are of use)"
    )


def test_unknown_subsets_are_refused_by_name():
    rows = report_rows(compared(make_dataset()).dataset)

    with pytest.raises(Refused) as refusal:
        checked(TableChoice(subsets=("hard", "voted")), rows)

    assert refusal.value.problems == ('subset: there is no "hard"; there are: all, scored, voted',)


def test_every_column_can_be_printed():
    run = compared(make_dataset())
    run.comparisons.update(p_first_before=0.25)
    rows = report_rows(run.dataset)

    for name in COLUMNS:
        [[cell], *_] = printed_cells(report_table(rows, TableChoice(columns=(name,))), TableStyle())
        assert cell.number, name


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({}, ""),
        ({"sampled": Sampled(None, 0.7)}, ", temperature 0.7"),
        ({"thinking": ThinkingSettings(64, "")}, ", thinking"),
        ({"thinking": ThinkingSettings(64, "low")}, ", thinking, effort low"),
        ({"sampled": Sampled(20, 1.0), "own_metrics": "metrics-1"}, ", 20 samples at temperature 1, after metrics-1"),
    ],
)
def test_settings_name_what_method_and_prompt_do_not(settings, text):
    assert RunName(1, "judge", "comparative", "comparative-1", "overall", **settings).settings == text
