"""Our own format: contexts, candidates and votes, and the problems of each."""

import pytest

from evenhand.formats import AttributeRecord, CandidateRecord, ContextRecord, DatasetRecord, VoteRecord, read_dataset
from tests.evenhand.formats.small_files import COHERENCE, VOTE, candidate, context, dataset_problems, header, json_lines

PAIR = [candidate(), candidate(candidate="b")]
CHOICES = '"first" or "second" or "tie" or "both-bad" or "cannot-judge"'
KEYS = (
    "attribute, first, second, choice, rater, "
    "strength, confidence, comment, seconds, campaign, guidelines, excluded, purpose, reading_aids, "
    "gold_answer, voted_at, exclude_reason"
)


def test_read_dataset_accepts_everything_the_format_has():
    file = json_lines(
        header(
            description="Two summaries.",
            licence="CC0",
            context_noun="article",
            candidate_noun="summary",
            attributes=[
                {"name": "coherence", "adjective": "coherent", "definition": "Flows.", "minimum": 1, "maximum": 5},
                {"name": "overall"},
            ],
        ),
        {
            "context": "c1",
            "text": "An article.",
            "subset": "Neighbor",
            "reference": "A summary.",
            "fields": {"turn": 2, "language": "en"},
            "candidates": [
                {
                    "candidate": "a",
                    "system": "M8",
                    "text": "One.",
                    "scores": {"coherence": 4.33},
                    "ratings": {"coherence": {"rater-1": 4, "rater-2": 5}},
                },
                {"candidate": "b", "text": ""},
            ],
            "votes": [{"attribute": "overall", "first": "b", "second": "a", "choice": "tie", "rater": "h1"}],
        },
    )

    assert read_dataset([file]) == DatasetRecord(
        description="Two summaries.",
        licence="CC0",
        context_noun="article",
        candidate_noun="summary",
        attributes=(
            AttributeRecord("coherence", adjective="coherent", definition="Flows.", minimum=1, maximum=5),
            AttributeRecord("overall"),
        ),
        contexts=(
            ContextRecord(
                key="c1",
                text="An article.",
                subset="Neighbor",
                reference="A summary.",
                fields={"turn": "2", "language": "en"},
                candidates=(
                    CandidateRecord(
                        key="a",
                        text="One.",
                        system="M8",
                        scores={"coherence": 4.33},
                        ratings={"coherence": {"rater-1": 4, "rater-2": 5}},
                    ),
                    CandidateRecord(key="b", text=""),
                ),
                votes=(VoteRecord("overall", first="b", second="a", choice="tie", rater="h1"),),
            ),
        ),
        format="evenhand",
    )


@pytest.mark.parametrize(
    ("score", "described"),
    [
        ("six", '"six"'),
        ("4", '"4"'),
        (None, "null"),
        (True, "true"),
        (float("nan"), "NaN"),
        (float("inf"), "Infinity"),
        (10**400, "an integer of 1329 bits"),
        ([4], "a list of 1"),
        (0.99, "0.99"),
        (5.01, "5.01"),
    ],
)
def test_read_dataset_refuses_scores_that_are_not_numbers_within_the_range(score, described):
    file = json_lines(
        header(attributes=[COHERENCE]),
        context(candidates=[candidate(scores={"coherence": score}, ratings={"coherence": {"r1": score}})]),
    )

    assert dataset_problems(file) == [
        f"data.jsonl:2: candidates[0].scores.coherence: {described} — expected a number from 1 to 5",
        f"data.jsonl:2: candidates[0].ratings.coherence.r1: {described} — expected a number from 1 to 5",
    ]


@pytest.mark.parametrize(
    ("bounds", "expected"),
    [({}, "a number"), ({"minimum": 1}, "a number of at least 1"), ({"maximum": -1}, "a number of at most -1")],
)
def test_read_dataset_names_the_bounds_of_an_attribute(bounds, expected):
    score = "x" if not bounds else 0
    file = json_lines(
        header(attributes=[{"name": "q", **bounds}]), context(candidates=[candidate(scores={"q": score})])
    )

    [problem] = dataset_problems(file)

    assert problem.endswith(f"— expected {expected}")


@pytest.mark.parametrize("key", ["context", "text", "candidates"])
def test_read_dataset_refuses_a_context_with_a_missing_key(key):
    [problem] = dataset_problems(json_lines(context(), {**context(context="c2"), key: None}, context(context="c3")))

    assert problem.startswith(f"data.jsonl:2: {key}: null — expected")


