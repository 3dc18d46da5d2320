"""The matrix of each judge's answers on one context."""

import numpy as np
import pytest
from django.urls import reverse

from judging.models import Candidate, Comparison, HumanScore, Run
from rankings.dataset_figures.context_matrices import candidates_of_matrices, judge_matrices
from rankings.pair_answers.answered_pairs import answered_pairs
from tests.factories import answer_run, make_dataset, make_run
from tests.rankings.pages import hide, read
from tests.rankings.studies import compared, scored
from tests.rankings.studies import make_dataset as make_study

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("forget_reports")]


@pytest.fixture
def run(researcher) -> Run:
    """Both orders of every pair of two contexts, with random answers. Another run answers otherwise."""
    dataset = make_dataset(candidates=(4, 3), owner=researcher)
    rng = np.random.default_rng(0)
    run = answer_run(make_run(dataset, owner=researcher))
    for one in run.comparisons.all():
        Comparison.objects.filter(pk=one.pk).update(p_first=rng.random())
    answer_run(make_run(dataset, prompt="pairwise-1", owner=researcher), p_first=0.2)
    HumanScore.objects.all().delete()
    return run


def context_of(run: Run):
    return run.dataset.contexts.get(key="c0")


def matrix_of(run: Run):
    context = context_of(run)
    [matrix] = judge_matrices([run], context, candidates_of_matrices(context, run.attribute))
    return matrix


def keys_of(matrix) -> list[str]:
    return [line.candidate.key for line in matrix.lines]


def cells_of(matrix):
    return {(cell.row, cell.column): cell for line in matrix.lines for cell in line.cells if cell}


def change(run: Run, first: str, second: str, **changes: object) -> None:
    run.comparisons.filter(context__key="c0", first__key=first, second__key=second).update(**changes)


def people_score(run: Run, **scores: float) -> None:
    for key, value in scores.items():
        candidate = Candidate.objects.get(context=context_of(run), key=key)
        HumanScore.objects.create(candidate=candidate, attribute=run.attribute, value=value)


def test_cells_equal_the_stored_answers(run):
    cells = cells_of(matrix_of(run))

    stored = run.comparisons.filter(context__key="c0").values_list("first__key", "second__key", "p_first")
    assert {pair: cell.row_first.p for pair, cell in cells.items()} == {(one, two): p for one, two, p in stored}
    assert {pair: cell.row_second.p for pair, cell in cells.items()} == {(two, one): 1 - p for one, two, p in stored}


def test_mean_of_both_orders_equals_that_of_the_page_of_answers(run):
    pairs, cells = answered_pairs(run), cells_of(matrix_of(run))

    here = pairs.contexts == list(pairs.context_keys).index("c0")
    expected = {
        (pairs.candidate_keys[a], pairs.candidate_keys[b]): p
        for (a, b), p in zip(pairs.candidates[here].tolist(), pairs.mean_p[here].tolist(), strict=True)
    }
    assert {pair: cells[pair].mean_p for pair in expected} == pytest.approx(expected)
    assert len(expected) == 6


@pytest.mark.parametrize(("p", "shade"), [(0.0, 0), (0.124, 0), (0.125, 1), (0.499, 3), (0.5, 4), (0.874, 6), (1.0, 7)])
def test_shade_is_the_class_of_the_mean(run, p, shade):
    change(run, "a", "b", p_first=p)
    change(run, "b", "a", p_first=1 - p)

    assert cells_of(matrix_of(run))["a", "b"].shade == shade


def test_missing_answer_has_its_reason_and_the_mean_is_the_other_order(run):
    change(run, "a", "b", outcome="unparsed", p_first=None)
    change(run, "b", "a", p_first=0.25)
    run.comparisons.filter(context__key="c0", first__key="c", second__key="d").delete()

    cells = cells_of(matrix_of(run))

    assert (cells["a", "b"].row_first.p, cells["a", "b"].row_first.missing) == (None, "unparsed")
    assert cells["a", "b"].mean_p == 0.75
    assert cells["c", "d"].row_first.missing == "not asked"
    assert cells["a", "b"].label == "a against b: unparsed with a first, 0.75 with b first"


