"""Our own format, read: what is taken, what is refused, in which words."""

import pytest

from judging.formats import (
    AttributeRecord,
    CandidateRecord,
    ContextRecord,
    DatasetRecord,
    VoteRecord,
    read_dataset,
)
from tests.judging.formats.files import candidate, context, dataset_problems, json_lines

COHERENCE = {"name": "coherence", "minimum": 1, "maximum": 5}
PAIR = [candidate(), candidate(candidate="b")]
VOTE = {"attribute": "overall", "first": "a", "second": "b", "choice": "first", "rater": "h1"}


def header(**values: object) -> dict[str, object]:
    return {"dataset": values}


def test_read_dataset_takes_everything_the_format_has():
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


def test_read_dataset_finds_attributes_in_order_of_appearance_without_a_header():
    file = json_lines(
        context(candidates=[candidate(scores={"z": 1}, ratings={"m": {"r": 2}}), candidate(candidate="b")]),
        context(context="c2", candidates=[candidate(scores={"a": 1, "z": 2}), candidate(candidate="b")], votes=[VOTE]),
    )

    assert [attribute.name for attribute in read_dataset([file]).attributes] == ["z", "m", "a", "overall"]


def test_read_dataset_finds_attributes_where_the_header_names_none():
    file = json_lines(header(description="d"), context(candidates=[candidate(scores={"z": 1})]))

    assert [attribute.name for attribute in read_dataset([file]).attributes] == ["z"]


def test_read_dataset_keeps_attributes_that_have_no_score():
    file = json_lines(header(attributes=[{"name": "overall"}]), context())

    assert read_dataset([file]).attributes == (AttributeRecord("overall"),)


def test_read_dataset_refuses_attributes_that_the_header_does_not_name():
    file = json_lines(
        header(attributes=[COHERENCE]),
        context(
            candidates=[candidate(scores={"coherense": 3}, ratings={"fluency": {"r": 1}}), candidate(candidate="b")],
            votes=[VOTE],
        ),
    )

    end = "— expected one of coherence, as the header says"
    assert dataset_problems(file) == [
        f'data.jsonl:2: candidates[0].scores.coherense: unknown attribute "coherense" {end}',
        f'data.jsonl:2: candidates[0].ratings.fluency: unknown attribute "fluency" {end}',
        f'data.jsonl:2: votes[0].attribute: unknown attribute "overall" {end}',
    ]


@pytest.mark.parametrize(
    ("score", "shown"),
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
def test_read_dataset_refuses_scores_that_are_no_number_of_the_range(score, shown):
    file = json_lines(
        header(attributes=[COHERENCE]),
        context(candidates=[candidate(scores={"coherence": score}, ratings={"coherence": {"r1": score}})]),
    )

    assert dataset_problems(file) == [
        f"data.jsonl:2: candidates[0].scores.coherence: {shown} — expected a number from 1 to 5",
        f"data.jsonl:2: candidates[0].ratings.coherence.r1: {shown} — expected a number from 1 to 5",
    ]


@pytest.mark.parametrize(
    ("bounds", "expected"),
    [({}, "a number"), ({"minimum": 1}, "a number of at least 1"), ({"maximum": -1}, "a number of at most -1")],
)
def test_read_dataset_names_the_bounds_there_are(bounds, expected):
    score = "x" if not bounds else 0
    file = json_lines(
        header(attributes=[{"name": "q", **bounds}]), context(candidates=[candidate(scores={"q": score})])
    )

    [problem] = dataset_problems(file)

    assert problem.endswith(f"— expected {expected}")


@pytest.mark.parametrize("key", ["context", "text", "candidates"])
def test_read_dataset_refuses_a_context_without(key):
    [problem] = dataset_problems(json_lines(context(), {**context(context="c2"), key: None}, context(context="c3")))

    assert problem.startswith(f"data.jsonl:2: {key}: null — expected")


@pytest.mark.parametrize("key", ["context", "text"])
@pytest.mark.parametrize("empty", ["", " \n"])
def test_read_dataset_refuses_an_empty(key, empty):
    [problem] = dataset_problems(json_lines(context(**{key: empty})))

    assert problem.endswith("— expected a text that is not empty")


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (context(text=None), "text: missing — expected a text"),
        (context(context=7), "context: 7 — expected a text"),
        (context(subset=3), "subset: 3 — expected a text"),
        (context(subset="all"), 'subset: "all" — expected another name: reports call the whole dataset so'),
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
            'text: "a\\u0000b" — expected text without the character U+0000 and without halves of surrogate pairs',
        ),
        (
            context(text="a\ud800b"),
            'text: "a\\ud800b" — expected text without the character U+0000 and without halves of surrogate pairs',
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
        ({"second": "a"}, 'second: "a" — expected another candidate than first'),
        ({"choice": "both"}, 'choice: "both" — expected "first" or "second" or "tie"'),
        ({"choice": True}, 'choice: true — expected "first" or "second" or "tie"'),
        ({"rater": ""}, 'rater: "" — expected a text that is not empty'),
        ({"rater": 3}, "rater: 3 — expected a text"),
        ({"attribute": 3}, "attribute: 3 — expected a text"),
        ({"when": "now"}, "when: unknown key — expected one of attribute, first, second, choice, rater"),
    ],
)
def test_read_dataset_refuses_a_vote(changes, problem):
    file = json_lines(context(candidates=PAIR, votes=[VOTE, {**VOTE, **changes}]))

    assert dataset_problems(file) == [f"data.jsonl:1: votes[1].{problem}"]


