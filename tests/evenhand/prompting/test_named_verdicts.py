"""Verdict patterns by name, each with replies as judges write them."""

import pytest

from evenhand.engine.replies.reply_verdicts import read_verdict
from evenhand.prompting.named_verdicts import NAMED_VERDICTS

REPLIES = {
    "brackets": {"Fine. [[A]]": "first", "**[[B]]**": "second", "[[C]]": "tie", "[[D]]": None},
    "five-levels": {
        **{"[[A>>B]]": "first", "[[A>B]]": "first", "[[A=B]]": "tie", "[[B>A]]": "second", "[[B>>A]]": "second"},
        **{"[[A]]": None, "[[A<B]]": None},
    },
    "output-letter": {
        **{"Output (a)": "first", "**Output (b)**": "second", "Output (b), not Output (a).": "second"},
        "I prefer Output (a).": None,
    },
    "output-letter-is-better": {"Why? Therefore, Output (b) is better.": "second", "Output (a) is fine.": None},
    "result-letter": {
        **{
            "Fine. [RESULT] A": "first",
            "[RESULT] (B)": "second",
            "[RESULT: A]": "first",
            "[RESULT] Response B": "second",
        },
        **{"[RESULT] A or\n[RESULT] B": "second", "A": None},
    },
    "two-scores": {"8 6\nWhy.": "first", "6, 8": "second", "7 7": "tie", "8 11": None, "Scores: 8 6": None},
    "json-winner": {
        '{"winner": "A"}': "first",
        '{"winner":"B"}': "second",
        '{"winner": "tie"}': "tie",
        '{"w": "A"}': None,
    },
    "rating-10": {"Rating: [[10]]": 10.0, "Rating: [[7.5]]": 7.5, "Rating: [[11]]": None, "[[7]]": None},
    "result-score": {
        "[RESULT] 5": 5.0,
        "[RESULT] (1)": 1.0,
        "[RESULT: 3]": 3.0,
        "[RESULT] 6": None,
        "[RESULT] 0": None,
    },
}


def test_every_named_pattern_has_examples():
    assert set(REPLIES) == set(NAMED_VERDICTS)


@pytest.mark.parametrize("name", REPLIES)
def test_named_pattern_reads_replies_of_its_kind_and_no_others(name):
    pattern = NAMED_VERDICTS[name].pattern

    read = {reply: read_verdict(reply, pattern).verdict for reply in REPLIES[name]}

    assert {reply: verdict and verdict.reading for reply, verdict in read.items()} == REPLIES[name]
