"""Reading a run's answers, and taking them home."""

import csv
import json
import re

import pytest
from django.urls import reverse

from judging.models import Candidate, Comparison, Context, Reasoning, Run, Score
from judging.services.plans.selection_settings import SelectionSettings
from tests.factories import answer_run, make_dataset, make_run

pytestmark = pytest.mark.django_db


@pytest.fixture
def run(researcher):
    """Two candidates, two comparisons: the judge prefers the text shown first."""
    return answer_run(make_run(make_dataset(candidates=(2,)), owner=researcher))


def rows_of(client, run: Run, **query: str) -> list[Comparison]:
    shown = client.get(reverse("run-comparisons", args=[run.pk]), query).context["entries"]
    return [row.answer for row in shown]


def test_answers_show_both_texts_the_decision_and_the_probability(client, run):
    page = client.get(reverse("run-comparisons", args=[run.pk])).content.decode()

    assert "Summary a of article 0." in page
    assert "Summary b of article 0." in page
    assert "first is better" in page
    assert "<span>p 0.7000" in page


def test_log_probabilities_have_a_minus_sign_and_each_may_be_missing(client, run):
    run.comparisons.update(raw_first=-0.35667, raw_second=None)
    run.comparisons.filter(pk=run.comparisons.last().pk).update(raw_first=float("-inf"), raw_second=-1.2)

    page = client.get(reverse("run-comparisons", args=[run.pk])).content.decode()

    shown = re.findall(r"(?:first label|of the second) [^<]*", page)
    assert shown == ["first label −0.357", "first label −∞", "of the second −1.200"]


@pytest.mark.parametrize(
    ("query", "n"), [({"decision": "first"}, 1), ({"outcome": "unparsed"}, 1), ({"context": "c9"}, 0)]
)
def test_answers_are_filtered(client, run, query, n):
    run.comparisons.filter(pk=run.comparisons.last().pk).update(outcome="unparsed", p_first=None)

    assert len(rows_of(client, run, **query)) == n


def test_decision_of_a_recorded_choice_is_filtered_too(client, run):
    run.comparisons.update(p_first=None, choice="tie")

    assert len(rows_of(client, run, decision="tie")) == 2


def test_answers_to_pairs_held_out_are_marked_and_filtered(client, researcher):
    run = answer_run(
        make_run(
            make_dataset(candidates=(4, 4)),
            selection=SelectionSettings("bt-optimal", 7, hold_out=0.4),
            owner=researcher,
        )
    )
    held_out = run.held_out_pairs()

    at_random = client.get(reverse("run-comparisons", args=[run.pk]), {"drawn": "at random"})
    others = rows_of(client, run, drawn="by answers")

    assert len(held_out) > 0
    assert {(row.answer.first_id, row.answer.second_id) for row in at_random.context["entries"]} == held_out
    assert at_random.content.decode().count("held out, drawn at random</span>") == len(held_out)
    assert len(others) == run.comparisons.count() - len(held_out)
    assert not {(row.first_id, row.second_id) for row in others} & held_out


def test_answers_of_a_run_that_is_not_adaptive_are_not_filtered_by_how_pairs_were_drawn(client, run):
    shown = client.get(reverse("run-comparisons", args=[run.pk]), {"drawn": "at random"})

    assert len(shown.context["entries"]) == 2
    assert "Pairs drawn" not in shown.content.decode()


def test_texts_of_the_judge_are_shown_as_text(client, run):
    run.comparisons.update(text="<script>alert(1)</script>")
    Context.objects.update(key="<script>alert(1)</script>")

    assert "<script>alert(1)" not in client.get(reverse("run-comparisons", args=[run.pk])).content.decode()


def test_prepair_shows_the_reasoning_about_each_text(client, researcher):
    run = answer_run(make_run(make_dataset(candidates=(2,)), prompt="prepair-1", owner=researcher))
    candidate = run.comparisons.first().first
    Reasoning.objects.create(
        judge=run.judge,
        question_sha256=run.reasoning_sha256,
        candidate=candidate,
        max_new_tokens=256,
        text="Dull.",
        complete=False,
    )

    page = client.get(reverse("run-comparisons", args=[run.pk])).content.decode()

    assert page.count("Dull.") == page.count("Reasoning about this text, cut at its limit of 256 tokens") == 2