@pytest.mark.parametrize(("key", "empty"), [("context", ""), ("context", " \n"), ("text", " \n")])
def test_read_dataset_refuses_an_empty_identifier_or_blank_text(key, empty):
    [problem] = dataset_problems(json_lines(context(**{key: empty})))

    assert problem.endswith("— expected a text that is not empty")


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (context(text=None), "text: missing — expected a text"),
        (context(context=7), "context: 7 — expected a text"),
        (context(subset=3), "subset: 3 — expected a text"),
        (context(subset="all"), 'subset: "all" — expected another name: in reports "all" is the whole dataset'),
        (context(fields=[1]), "fields: a list of 1 — expected an object"),
        (context(fields={"turn": 1.5}), "fields.turn: 1.5 — expected a text"),
        (
            context(fields={"turn": "all"}),
            'fields.turn: "all" — expected another name: in reports "all" is the whole dataset',
        ),
        (
            context(fields={"subset": "x"}),
            'fields.subset: "subset" — expected another name for a field: each context has a subset of its own',
        ),
        (context(candidates=[]), "candidates: a list of 0 — expected a list of at least one object"),
        (context(candidates="a"), 'candidates: "a" — expected a list of at least one object'),
        (context(candidates=["a"]), 'candidates[0]: "a" — expected an object'),
        (context(candidates=[candidate(text=None)]), "candidates[0].text: missing — expected a text"),
        (context(candidates=[candidate(text=5)]), "candidates[0].text: 5 — expected a text"),
        (
            context(candidates=[candidate(candidate="")]),
            'candidates[0].candidate: "" — expected a text that is not empty',
        ),
        (context(candidates=[candidate(scores=[1])]), "candidates[0].scores: a list of 1 — expected an object"),
        (context(candidates=[candidate(ratings={"q": 4})]), "candidates[0].ratings.q: 4 — expected an object"),
        (
            context(candidates=[candidate(ratings={"q": {"": 4}})]),
            'candidates[0].ratings.q: "" — expected a text that is not empty',
        ),
        (
            context(candidates=[candidate(scores={" ": 4})]),
            'candidates[0].scores. : " " — expected a text that is not empty',
        ),
        (context(votes={}), "votes: an object with 0 keys — expected a list of objects"),
        (
            context(text="a\0b"),
            'text: "a\\u0000b" — expected text without the character U+0000 and without lone surrogates',
        ),
        (
            context(text="a\ud800b"),
            'text: "a\\ud800b" — expected text without the character U+0000 and without lone surrogates',
        ),
        (context(context="k" * 501), f'context: "{"k" * 60}…" (501 characters) — expected at most 500 characters'),
    ],
)
def test_read_dataset_refuses_a_line(line, problem):
    assert dataset_problems(json_lines(line)) == [f"data.jsonl:1: {problem}"]


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"first": "z"}, 'first: "z" — expected a candidate of context "c1"'),
        ({"second": "z"}, 'second: "z" — expected a candidate of context "c1"'),
        ({"second": "a"}, 'second: "a" — expected a candidate other than first'),
        ({"choice": "both"}, f'choice: "both" — expected {CHOICES}'),
        ({"choice": True}, f"choice: true — expected {CHOICES}"),
        ({"rater": ""}, 'rater: "" — expected a text that is not empty'),
        ({"rater": 3}, "rater: 3 — expected a text"),
        ({"attribute": 3}, "attribute: 3 — expected a text"),
        ({"when": "now"}, f"when: unknown key — expected one of {KEYS}"),
    ],
)
def test_read_dataset_refuses_a_vote(changes, problem):
    file = json_lines(context(candidates=PAIR, votes=[VOTE, {**VOTE, **changes}]))

    assert dataset_problems(file) == [f"data.jsonl:1: votes[1].{problem}"]


def test_read_dataset_refuses_a_vote_without_an_answer():
    file = json_lines(context(candidates=PAIR, votes=[{"attribute": "overall", "first": "a", "second": "b"}]))

    assert dataset_problems(file) == [
        f"data.jsonl:1: votes[0].choice: missing — expected {CHOICES}",
        "data.jsonl:1: votes[0].rater: missing — expected a text",
    ]


def test_read_dataset_keeps_repeated_votes_of_one_rater():
    file = json_lines(context(candidates=PAIR, votes=[VOTE, VOTE]))

    assert len(read_dataset([file]).contexts[0].votes) == 2


def test_read_dataset_refuses_repeated_identifiers():
    assert dataset_problems(json_lines(context(), context(candidates=[candidate(), candidate()]))) == [
        'data.jsonl:2: context: "c1" again — expected each context once; data.jsonl has it on line 1',
        'data.jsonl:2: candidates[1].candidate: "a" again — expected each candidate of context "c1" once',
    ]


def test_read_dataset_refuses_two_ratings_of_one_rater_whose_name_differs_in_spaces():
    one = candidate(ratings={"q": {"r": 1, " r": 2}, " q": {"s": 3, "r ": 4}})

    assert dataset_problems(json_lines(context(candidates=[one]))) == [
        'data.jsonl:1: candidates[0].ratings.q. r: "r" again — expected each rater of an attribute once',
        'data.jsonl:1: candidates[0].ratings. q.r : "r" again — expected each rater of an attribute once',
    ]


def test_read_dataset_refuses_unknown_keys():
    file = json_lines(
        header(name="d", attributes=[{"name": "q", "min": 1}]),
        context(contxt="c", candidates=[candidate(score={"q": 1})]),
    )

    assert dataset_problems(file) == [
        "data.jsonl:1: dataset.name: unknown key — expected one of "
        "description, licence, context_noun, candidate_noun, attributes",
        "data.jsonl:1: dataset.attributes[0].min: unknown key — expected one of "
        "name, adjective, definition, minimum, maximum",
        "data.jsonl:2: contxt: unknown key — expected one of "
        "context, text, subset, reference, fields, candidates, votes",
        "data.jsonl:2: candidates[0].score: unknown key — expected one of candidate, system, text, scores, ratings",
    ]