def test_read_dataset_refuses_a_vote_without_an_answer():
    file = json_lines(context(candidates=PAIR, votes=[{"attribute": "overall", "first": "a", "second": "b"}]))

    assert dataset_problems(file) == [
        'data.jsonl:1: votes[0].choice: missing — expected "first" or "second" or "tie"',
        "data.jsonl:1: votes[0].rater: missing — expected a text",
    ]


def test_read_dataset_keeps_repeated_votes_of_one_rater():
    file = json_lines(context(candidates=PAIR, votes=[VOTE, VOTE]))

    assert len(read_dataset([file]).contexts[0].votes) == 2


def test_read_dataset_refuses_identifiers_that_come_again():
    file = json_lines(context(), context(candidates=[candidate(), candidate()]))

    assert dataset_problems(file) == [
        'data.jsonl:2: context: "c1" again — expected each context once; data.jsonl has it on line 1',
        'data.jsonl:2: candidates[1].candidate: "a" again — expected each candidate of context "c1" once',
    ]


def test_read_dataset_refuses_keys_it_does_not_know():
    file = json_lines(
        header(name="d", attributes=[{"name": "q", "min": 1}]),
        context(contxt="c", candidates=[candidate(score={"q": 1})]),
    )

    assert dataset_problems(file) == [
        "data.jsonl:1: dataset.name: unknown key — expected one of "
        "description, licence, context_noun, candidate_noun, attributes",
        "data.jsonl:1: dataset.attributes[0].min: unknown key — expected one of "
        "name, adjective, definition, minimum, maximum",
        "data.jsonl:2: contxt: unknown key — expected one of context, text, subset, reference, candidates, votes",
        "data.jsonl:2: candidates[0].score: unknown key — expected one of candidate, system, text, scores, ratings",
    ]


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        ({"description": 5}, "description: 5 — expected a text"),
        (
            {"context_noun": "n" * 101},
            f'context_noun: "{"n" * 60}…" (101 characters) — expected at most 100 characters',
        ),
        ({"attributes": ["q"]}, 'attributes[0]: "q" — expected an object'),
        ({"attributes": [{}]}, "attributes[0].name: missing — expected a text"),
        (
            {"attributes": [{"name": "q"}, {"name": "q"}]},
            'attributes[1].name: "q" again — expected each attribute once',
        ),
        ({"attributes": [{"name": "q", "minimum": "1"}]}, 'attributes[0].minimum: "1" — expected a number'),
        (
            {"attributes": [{"name": "q", "minimum": 5, "maximum": 1}]},
            "attributes[0].maximum: 1 — expected a number greater than the minimum, 5",
        ),
    ],
)
def test_read_dataset_refuses_a_header(values, problem):
    assert dataset_problems(json_lines(header(**values), context())) == [f"data.jsonl:1: dataset.{problem}"]


def test_read_dataset_refuses_a_header_after_the_first_line():
    file = json_lines(context(), header(description="late"))

    assert dataset_problems(file) == [
        "data.jsonl:2: dataset: a header — expected a context; only the first line of a file is a header"
    ]


def test_read_dataset_refuses_a_header_without_contexts():
    assert dataset_problems(json_lines(header(description="d"))) == ["data.jsonl: no contexts — expected at least one"]


def test_read_dataset_joins_files_with_the_same_header():
    one = json_lines(header(attributes=[COHERENCE]), context(), name="1.jsonl")
    two = json_lines(header(attributes=[COHERENCE]), context(context="c2"), name="2.jsonl")
    three = json_lines(context(context="c3"), name="3.jsonl")

    dataset = read_dataset([one, two, three])

    assert [one.key for one in dataset.contexts] == ["c1", "c2", "c3"]
    assert [attribute.name for attribute in dataset.attributes] == ["coherence"]


def test_read_dataset_refuses_files_whose_headers_differ_or_whose_contexts_repeat():
    one = json_lines(header(description="one"), context(), name="1.jsonl")
    two = json_lines(header(description="two"), context(), name="2.jsonl")

    assert dataset_problems(one, two) == [
        "2.jsonl:1: dataset: another header — expected the same header as in 1.jsonl",
        '2.jsonl:2: context: "c1" again — expected each context once; 1.jsonl has it on line 2',
    ]
