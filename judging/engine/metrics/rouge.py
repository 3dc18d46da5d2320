"""ROUGE by rouge-score: the words that two texts share."""

from __future__ import annotations

from importlib.metadata import version

from rouge_score.rouge_scorer import RougeScorer
from rouge_score.tokenizers import DefaultTokenizer

from judging.engine.metrics.text_metrics import TextMetric, TextsRefused

ROUGE_TYPES = {"rouge-1": "rouge1", "rouge-2": "rouge2", "rouge-l": "rougeL"}


def rouge_metric(name: str) -> TextMetric:
    """ROUGE-1, -2 or -L [Lin2004]: F1, from 0 to 1, of stemmed words. ROUGE-L takes a text as one sequence."""
    kind = ROUGE_TYPES[name]
    words = DefaultTokenizer(use_stemmer=True)
    scorer = RougeScorer([kind], tokenizer=words)

    def score(candidate: str, other: str) -> float:
        for text in (candidate, other):
            _require_readable(text, words)
        return float(scorer.score(other, candidate)[kind].fmeasure)

    return TextMetric(
        name=name,
        implementation="rouge_score.RougeScorer",
        signature=f"{kind}|F1|tok:a-z0-9|case:lower|stemmer:Porter|version:rouge-score {version('rouge-score')}",
        score=score,
    )


def _require_readable(text: str, words: DefaultTokenizer) -> None:
    """Raise TextsRefused for a text that is not empty, but has no letters that ROUGE reads."""
    if text.strip() and not words.tokenize(text):
        raise TextsRefused(f"ROUGE reads the letters a to z and digits alone, and {text.strip()[:40]!r} has none")
