"""Metrics of texts, against cases computed by hand. BLEU, chrF: 0 to 100; ROUGE, METEOR: 0 to 1."""

from math import exp

import pytest

from evenhand.engine.metrics import MetricQuestion
from tests.evenhand.engine.metrics.questions import against_reference, open_metric, score_of

CANDIDATE, REFERENCE = "the cat sat on the mat", "the cat is on the mat"


def test_bleu_is_the_mean_of_smoothed_precisions_lowered_by_a_short_length():
    # 5 of 6 words, 3 of 5 pairs, 1 of 4 threes, none of 3 fours: smoothed to 1/(2 · 3)
    by_hand = 100 * (5 / 6 * 3 / 5 * 1 / 4 * 1 / 6) ** (1 / 4)

    assert score_of("bleu", CANDIDATE, REFERENCE) == pytest.approx(by_hand, abs=1e-9)

    by_hand = 100 * exp(1 - 6 / 2)  # both words and the pair are right, longer orders are left out

    assert score_of("bleu", "the cat", REFERENCE) == pytest.approx(by_hand, abs=1e-9)


def test_chrf_counts_recall_twice_and_differs_with_words():
    # "abc" in "abcd": all its 3, 2 and 1 n-grams match, of the other's 4, 3 and 2. "abc" has no longer n-grams.
    recall = (3 / 4 + 2 / 3 + 1 / 2) / 3
    by_hand = 100 * 5 * recall / (4 + recall)

    assert score_of("chrf", "abc", "abcd") == pytest.approx(by_hand, abs=1e-9)
    assert score_of("chrf++", CANDIDATE, REFERENCE) > score_of("chrf", CANDIDATE, REFERENCE)


@pytest.mark.parametrize(
    ("metric", "by_hand"),
    [("rouge-1", 5 / 6), ("rouge-2", 3 / 5), ("rouge-l", 5 / 6)],
    ids=["words", "pairs of words", "longest common subsequence"],
)
def test_rouge_is_f1_of_what_both_texts_share(metric, by_hand):
    assert score_of(metric, CANDIDATE, REFERENCE) == pytest.approx(by_hand, abs=1e-12)


def test_rouge_is_f1_of_unequal_precision_and_recall_of_stemmed_words():
    # candidate against reference: precision 1, recall 2/6
    assert score_of("rouge-1", "the cat", REFERENCE) == pytest.approx(2 * 1 * (2 / 6) / (1 + 2 / 6), abs=1e-12)
    assert score_of("rouge-1", "She painted boats.", "she paints a boat") == pytest.approx(6 / 7, abs=1e-12)


@pytest.mark.parametrize("texts", [("猫がいる", "the cat"), ("the cat", "猫がいる")], ids=["candidate", "reference"])
def test_rouge_refuses_a_text_in_which_it_reads_nothing(texts):
    (answer,) = open_metric("rouge-1").scores([against_reference(*texts)]).answers

    assert answer.error == "ROUGE reads the letters a to z and digits alone, and '猫がいる' has none"


def test_meteor_weighs_recall_and_lowers_by_chunks():
    # 5 of 6 words match, in 2 chunks
    by_hand = 5 / 6 * (1 - 0.5 * (2 / 5) ** 3)

    assert score_of("meteor-no-synonyms", CANDIDATE, REFERENCE) == pytest.approx(by_hand, abs=1e-12)


@pytest.mark.parametrize(("metric", "length"), [("length", 12), ("length-words", 3)])
def test_length_is_of_the_text_alone(metric, length):
    (answer,) = open_metric(metric).scores([MetricQuestion("", "", "", "", candidate="The  cat sät")]).answers

    assert answer.score == length


@pytest.mark.parametrize("metric", ["bleu", "chrf", "rouge-l", "meteor-no-synonyms"])
def test_empty_text_shares_nothing(metric):
    assert score_of(metric, "", REFERENCE) == 0


@pytest.mark.parametrize(
    ("metric", "begins"),
    [
        ("bleu", "BLEU|nrefs:1|case:mixed|eff:yes|tok:13a|smooth:exp|version:2."),
        ("chrf", "chrF2|nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|version:2."),
        ("chrf++", "chrF2++|nrefs:1|case:mixed|eff:yes|nc:6|nw:2|space:no|version:2."),
        ("rouge-l", "rougeL|F1|tok:a-z0-9|case:lower|stemmer:Porter|version:rouge-score 0."),
        ("meteor-no-synonyms", "METEOR|tok:nltk words|case:lower|stemmer:Porter|synonyms:none|alpha:0.9|"),
        ("length", "length|unit:character"),
    ],
)
def test_metric_has_a_signature_to_cite(metric, begins):
    description = open_metric(metric).describe()

    assert (description.model, description.signature[: len(begins)]) == (metric, begins)