def test_pair_without_a_comparison_leads_nowhere(run):
    run.comparisons.filter(first__key__in="ab", second__key__in="ab").delete()

    cell = cells_of(matrix_of(run))["a", "b"]

    assert (cell.href, cell.shade, cell.mean_p) == ("", None, None)


def test_choice_without_a_probability_is_one_zero_or_a_half():
    dataset = make_study()
    lines = "c0,overall,a,b,first\nc0,overall,b,a,tie\nc0,overall,a,c,second\n"
    run = compared(dataset, f"context,attribute,first,second,choice\n{lines}")

    cells = cells_of(matrix_of(run))

    assert (cells["a", "b"].row_first.p, cells["a", "b"].row_second.p, cells["a", "c"].row_first.p) == (1, 0.5, 0)


def test_candidates_are_sorted_by_human_score_then_in_the_order_of_the_dataset_rows_like_columns(run):
    people_score(run, b=5, d=2)

    matrix = matrix_of(run)

    assert keys_of(matrix) == ["b", "d", "a", "c"]
    assert [[cell and cell.column for cell in line.cells] for line in matrix.lines] == [
        [None if row == column else column for column in "bdac"] for row in "bdac"
    ]


def test_matrix_lacks_what_the_run_leaves_out(run):
    run.spec["without"] = {"systems": [Candidate.objects.get(context=context_of(run), key="b").system], "contexts": []}

    assert "b" not in keys_of(matrix_of(run))


def test_page_shows_the_runs_that_a_person_may_see(client, run):
    context, other = context_of(run), Run.objects.exclude(pk=run.pk).get()
    hide(other)

    shown = client.get(reverse("context-answers", args=[context.pk])).context["matrices"]

    assert [matrix.run for matrix in shown] == [run]


def test_page_leaves_out_runs_on_other_attributes_and_runs_of_scores(client, researcher):
    dataset = make_study()
    run = compared(dataset)
    scored(dataset, "context,attribute,candidate,score\nc0,overall,a,1\n")
    context = dataset.contexts.get(key="c0")

    shown = client.get(reverse("context-answers", args=[context.pk])).context["matrices"]

    assert [matrix.run for matrix in shown] == [run]


def test_cell_leads_to_both_answers_of_its_pair(client, run):
    href = cells_of(matrix_of(run))["d", "a"].href

    [entry] = client.get(href).context["entries"]

    assert entry.context.key == "c0"
    assert {side.candidate.key for side in entry.sides} == {"a", "d"}


def test_page_says_how_many_candidates_it_leaves_out(client, researcher, monkeypatch):
    monkeypatch.setattr("rankings.dataset_figures.views.MOST_CANDIDATES", 3)
    run = answer_run(make_run(make_dataset(candidates=(4,)), owner=researcher))

    assert "The first 3 of 4 candidates are shown." in read(client, "context-answers", context_of(run))


def test_context_of_two_candidates_has_a_line_for_each_run(client, researcher):
    dataset = make_dataset(candidates=(2,))
    runs = [answer_run(make_run(dataset, owner=researcher), p_first=p) for p in (0.7, 0.9)]

    page = client.get(reverse("context-answers", args=[context_of(runs[0]).pk]))

    lines = [
        (matrix.run, str(matrix.first_pair.row_first), str(matrix.first_pair.row_second))
        for matrix in page.context["matrices"]
    ]
    assert lines == [(runs[0], "0.70", "0.30"), (runs[1], "0.90", "0.10")]
    assert "P(a better)" in page.content.decode()


@pytest.mark.parametrize("n", [1, 4])
def test_page_needs_the_same_queries_for_any_number_of_runs(client, researcher, django_assert_num_queries, n):
    dataset = make_dataset(candidates=(3,))
    runs = [answer_run(make_run(dataset, owner=researcher)) for _ in range(n)]

    with django_assert_num_queries(13):
        client.get(reverse("context-answers", args=[context_of(runs[0]).pk]))


def test_context_without_answers_offers_a_run(client, researcher):
    dataset = make_dataset()

    assert reverse("run-new", args=[dataset.pk]) in read(client, "context-answers", dataset.contexts.first())
