"""Metrics as judges: a text and what it is held against in, a number out. No model is asked in words.

This file loads no library; the web process knows the names of metrics from here.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from judging.engine.metrics.metric_names import BERTSCORE, MetricName, metric_name
from judging.engine.metrics.metric_questions import Against, MetricQuestion

__all__ = ["AGAINST", "BERTSCORE", "METRICS", "Against", "MetricName", "MetricQuestion", "metric_name"]

METRICS: Mapping[str, str] = MappingProxyType(
    {
        "bleu": "BLEU of one text, from 0 to 100",
        "chrf": "chrF2, from 0 to 100",
        "chrf++": "chrF2 with words and pairs of words beside characters, from 0 to 100",
        "rouge-1": "F1 of words, from 0 to 1; English",
        "rouge-2": "F1 of pairs of words, from 0 to 1; English",
        "rouge-l": "F1 of the longest common subsequence of words, from 0 to 1; English",
        "meteor": "METEOR by words, stems and synonyms, from 0 to 1; English",
        "meteor-no-synonyms": "the same without synonyms, which needs no WordNet",
        "bertscore": "F1 of contextual embeddings of a named model: bertscore:MODEL or bertscore:MODEL#LAYER",
        "length": "characters of the text alone",
        "length-words": "words of the text alone, parted by white space",
    }
)
"""name -> what it gives."""

AGAINST: Mapping[str, tuple[Against, ...]] = MappingProxyType(
    {name: ("",) if name.startswith("length") else ("reference", "context") for name in METRICS}
)
"""name -> what it can hold a text against, the usual first: the context's reference, its text, or nothing."""
