"""The words in which two texts differ."""

from judging.web.word_differences import MOST_WORDS, word_differences


def marked(first: str, second: str) -> list[str]:
    """Return both texts with [different parts] in brackets."""
    texts = word_differences(first, second)
    return ["".join(f"[{part.text}]" if part.is_different else part.text for part in text.parts) for text in texts]


def test_words_that_one_text_lacks_are_marked_in_the_other():
    assert marked("The council closed two libraries.", "The council closed three old libraries today.") == [
        "The council closed [two] libraries.",
        "The council closed [three old] libraries [today].",
    ]


def test_texts_keep_every_character():
    texts = ("\n  one  two\n\nthree — four\t", " two\r\nthree, five ")

    marked_texts = word_differences(*texts)

    assert tuple("".join(part.text for part in text.parts) for text in marked_texts) == texts


def test_equal_texts_have_no_marks_even_if_they_repeat_one_word():
    assert marked("so " * 500, "so " * 500) == ["so " * 500] * 2


def test_texts_without_a_common_word_are_marked_as_a_whole():
    assert marked("one two", "three") == ["[one two]", "[three]"]


def test_an_empty_text_has_no_parts_and_the_other_is_marked():
    assert marked("", "one two") == ["", "[one two]"]


def test_different_words_are_counted_with_punctuation():
    first, second = word_differences("Yes, two.", "Yes, three of four.")

    assert ((first.different, first.words), (second.different, second.words)) == ((1, 4), (3, 6))


def test_texts_of_too_many_words_are_not_compared():
    assert word_differences("word " * MOST_WORDS, "word") is not None
    assert word_differences("word " * (MOST_WORDS + 1), "word") is None
