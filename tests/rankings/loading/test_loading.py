"""Rows of the database as arrays."""

from math import nan

import numpy as np
import pytest
from django.db import connection

from judging.models import Attribute, Candidate, Context, Dataset, Vote
from rankings.loading import StrayAnswer, answers_of, candidate_table, people_of, ratings_of
from tests.rankings.report.report_figures import report_json
from tests.rankings.studies import WORKED_CONTEXTS, answers, compared, make_dataset, one_context, scored

pytestmark = pytest.mark.django_db


@pytest.fixture
def backwards():
    """A dataset whose rows were stored in the opposite of its order: contexts c0 (a, b), c1 (nothing), c2 (a)."""
    dataset = Dataset.objects.create(name="Backwards", sha256="", source_format="evenhand")
    Attribute.objects.create(dataset=dataset, name="overall", position=0)
    for position, keys in ((2, "a"), (1, ""), (0, "ba")):
        context = Context.objects.create(dataset=dataset, key=f"c{position}", subset="s", position=position)
        for key in keys:
            Candidate.objects.create(context=context, key=key, system=f"M-{key}", position="ab".index(key))
    return dataset


def test_candidate_table_follows_the_order_of_the_dataset_and_finds_the_numbers_of_its_ids_alone(backwards):
    table = candidate_table(backwards)

    assert (table.keys, table.context_keys) == (("a", "b", "a"), ("c0", "c1", "c2"))
    assert (table.contexts.tolist(), table.starts.tolist()) == ([0, 0, 2], [0, 2, 2])
    assert table.system_numbers.tolist() == [0, 1, 0]
    assert table.ids.tolist() == sorted(table.ids.tolist(), reverse=True)

    assert table.numbers([int(table.ids[2]), int(table.ids[0]), int(table.ids[2])]).tolist() == [2, 0, 2]
    assert table.numbers([]).tolist() == []

    missing = [int(table.ids.max()) + 1, 0]

    for one in missing:
        with pytest.raises(StrayAnswer, match=f"candidate {one} has an answer, but is not"):
            table.numbers([int(table.ids[0]), one])


def test_candidate_table_has_no_number_for_a_missing_system_or_subset():
    contexts = [{**WORKED_CONTEXTS[0], "subset": ""}, WORKED_CONTEXTS[1]]
    contexts[0]["candidates"] = [{"candidate": "a", "text": "A"}]

    table = candidate_table(make_dataset(contexts))

    assert table.system_numbers.tolist() == [-1, 0, 1, 2]
    assert (table.subset_names, table.subset_numbers.tolist()) == (["voted"], [-1, 0])


def test_answers_of_a_run_keep_their_order_and_count_missing_answers():
    dataset = make_dataset()

    answers = answers_of(candidate_table(dataset), compared(dataset))

    assert answers.comparisons.first.tolist() == [0, 1, 0, 2, 1, 2, 3]
    assert answers.comparisons.p_first.tolist() == [0.9, 0.3, 0.8, 0.6, 0.7, 0.5, 0.4]
    assert answers.outcomes.tolist() == [[6, 0, 0], [1, 1, 1]]
    assert answers.recorded.tolist() == [True, True]


def test_answers_that_are_only_choices_count_as_certain():
    dataset = make_dataset(one_context(1, 2, 3))
    run = compared(dataset, answers("a b first", "b c second", "a c tie", "c a unparsed", "c b error", "b a 0.25"))

    found = answers_of(candidate_table(dataset), run)

    assert found.comparisons.p_first.tolist() == [1, 0, 0.5, 0.25]
    assert found.comparisons.first.tolist() == [0, 1, 0, 1]
    assert found.outcomes.tolist() == [[4, 1, 1]]


def test_answers_with_a_probability_and_a_choice_count_by_the_probability():
    dataset = make_dataset(one_context(1, 2))
    run = compared(dataset, "context,attribute,first,second,p_first,choice\nc0,overall,a,b,0.75,second\n")

    assert answers_of(candidate_table(dataset), run).comparisons.p_first.tolist() == [0.75]


def test_answers_of_a_run_without_rows_are_none():
    dataset = make_dataset()
    run = compared(dataset)
    run.comparisons.all().delete()

    found = answers_of(candidate_table(dataset), run)

    assert (len(found.comparisons), found.outcomes.sum()) == (0, 0)


