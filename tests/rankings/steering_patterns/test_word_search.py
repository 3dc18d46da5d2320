"""Words are found in the texts that hold them, whatever their letters and wherever they stand."""

import re

from hypothesis import given
from hypothesis import strategies as st

from rankings.steering_patterns.steering_matches import WordSearch
from tests.evenhand.formats.small_files import many_examples

TEXTS = st.text("abA/éÉ_\n\x1e", max_size=6)
WORDS = st.text("ab/é", min_size=1, max_size=4)


@many_examples
@given(st.lists(TEXTS, min_size=1, max_size=5), st.sets(WORDS, min_size=1, max_size=4))
def test_the_texts_with_a_word_are_found(texts, words):
    search = WordSearch(texts, frozenset(words))

    for word in words:
        assert search.numbers_with([word]) == [number for number, text in enumerate(texts) if word in text.lower()]


def test_a_text_with_one_of_several_words_is_named_once():
    search = WordSearch(["no", "best of the best", "better"], frozenset({"best", "better"}))

    assert search.numbers_with(["best", "better"]) == [1, 2]


@many_examples
@given(st.lists(TEXTS, max_size=5), st.integers(0, 3))
def test_texts_with_few_ascii_letters_are_found(texts, most):
    search = WordSearch(texts, frozenset())

    few = [number for number, text in enumerate(texts) if len(re.findall(r"\w", text, re.ASCII)) <= most]
    assert search.numbers_of_short(most) == few
