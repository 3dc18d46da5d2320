"""The documentation is in short sentences."""

from tests.docs.sentences import pages, sentence_lengths, share_of_short


def test_nine_of_ten_sentences_of_the_docs_are_short():
    lengths = [length for page in pages() for length in sentence_lengths(page)]

    assert share_of_short(lengths) >= 0.9


def test_tutorials_and_how_tos_are_in_short_sentences():
    written = ("first-study", "csv-to-latex", "paper", "add-a-judge", "recruit-annotators", "reproduce-papers", "gpu")
    lengths = [length for page in pages() if page.stem in written for length in sentence_lengths(page)]

    assert share_of_short(lengths) > 0.95
