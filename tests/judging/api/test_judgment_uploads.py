"""Recorded judgments by the HTTP API."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from judging.models import Run, Vote
from tests.factories import make_dataset, make_user

pytestmark = pytest.mark.django_db

SCORES = "context,attribute,candidate,score\nc0,coherence,a,4\n"
VOTES = "item,attribute,first,second,preferred,rater\nc0,coherence,a,b,B,h1\n"


@pytest.fixture
def dataset(client):
    rita = make_user("rita", "researcher")
    client.force_login(rita)
    make_dataset("Others", owner=rita)
    return make_dataset(owner=rita)


def post(client, dataset, text, **fields):
    file = SimpleUploadedFile("judged.csv", text.encode())
    return client.post(f"/api/datasets/{dataset.pk}/judgments/", {"files": file, **fields})


def test_scores_become_a_run(client, dataset):
    answer = post(client, dataset, SCORES, judgments="scores", judge="BARTScore")

    run = Run.objects.get()
    assert answer.status_code == 201
    assert answer.json() == {
        **{"dataset": "Summaries", "runs": [run.pk], "votes": 0, "ratings": 0, "raters": 0, "repeated": 0, "notes": []}
    }
    assert (run.dataset, run.judge.name, run.owner.username) == (dataset, "BARTScore", "rita")


def test_votes_are_read_by_a_mapping_which_later_ones_use_again(client, dataset):
    columns = [f"{name}={name}" for name in ("attribute", "first", "second", "rater")]
    mapping = {"map": [*columns, "context=item", "choice=preferred"], "choice": ["first=A", "second=B"]}

    dry = post(client, dataset, VOTES, judgments="votes", dry_run="true", **mapping)
    assert (dry.status_code, Vote.objects.count()) == (200, 0)
    answer = post(client, dataset, VOTES, judgments="votes", **mapping)
    given = Vote.objects.get()
    again = post(client, dataset, VOTES.replace("h1", "h2"), judgments="votes", mapping_of="Summaries")
    refused = post(client, dataset, VOTES, judgments="votes", mapping_of="Others")

    assert dry.json() == {
        "count": 1,
        "columns": ["context", "attribute", "first", "second", "choice", "rater"],
        "rows": [["c0", "coherence", "a", "b", "second", "h1"]],
        "notes": [],
    }
    assert (answer.status_code, answer.json()["votes"]) == (201, 1)
    assert given.choice == "second"
    assert again.json()["votes"] == 1
    assert refused.json()["problems"] == ['mapping: no votes on dataset "Others" were read by a mapping']


def test_comparisons_need_a_judge(client, dataset):
    answer = post(client, dataset, SCORES, judgments="scores")

    assert (answer.status_code, answer.json()["problems"]) == (
        400,
        ["judge: no name — name the judge, or give the files a column judge"],
    )


def test_another_researcher_adds_scores_as_an_own_run_but_no_votes(client, dataset):
    post(client, dataset, SCORES, judgments="scores", judge="BARTScore")
    client.force_login(make_user("olaf", "researcher"))

    scores = post(client, dataset, SCORES, judgments="scores", judge="BARTScore")

    assert (scores.status_code, Run.objects.get(pk=scores.json()["runs"][0]).owner.username) == (201, "olaf")
    assert post(client, dataset, VOTES, judgments="votes").status_code == 404


def test_a_mapping_of_another_researcher_is_not_kept_with_the_dataset(client, dataset):
    columns = [f"{name}={name}" for name in ("context", "attribute", "candidate")]
    fields = {"judgments": "scores", "map": [*columns, "score=score"]}
    post(client, dataset, SCORES, judge="BARTScore", **fields)
    client.force_login(make_user("olaf", "researcher"))

    answer = post(
        client,
        dataset,
        SCORES.replace("score\n", "grade\n"),
        judge="BLEU",
        **fields | {"map": [*columns, "score=grade"]},
    )

    dataset.refresh_from_db()
    assert answer.status_code == 201
    assert dataset.judgment_mappings["scores"]["map"] == [*columns, "score=score"]


def test_replies_are_read_by_a_pattern(client, dataset):
    text = "context,attribute,first,second,reply\nc0,coherence,a,b,Short. [[B]]\nc0,coherence,b,a,Hm.\n"
    fields = {"judgments": "comparisons", "judge": "GPT-4", "verdict_pattern": "brackets"}

    dry = post(client, dataset, text, dry_run="true", **fields)
    answer = post(client, dataset, text, **fields)

    assert dry.json()["columns"][:5] == ["context", "attribute", "first", "second", "choice"]
    assert [row[4] for row in dry.json()["rows"]] == ["second", "unparsed"]
    assert answer.status_code == 201
    assert list(Run.objects.get().comparisons.order_by("pk").values_list("outcome", "problem")) == [
        ("answered", ""),
        ("unparsed", "no-verdict"),
    ]


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"judgments": "votes"}, "verdict_pattern: Only comparisons and scores are read from replies."),
        ({"judgments": "scores", "judge": "x"}, 'verdict_pattern: "brackets" gives no scores; choose one of: '),
    ],
)
def test_pattern_that_does_not_fit_is_refused(client, dataset, fields, problem):
    answer = post(client, dataset, SCORES, verdict_pattern="brackets", **fields)

    assert answer.status_code == 400
    assert answer.json()["problems"][0].startswith(problem)


def test_a_table_with_texts_and_votes_needs_no_identifiers(client, dataset):
    text = "article,left,right,preferred,who,quality\n" + "".join(
        f"Article {number}.,Summary {first} of article {number}.,Summary {second} of article {number}.,A,h1,coherence\n"
        for number, first, second in ((0, "a", "c"), (1, "b", "a"))
    )
    columns = ["context_text=article", "text_first=left", "text_second=right", "attribute=quality", "choice=preferred"]

    answer = post(client, dataset, text, judgments="votes", map=[*columns, "rater=who"], choice=["first=A"])

    assert answer.status_code == 201
    assert list(Vote.objects.order_by("pk").values_list("context__key", "first__key", "second__key")) == [
        ("c0", "a", "c"),
        ("c1", "b", "a"),
    ]


def test_labels_of_a_log_are_given_a_meaning(client, dataset):
    results = [{"from_name": "coherence", "value": {"choices": [label]}} for label in ("Links", "Links", "Rechts")]
    annotations = [{"completed_by": number, "result": [result]} for number, result in enumerate(results)]
    log = json.dumps([{"id": "c0", "data": {"a": "Summary a.", "b": "Summary b."}, "annotations": annotations}])

    refused = post(client, dataset, log, judgments="votes")
    answer = post(client, dataset, log, judgments="votes", choice=["first=Links", "second=Rechts"])

    assert "no meaning of" in refused.json()["problems"][0]
    assert answer.json()["votes"] == 3


def test_choices_may_name_the_winner_but_have_no_second_meaning(client, dataset):
    text = "item,attribute,first,second,preferred,rater\nc0,coherence,a,b,b,h1\nc0,coherence,b,a,b,h1\n"
    columns = [f"{name}={name}" for name in ("attribute", "first", "second", "rater")]
    mapping = {"map": [*columns, "context=item", "choice=preferred"], "judgments": "votes"}

    fixed = post(client, dataset, text, choice=["first=a", "second=b"], **mapping)
    named = post(client, dataset, text, choice=["first=@first", "second=@second"], **mapping)

    assert (fixed.status_code, named.status_code) == (400, 201)
    assert "but is the name of first on this line" in fixed.json()["problems"][0]
    assert list(Vote.objects.order_by("pk").values_list("choice", flat=True)) == ["second", "first"]
