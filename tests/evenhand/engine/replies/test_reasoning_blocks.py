"""Reasoning and answer in one text, and where the tokens of the answer begin."""

import pytest

from evenhand.engine.replies.reasoning_blocks import tokens_of_text


@pytest.mark.parametrize(
    ("tokens", "text", "index"),
    [
        (["Hm", "</think>", " B", "</s>"], "B", 2),
        (["A", "</think>", "A"], "A", 2),
        (["Hm", ".", "</think>"], "", 3),
        (["Hm", ".", "</think>"], "B", 3),
    ],
)
def test_tokens_of_the_answer_are_the_last_that_spell_it(tokens, text, index):
    assert tokens_of_text(tokens, text) == index
