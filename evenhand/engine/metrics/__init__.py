"""Metrics as judges: they score a text, mostly against another text. They answer no questions.

This file loads no library, so web processes can read the names of metrics here.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from types import MappingProxyType

from evenhand.engine.metrics.text_metrics import Against, MetricQuestion

BERTSCORE, REWARD = "bertscore", "reward"

BERTSCORE_LAYERS: Mapping[str, int] = MappingProxyType(
    {
        "bert-base-uncased": 9,
        "bert-large-uncased": 18,
        "bert-base-multilingual-cased": 9,
        "bert-base-chinese": 8,
        "distilbert-base-uncased": 5,
        "roberta-base": 10,
        "roberta-large": 17,
        "roberta-large-mnli": 19,
        "distilroberta-base": 5,
        "xlm-roberta-base": 9,
        "xlm-roberta-large": 17,
        "microsoft/deberta-large-mnli": 18,
        "microsoft/deberta-xlarge-mnli": 40,
        "facebook/bart-large-mnli": 11,
    }
)
"""hub id -> layer of bert-score 0.3.13, chosen on human judgments of translations [Zhang2020]."""


@dataclass(frozen=True, slots=True)
class MetricName:
    """The parts of a metric's name: `bleu`, `bertscore:roberta-large`, `bertscore:/models/roberta#17`, `reward:/rm`.

    model: hub id or folder of its model. layer: of BERTScore, whose states are compared, from 1; None if unknown.
    """

    kind: str
    model: str = ""
    layer: int | None = None

    @property
    def loads_model(self) -> bool:
        """True if the metric needs a model, with a revision, a precision and a device."""
        return self.kind in (BERTSCORE, REWARD)


def metric_name(model: str) -> MetricName:
    """Split a judge's `model` into parts. An unknown name stays in `kind`; an invalid layer becomes None."""
    kind, _, rest = model.partition(":")
    if kind == REWARD:
        return MetricName(kind, rest)
    if kind != BERTSCORE:
        return MetricName(model)
    name, mark, number = rest.rpartition("#")
    if not mark:
        hub_id = rest.removeprefix("FacebookAI/").removeprefix("google-bert/")
        return MetricName(kind, rest, BERTSCORE_LAYERS.get(hub_id))
    return MetricName(kind, name, int(number) if number.isascii() and number.isdigit() and int(number) else None)


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
        "chrf++": KnownMetric(Library.SACREBLEU, "chrF2 of characters, words and pairs of words, from 0 to 100"),
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
        "reward": KnownMetric(
            Library.TRANSFORMERS,
            "the number of a reward model for the text as a response to the context: reward:MODEL",
            against=("context", ""),
        ),
        "length": KnownMetric(Library.OURS, "characters of the text alone", against=("",)),
        "length-words": KnownMetric(Library.OURS, "words of the text alone, separated by white space", against=("",)),
    }
)
"""The metrics by name."""
