"""Judges that always give one answer are named first; few contexts and pairs in one order stand by the figures."""

from itertools import permutations

import pytest

from rankings.report.pages.headline_figures import headline_figures
from rankings.report.report_rows import report_rows
from rankings.report.report_table import TableChoice, report_table
from rankings.report.trust_checks import constant_sentences
from rankings.tables.formats import html_table, markdown_table
from rankings.tables.latex_table import latex_table
from rankings.tables.table import TableStyle, printed_cells
from rankings.tables.text_table import text_table
from tests.rankings.report.views.scored_runs import read
from tests.rankings.studies import compared, make_dataset, one_context, scored

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("forget_reports")]

BOTH = tuple(permutations("abc", 2))
SCORES = {"a": 3, "b": 2, "c": 1}
FIRST = "The judge chose the first text in 48 of 48 decisions: they carry nothing."


def contexts(n=8, scores=(3, 2, 1)):
    return [{**one_context(*scores)[0], "context": f"c{number}"} for number in range(n)]


def answers(p_first, *, n=8, orders=BOTH):
    """Every ordered pair of every context. p_first: a function of the two candidates."""
    pairs = [(number, first, second) for number in range(n) for first, second in orders]
    lines = [f"c{number},overall,{first},{second},{p_first(first, second)}" for number, first, second in pairs]
    return "\n".join(["context,attribute,first,second,p_first", *lines])


def always_first(first, second):
    return 1


def leaning(first, second):
    """Always the first, and surer where people agree."""
    return 0.75 + 0.05 * (SCORES[first] - SCORES[second])


def right(first, second):
    return 0.9 if SCORES[first] > SCORES[second] else 0.1


def printed(dataset):
    table = report_table(report_rows(dataset), TableChoice())
    return table, TableStyle(interval="plus-minus")


def test_report_begins_with_a_judge_whose_decisions_carry_nothing():
    dataset = make_dataset(contexts())
    compared(dataset, answers(always_first))

    table, style = printed(dataset)

    assert text_table(table, style).startswith(f"{FIRST}\n\nRun")
    assert markdown_table(table, style).startswith(FIRST)
    assert html_table(table, style).startswith(f"<p>{FIRST}</p>")
    latex = latex_table(table, style)
    assert latex.startswith(f"% {FIRST}\n")
    assert f"{{\\footnotesize {FIRST}\\par}}" in latex
    assert not any(cell.interval == "± 0.0" for line in printed_cells(table, style) for cell in line)


def test_constant_judge_among_others_is_named_and_never_best():
    dataset = make_dataset(contexts(10))
    compared(dataset, answers(right, n=10), judge="good")
    run = compared(dataset, answers(always_first, n=10), judge="constant")
    compared(dataset, answers(lambda first, second: right(second, first), n=10), judge="turned")

    table, style = printed(dataset)

    assert table.heads == (f"{FIRST.replace('48', '60')} Judge: constant with recorded (run {run.pk}).",)
    marks = [{cell.mark for cell in line} for line in printed_cells(table, style)]
    assert marks[1] == marks[2] == {""}
    assert "best" in marks[0]


def test_probabilities_of_a_constant_judge_may_carry_a_ranking():
    dataset = make_dataset(contexts(12))
    compared(dataset, answers(leaning, n=12))

    [sentence] = constant_sentences(report_rows(dataset))

    assert sentence.startswith("The judge chose the first text in 72 of 72 decisions: they carry nothing. Its prob")
    assert "debiased, win ratio, average probability" in sentence
    assert sentence.endswith("agree with people (Spearman above 0).")


@pytest.mark.parametrize(
    ("scores", "ending"), [((None,) * 3, "nobody can tell."), ((1, 2, 3), "is shown to agree with people either.")]
)
def test_probabilities_that_agree_with_nobody_are_not_praised(scores, ending):
    dataset = make_dataset([{"dataset": {"attributes": [{"name": "overall"}]}}, *contexts(8, scores)])
    compared(dataset, answers(leaning))

    [sentence] = constant_sentences(report_rows(dataset))

    assert sentence.endswith(ending)


def test_agreement_by_the_order_of_the_dataset_alone_is_not_praised():
    dataset = make_dataset(contexts())
    compared(dataset, answers(lambda first, second: 0.95))

    [sentence] = constant_sentences(report_rows(dataset))

    assert sentence.endswith("No debiased ranking by its probabilities is shown to agree with people either.")


def test_equal_scores_carry_nothing():
    dataset = make_dataset(contexts())
    lines = [f"c{number},overall,{key},5" for number in range(8) for key in "abc"]
    scored(dataset, "\n".join(["context,attribute,candidate,score", *lines]))

    assert constant_sentences(report_rows(dataset)) == [
        "The judge gave both texts the same score in 24 of 24 pairs: they carry nothing."
    ]


def test_pages_begin_with_a_judge_whose_decisions_carry_nothing(client, researcher):
    dataset = make_dataset(contexts(), owner=researcher)
    run = compared(dataset, answers(always_first))

    of_run, of_dataset = read(client, "run-results", run.pk), read(client, "dataset-results", dataset.pk)

    for page in (of_run, of_dataset):
        results = page.partition('<div id="results">')[2]
        assert results.index(FIRST) < results.index("P(first)")
        assert "±0.0" not in page
        assert "Highest accuracy" not in page
    assert "run-place" not in of_run
    assert f"/runs/{run.pk}/results/place/" not in of_run
    assert f'hx-get="/runs/{run.pk}/curve/' not in of_run


def test_few_contexts_and_pairs_in_one_order_stand_by_the_figures(client, researcher):
    dataset = make_dataset(contexts(6), owner=researcher)
    run = compared(dataset, answers(right, n=6, orders=[("a", "b"), ("c", "a"), ("b", "c")]))

    pages = [read(client, "run-results", run.pk), read(client, "dataset-results", dataset.pk)]
    table, style = printed(dataset)

    assert all("rests on 6 contexts" in page and "each pair in one order only" in page for page in pages)
    for text in (text_table(table, style), latex_table(table, style)):
        assert "Rests on 6 contexts: all runs." in text
        assert "Each pair in one order only: all runs." in text


def test_few_contexts_stand_by_each_of_the_four_figures_on_top(researcher):
    dataset = make_dataset(contexts(6), owner=researcher)
    compared(dataset, answers(right, n=6))

    [row, *_] = report_rows(dataset)
    assert [figure.warning for figure in headline_figures(row, "bradley-terry")] == ["rests on 6 contexts"] * 4


def test_figures_of_ten_contexts_in_both_orders_carry_no_mark(client, researcher):
    dataset = make_dataset(contexts(10), owner=researcher)
    run = compared(dataset, answers(right, n=10))

    page = read(client, "run-results", run.pk)

    assert "rests on" not in page
    assert "in one order only" not in page