def test_cot_shows_the_reasoning_about_the_pair(client, researcher):
    run = answer_run(make_run(make_dataset(candidates=(2,)), prompt="cot-1", owner=researcher))
    shown = run.comparisons.first()
    Reasoning.objects.create(
        judge=run.judge,
        question_sha256=run.reasoning_sha256,
        candidate=shown.first,
        second=shown.second,
        max_new_tokens=256,
        text="Dull beside the other.",
    )

    page = client.get(reverse("run-comparisons", args=[run.pk])).content.decode()

    assert page.count("Dull beside the other.") == 1


def test_scores_of_a_scoring_run_are_listed(client, researcher):
    run = make_run(make_dataset(candidates=(2,)), owner=researcher)
    Run.objects.filter(pk=run.pk).update(method="scoring", is_scoring=True)
    candidate = run.dataset.contexts.get().candidates.first()
    Score.objects.create(run=run, context=candidate.context, candidate=candidate, outcome="answered", value=4.5)

    page = client.get(reverse("run-comparisons", args=[run.pk])).content.decode()
    lines = client.get(reverse("run-csv", args=[run.pk])).getvalue().decode().splitlines()

    assert "<strong>4.5</strong>" in page
    assert lines[1].startswith("c0,coherence,a,4.5,comparative-1,scoring")


@pytest.mark.parametrize(("query", "keys"), [({"context": "c1"}, ["c"]), ({"outcome": "unparsed"}, ["b"])])
def test_scores_are_filtered(client, researcher, query, keys):
    run = make_run(make_dataset(candidates=(2, 3)), prompt="scoring-1", owner=researcher)
    for context, key, value in (("c0", "a", 4.0), ("c0", "b", None), ("c1", "c", 4.0)):
        one = Candidate.objects.get(context__key=context, key=key)
        outcome = "unparsed" if value is None else "answered"
        Score.objects.create(run=run, context_id=one.context_id, candidate=one, outcome=outcome, value=value)

    shown = client.get(reverse("run-comparisons", args=[run.pk]), query).context["entries"]

    assert [row.answer.candidate.key for row in shown] == keys


def test_csv_has_a_line_for_every_answer(client, run):
    lines = client.get(reverse("run-csv", args=[run.pk])).getvalue().decode().splitlines()

    rows = list(csv.DictReader(lines))
    assert [(row["first"], row["second"], row["p_first"], row["decision"]) for row in rows] == [
        ("a", "b", "0.7", "first"),
        ("b", "a", "0.7", "first"),
    ]


def test_csv_keeps_texts_from_being_formulas(client, run):
    for start in "=+-@":
        run.comparisons.update(text=f"{start}HYPERLINK(1)")

        lines = client.get(reverse("run-csv", args=[run.pk])).getvalue().decode().splitlines()

        assert {row["text"] for row in csv.DictReader(lines)} == {f"'{start}HYPERLINK(1)"}


def test_json_lines_have_texts_as_they_are(client, run):
    run.comparisons.update(text="=1+1")

    lines = client.get(reverse("run-jsonl", args=[run.pk])).getvalue().decode().splitlines()

    assert {json.loads(line)["text"] for line in lines} == {"=1+1"}


@pytest.mark.parametrize("n", [2, 4])
def test_answers_need_the_same_queries_for_any_number_of_rows(client, researcher, django_assert_num_queries, n):
    run = answer_run(make_run(make_dataset(candidates=(n,)), prompt="prepair-1", owner=researcher))

    with django_assert_num_queries(7):
        client.get(reverse("run-comparisons", args=[run.pk]))


def test_long_list_shows_its_first_rows_and_says_that_there_are_more(client, run, monkeypatch):
    monkeypatch.setattr("judging.web.paging.MOST_ROWS", 1)

    response = client.get(reverse("run-comparisons", args=[run.pk]), {"page": 2})

    assert len(response.context["entries"]) == 1
    assert "More than 1 answers. The pages show the first 1; the downloads have them all." in response.content.decode()


def test_answers_stand_in_the_order_of_the_dataset(client, run):
    last = run.comparisons.last()
    moved = run.comparisons.first()
    moved.delete()
    moved.pk = None
    moved.save()

    assert [row.pk for row in rows_of(client, run)] == [moved.pk, last.pk]
