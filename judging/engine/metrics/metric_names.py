"""Read the name of a metric: `bleu`, `bertscore:roberta-large`, `bertscore:/models/roberta#17`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

BERTSCORE = "bertscore"

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
    """The parts of a metric's name.

    model: hub id or folder of BERTScore's model. layer: the layer whose states are compared, from 1; None if unknown.
    """

    kind: str
    model: str = ""
    layer: int | None = None

    @property
    def loads_model(self) -> bool:
        """True if the metric needs a model, with a revision, a precision and a device."""
        return self.kind == BERTSCORE


def metric_name(model: str) -> MetricName:
    """Split a judge's `model` into parts. An unknown name stays in `kind`; an invalid layer becomes None."""
    kind, _, rest = model.partition(":")
    if kind != BERTSCORE:
        return MetricName(model)
    name, mark, number = rest.rpartition("#")
    if not mark:
        return MetricName(
            kind, rest, BERTSCORE_LAYERS.get(rest.removeprefix("FacebookAI/").removeprefix("google-bert/"))
        )
    return MetricName(kind, name, int(number) if number.isascii() and number.isdigit() and int(number) else None)
