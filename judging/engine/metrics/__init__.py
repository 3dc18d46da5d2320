"""Metrics as judges: they score a text, mostly against another text. They answer no questions.

This file loads no library, so web processes can read the names of metrics here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from types import MappingProxyType

from judging.engine.metrics.metric_names import BERTSCORE, MetricName, metric_name
from judging.engine.metrics.metric_questions import Against, MetricQuestion

__all__ = ["BERTSCORE", "METRICS", "Against", "KnownMetric", "Library", "MetricName", "MetricQuestion", "metric_name"]


class Library(Enum):
    """The library that computes a metric."""

    OURS = "evenhand"
    SACREBLEU = "sacrebleu"
    ROUGE_SCORE = "rouge-score"
    NLTK = "nltk"
    TRANSFORMERS = "transformers"


@dataclass(frozen=True, slots=True)
class KnownMetric:
    """A metric that can be a judge.

    gives: description of its score. against: texts it can compare with, the default first: the context's reference, its
    text, or nothing (empty).
    """

    library: Library
    gives: str
    against: tuple[Against, ...] = ("reference", "context")


METRICS: Mapping[str, KnownMetric] = MappingProxyType(
    {
        "bleu": KnownMetric(Library.SACREBLEU, "BLEU of one text, from 0 to 100"),
        "chrf": KnownMetric(Library.SACREBLEU, "chrF2, from 0 to 100"),
        "chrf++": KnownMetric(
            Library.SACREBLEU, "chrF2 with words and pairs of words beside characters, from 0 to 100"
        ),
        "rouge-1": KnownMetric(Library.ROUGE_SCORE, "F1 of words, from 0 to 1; English"),
        "rouge-2": KnownMetric(Library.ROUGE_SCORE, "F1 of pairs of words, from 0 to 1; English"),
        "rouge-l": KnownMetric(
            Library.ROUGE_SCORE, "F1 of the longest common subsequence of words, from 0 to 1; English"
        ),
        "meteor": KnownMetric(Library.NLTK, "METEOR by words, stems and synonyms, from 0 to 1; English"),
        "meteor-no-synonyms": KnownMetric(Library.NLTK, "the same without synonyms, which needs no WordNet"),
        "bertscore": KnownMetric(
            Library.TRANSFORMERS,
            "F1 of contextual embeddings of a named model: bertscore:MODEL or bertscore:MODEL#LAYER",
        ),
        "length": KnownMetric(Library.OURS, "characters of the text alone", against=("",)),
        "length-words": KnownMetric(Library.OURS, "words of the text alone, parted by white space", against=("",)),
    }
)
"""The metrics by name."""