def test_answers_of_a_metric_without_rows_are_none():
    dataset = make_dataset(one_context(1, 2))
    run = scored(dataset, "context,attribute,candidate,score\nc0,overall,a,5\n")
    run.scores.all().delete()

    found = answers_of(candidate_table(dataset), run)

    assert (np.isnan(found.values).tolist(), found.outcomes.tolist()) == ([True, True], [[0, 0, 0]])


def test_answers_of_a_metric_are_its_scores():
    dataset = make_dataset()
    run = scored(dataset, "context,attribute,candidate,score\nc0,overall,c,5\nc0,overall,a,\n")

    answers = answers_of(candidate_table(dataset), run)

    np.testing.assert_array_equal(answers.values, [np.nan, np.nan, 5, np.nan, np.nan, np.nan])
    assert answers.outcomes.tolist() == [[1, 1, 0], [0, 0, 0]]


def test_people_of_an_attribute_number_their_raters():
    dataset = make_dataset()

    votes = people_of(candidate_table(dataset), dataset.attributes.get()).votes

    assert (votes.comparisons.first.tolist(), votes.comparisons.second.tolist()) == ([3, 4, 3], [4, 3, 4])
    assert (votes.comparisons.p_first.tolist(), votes.raters.tolist()) == ([0, 1, 1], [0, 1, 2])


@pytest.mark.parametrize("changes", [{"choice": "both-bad"}, {"choice": "cannot-judge"}, {"excluded": True}])
def test_people_leave_out_votes_that_are_in_no_figure(changes):
    dataset = make_dataset()
    Vote.objects.filter(attribute__dataset=dataset, rater=Vote.objects.order_by("pk")[1].rater).update(**changes)

    votes = people_of(candidate_table(dataset), dataset.attributes.get()).votes

    assert (votes.comparisons.first.tolist(), votes.comparisons.p_first.tolist()) == ([3, 3], [0, 1])


def test_people_have_their_own_scores_and_votes_for_each_attribute():
    candidates = [
        {"candidate": "a", "text": "A", "ratings": {"fluency": {"h1": 1, "h2": 3}, "relevance": {"h1": 5}}},
        {"candidate": "b", "text": "B", "ratings": {"fluency": {"h2": 4}}},
    ]
    vote = {"attribute": "relevance", "first": "a", "second": "b", "choice": "second", "rater": "h3"}
    dataset = make_dataset([{"context": "c0", "text": "Article", "candidates": candidates, "votes": [vote]}])
    table = candidate_table(dataset)

    fluency, relevance = dataset.attributes.order_by("name")

    assert ratings_of(table, fluency).tolist() == [[1, pytest.approx(nan, nan_ok=True)], [3, 4]]
    assert ratings_of(table, relevance).tolist() == [[5, pytest.approx(nan, nan_ok=True)]]
    assert people_of(table, fluency).human.scores.tolist() == [2, 4]
    assert people_of(table, relevance).human.scores.tolist() == [5, pytest.approx(nan, nan_ok=True)]
    assert [people_of(table, one).raters for one in (fluency, relevance)] == [[], ["h3"]]


def test_loading_needs_the_same_queries_for_any_number_of_rows(django_assert_num_queries):
    dataset = make_dataset()
    run = compared(dataset)

    largest_keys = 0 if connection.vendor == "postgresql" else 2  # of human scores and of comparisons

    # contexts, candidates; human scores, votes; comparisons, any before thinking, any log-probabilities
    with django_assert_num_queries(7 + largest_keys):
        table = candidate_table(dataset)
        people_of(table, run.attribute)
        answers_of(table, run)


def test_a_context_without_candidates_at_the_end_is_in_no_figure(backwards):
    Candidate.objects.filter(context__key="c2").delete()
    scored(backwards, "context,attribute,candidate,score\nc0,overall,a,5\nc0,overall,b,4\n")

    rows = report_json(backwards)

    assert [(row["subset"], row["comparisons"]) for row in rows] == [("all", 2), ("s", 2)]
    assert rows[0]["accuracy_macro"]["n"] == 0
