"""The page of a run's answers pair by pair, its download and its API."""

import csv
import json
from hashlib import sha256

import pytest
from django.urls import reverse

from judging.models import Candidate, Comparison, HumanScore, Reasoning, Run, Vote
from judging.models.activity_and_looks import Look
from judging.services.datasets.dataset_changes import split_dataset
from tests.factories import answer_run, make_dataset, make_run
from tests.rankings.pages import read

pytestmark = pytest.mark.django_db


@pytest.fixture
def run(researcher) -> Run:
    """Context c0 has texts a, b, c. People prefer a to b and b to c. The judge prefers what it sees first."""
    dataset = make_dataset(candidates=(3, 2), owner=researcher)
    HumanScore.objects.all().delete()
    attribute = dataset.attributes.get()
    for key, value in (("a", 5.0), ("b", 3.0), ("c", 1.0)):
        candidate = Candidate.objects.get(context__key="c0", key=key)
        HumanScore.objects.create(candidate=candidate, attribute=attribute, value=value)
    run = answer_run(make_run(dataset, owner=researcher))
    answer_run(make_run(dataset, prompt="pairwise-1", owner=researcher), p_first=0.2)
    return run


def answer(run: Run, first: str, second: str, **changes: object) -> Comparison:
    """Change one answer of context c0."""
    one = run.comparisons.get(context__key="c0", first__key=first, second__key=second)
    Comparison.objects.filter(pk=one.pk).update(**changes)
    one.refresh_from_db()
    return one


def keys_of(client, run: Run, **query: object) -> list[str]:
    entries = client.get(reverse("run-answers", args=[run.pk]), query).context["entries"]
    return [f"{entry.sides[0].candidate.key}{entry.sides[1].candidate.key}" for entry in entries]


def test_page_shows_both_orders_of_a_pair_beside_peoples_preference(client, run):
    answer(run, "b", "a", p_first=0.25)

    entry = client.get(reverse("run-answers", args=[run.pk])).context["entries"][0]

    assert [(order.decision, order.p, order.right) for order in entry.orders] == [("A", 0.7, True), ("A", 0.75, True)]
    assert (entry.preferred, entry.score_gap) == ("A", 2.0)


def test_page_says_where_the_judge_disagrees_with_people_and_how_many_pairs_are_of_each_kind(client, run):
    page = read(client, "run-answers", run)

    assert page.count("✓ agrees") == 3
    assert page.count("✗ disagrees") == 3
    assert "wrong (3)" in page
    assert "orders disagree (4)" in page


def test_answer_of_an_unparsed_reply_is_a_dash_and_has_its_text(client, run):
    answer(run, "a", "b", outcome="unparsed", p_first=None, text="Both are fine.", problem="no-verdict")

    page = read(client, "run-answers", run, kind="unanswered")

    assert "Unparsed" in page
    assert "Both are fine." in page
    assert "ab" in "".join(keys_of(client, run, kind="unanswered"))


def test_votes_are_counted_at_the_text_that_they_chose(client, run):
    a, b = (Candidate.objects.get(context__key="c0", key=key) for key in "ab")
    for rater, choice in (("ann", "first"), ("bob", "first"), ("cem", "tie"), ("dan", "second")):
        Vote.objects.create(context=a.context, attribute=run.attribute, first=b, second=a, choice=choice, rater=rater)

    entry = client.get(reverse("run-answers", args=[run.pk])).context["entries"][0]

    assert ([side.votes for side in entry.sides], entry.ties) == ([1, 2], 1)


@pytest.mark.parametrize(
    ("query", "keys"),
    [
        ({}, ["ab", "ac", "bc", "ab"]),
        ({"kind": "wrong"}, ["ab", "ac", "bc"]),
        ({"kind": "right"}, []),
        ({"context": "c1"}, ["ab"]),
        ({"candidate": "b", "other": "a"}, ["ab", "ab"]),
        ({"context": "c0", "candidate": "c"}, ["ac", "bc"]),
        ({"score_gap_from": 3}, ["ac"]),
        ({"sort": "score_gap", "kind": "wrong"}, ["ac", "ab", "bc"]),
    ],
)
def test_filters_of_the_address_choose_the_pairs(client, run, query, keys):
    assert keys_of(client, run, **query) == keys


