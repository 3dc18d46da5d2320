"""Recorded replies as fine-tuned judges write them, read by verdict patterns."""

import json

import pytest

from evenhand.formats import SourceFile
from evenhand.refusals import Refused
from judging.services.datasets.recorded.judgment_files import kind_of_files, read_judgments, store_judgments
from judging.services.datasets.recorded.verdicts_in_replies import find_reply_reader
from tests.factories import make_dataset

pytestmark = pytest.mark.django_db

PROMETHEUS_RELATIVE = [
    "Feedback: Response A names the bridge and its year. Response B leaves both out. [RESULT] A",
    "Feedback: Both name the bridge, but only Response B is true to the article.\n[RESULT] (B)",
    "Feedback: Response A is the longer one, and Response B is as clear. [RESULT] Response B",
    "Feedback: Neither response keeps to the rubric, and I would choose neither of them.",
    "Feedback: Response A is fluent. [RESULT] A or [RESULT] B",
]
PROMETHEUS_ABSOLUTE = [
    "Feedback: The response follows the rubric, with one slip. So the overall score is 4. [RESULT] 4",
    "Feedback: It misses the point of the article. [RESULT] Score: 2",
    "Feedback: It is as good as it can be. [RESULT] 6",
]
JUDGELM = [
    "9 6\nAssistant 1 gives the whole answer, with 2 3 examples; Assistant 2 leaves them out.",
    "7.5, 8\nBoth are right, the second is shorter.",
    "8 8\nBoth answers are the same.",
    "Assistant 1 deserves 8 and Assistant 2 deserves 6.",
]


def file_of(*rows):
    content = "\n".join(json.dumps(row) for row in rows)
    return SourceFile("replies.jsonl", content.encode())


def pairs(replies):
    """A comparison of two candidates of the first context for each reply, in the order of the candidates."""
    names = [(first, second) for first in "abc" for second in "abc" if first != second]
    return [
        {"context": "c0", "attribute": "coherence", "first": first, "second": second, "reply": reply}
        for (first, second), reply in zip(names, replies, strict=False)
    ]


def store(rows, *, pattern, noun="comparisons"):
    dataset = make_dataset()
    kind = kind_of_files(noun, pattern, dataset)
    (run,) = store_judgments(read_judgments(kind, [file_of(*rows)]), dataset=dataset, judge_name="tuned")
    return run


@pytest.mark.parametrize("pattern", ["result-letter", "prometheus-relative-1"])
def test_relative_grades_of_prometheus_become_choices(pattern):
    run = store(pairs(PROMETHEUS_RELATIVE), pattern=pattern)

    assert list(run.comparisons.order_by("pk").values_list("choice", "outcome", "problem")) == [
        ("first", "answered", ""),
        ("second", "answered", ""),
        ("second", "answered", ""),
        ("", "unparsed", "no-verdict"),
        ("", "unparsed", "two-verdicts"),
    ]
    first = run.comparisons.order_by("pk")[0]
    assert first.thinking.endswith("leaves both out. ")
    assert first.text == "[RESULT] A"


@pytest.mark.parametrize("pattern", ["two-scores", "judgelm-1"])
def test_two_scores_of_judgelm_become_choices(pattern):
    run = store(pairs(JUDGELM), pattern=pattern)

    assert list(run.comparisons.order_by("pk").values_list("choice", "problem")) == [
        ("first", ""),
        ("second", ""),
        ("tie", ""),
        ("", "no-verdict"),
    ]
    assert run.comparisons.order_by("pk")[0].text == "9 6"


def test_five_levels_of_arena_hard_become_choices():
    replies = ["Far better. [[A>>B]]", "[[A>B]]", "It is [[A=B]].", "[[B>A]]", "**[[B>>A]]**", "[[A>B]], no, [[B>A]]"]

    run = store(pairs(replies), pattern="five-levels")

    assert list(run.comparisons.order_by("pk").values_list("choice", "problem")) == [
        ("first", ""),
        ("first", ""),
        ("tie", ""),
        ("second", ""),
        ("second", ""),
        ("", "two-verdicts"),
    ]


def test_absolute_grades_of_prometheus_become_scores():
    rows = [
        {"context": "c0", "attribute": "coherence", "candidate": key, "reply": reply}
        for key, reply in zip("abc", PROMETHEUS_ABSOLUTE, strict=True)
    ]

    run = store(rows, pattern="prometheus-absolute-1", noun="scores")

    assert list(run.scores.order_by("pk").values_list("value", "problem")) == [(4, ""), (2, ""), (None, "no-verdict")]


def test_row_with_an_error_is_an_error_and_an_empty_reply_has_no_verdict():
    rows = pairs(["", "Well. [[B]]"])
    del rows[0]["reply"]

    run = store([rows[0], rows[1] | {"error": "out of quota"}], pattern="brackets")

    assert list(run.comparisons.order_by("pk").values_list("outcome", "problem", "error")) == [
        ("unparsed", "no-verdict", ""),
        ("error", "", "out of quota"),
    ]


def test_pattern_of_a_prompt_is_read_in_the_words_of_the_attribute():
    run = store(pairs(["So. Therefore, Summary B is more coherent."]), pattern="cot-reply-1")

    assert run.comparisons.get().choice == "second"


@pytest.mark.parametrize(
    ("pattern", "problem"),
    [
        ("bracket", '"bracket" gives no comparisons (did you mean "brackets"?); choose one of: brackets, '),
        ("prometheus-absolute-1", '"prometheus-absolute-1" gives no comparisons'),
        ("cot-1", '"cot-1" gives no comparisons'),
    ],
)
def test_unknown_pattern_is_refused_with_those_that_exist(pattern, problem):
    with pytest.raises(Refused) as refusal:
        find_reply_reader(pattern, noun="comparisons", dataset=make_dataset())

    assert problem in str(refusal.value)


def test_file_without_replies_is_refused_with_its_columns():
    dataset = make_dataset()
    kind = kind_of_files("comparisons", "brackets", dataset)

    read = read_judgments(
        kind, [SourceFile("verdicts.csv", b"context,attribute,first,second,choice\nc0,x,a,b,first\n")]
    )

    assert [str(problem).split(" — ")[0] for problem in read.problems] == [
        'verdicts.csv:1: unknown column "choice"',
        "verdicts.csv:1: reply: missing",
    ]