def test_invalid_filter_is_left_out_and_says_why(client, run):
    page = read(client, "run-answers", run, score_gap_from="wide")

    assert "&quot;wide&quot; — give a number of at least 0" in page
    assert "4 of 4 pairs" in " ".join(page.replace("<strong>", "").replace("</strong>", "").split())


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_download_has_the_comparisons_of_the_chosen_pairs(client, run, ending):
    response = client.get(
        reverse("run-answers-download", args=[run.pk, ending]), {"kind": "wrong", "score_gap_from": 3}
    )

    lines = response.getvalue().decode().splitlines()
    rows = list(csv.DictReader(lines)) if ending == "csv" else list(map(json.loads, lines))
    assert [
        (row["first"], row["second"], row["decision"], row["people_prefer"], str(row["right"]).lower()) for row in rows
    ] == [("a", "c", "first", "first", "true"), ("c", "a", "first", "second", "false")]


def test_api_returns_what_the_page_shows(client, run):
    answer = client.get(reverse("api-run-answers", args=[run.pk]), {"kind": "wrong", "limit": 1}).json()

    assert (answer["pairs"], answer["counts"]["wrong"], len(answer["answers"])) == (3, 3, 2)
    assert answer["answers"][1] | {"text": ""} == {
        "context": "c0",
        "attribute": run.attribute.name,
        "first": "b",
        "second": "a",
        "system_first": answer["answers"][0]["system_second"],
        "system_second": answer["answers"][0]["system_first"],
        "outcome": "answered",
        "p_first": 0.7,
        "decision": "first",
        "people_prefer": "second",
        "right": False,
        "score_gap": 2.0,
        "length_gap": 0.0,
        "text": "",
    }


def test_reasoning_about_each_text_stands_below_it(client, researcher):
    run = answer_run(make_run(make_dataset(candidates=(2,)), prompt="prepair-1", owner=researcher))
    Run.objects.filter(pk=run.pk).update(reasonings_planned=2)
    run.refresh_from_db()
    Reasoning.objects.create(
        judge=run.judge,
        question_sha256=run.reasoning_sha256,
        candidate=Candidate.objects.first(),
        text="It repeats itself.",
        max_new_tokens=10,
    )

    assert "It repeats itself." in read(client, "run-answers", run)


@pytest.mark.parametrize("name", ["run-answers", "api-run-answers"])
def test_run_of_scores_has_no_pairs(client, researcher, name):
    run = make_run(make_dataset(candidates=(2,)), prompt="scoring-1", owner=researcher)

    assert client.get(reverse(name, args=[run.pk])).status_code == 404


@pytest.mark.parametrize("n", [2, 4])
def test_page_takes_the_same_number_of_queries_for_any_number_of_pairs(
    client, researcher, django_assert_max_num_queries, n
):
    run = answer_run(make_run(make_dataset(candidates=(n,)), owner=researcher))
    client.get(reverse("run-answers", args=[run.pk]))

    with django_assert_max_num_queries(9):
        client.get(reverse("run-answers", args=[run.pk]))


def test_page_of_a_split_dataset_leads_from_wrong_answers_of_the_development_part_to_one_look_at_the_test(client, run):
    """Context c0, with three wrong answers, is for development; c1, of which people say nothing, for the test."""
    seed = next(
        seed for seed in range(9) if sha256(f"{seed}:c1".encode()).digest() < sha256(f"{seed}:c0".encode()).digest()
    )
    assert "To improve the prompt" not in read(client, "run-answers", run)
    split_dataset(run.dataset, seed=seed)

    page = read(client, "run-answers", run)

    ways = (
        "?kind=wrong&amp;part=development&amp;sort=error",
        f"{reverse('prompt-new')}?from={run.prompt_id}",
        f"{reverse('run-new', args=[run.dataset_id])}?only=part%3Ddevelopment&amp;like={run.pk}",
        f"{reverse('run-results', args=[run.pk])}?subsets_by=part",
        reverse("dataset-looks", args=[run.dataset_id]),
    )
    places = [page.index(f'href="{way}"') for way in ways]
    assert places == sorted(places)
    assert "No figure of the test part was shown so far." in page
    assert keys_of(client, run, kind="wrong", part="development") == ["ab", "ac", "bc"]
    assert not Look.objects.exists()
    assert keys_of(client, run, part="test") == ["ab"]
    assert client.get(f"/api/runs/{run.pk}/answers/", {"part": "test"}).json()["pairs"] == 1
    assert [(look.door, look.figures) for look in Look.objects.order_by("pk")] == [
        ("page", "answers"),
        ("API", "answers"),
    ]
    assert "Figures of the test part were shown 2 times, of 1 run, to 1 person." in read(client, "run-answers", run)
    client.get(reverse("run-answers-download", args=[run.pk, "csv"]), {"part": "test"})
    assert Look.objects.count() == 3
