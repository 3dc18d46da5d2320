"""BLEU and chrF by sacrebleu, ROUGE by rouge-score: the words or n-grams that two texts share."""

from importlib.metadata import version

from rouge_score.rouge_scorer import RougeScorer
from rouge_score.tokenizers import DefaultTokenizer
from sacrebleu.metrics import BLEU, CHRF

from evenhand.engine.metrics.text_metrics import TextMetric, TextsRefused

ROUGE_TYPES = {"rouge-1": "rouge1", "rouge-2": "rouge2", "rouge-l": "rougeL"}


def sacrebleu_metric(name: str) -> TextMetric:
    """BLEU [Papineni2002] or chrF [Popovic2015] of one text, from 0 to 100.

    BLEU is at sentence level: orders that the text is too short for are left out, orders without a match are smoothed.
    """
    metric = BLEU(effective_order=True) if name == "bleu" else CHRF(word_order=2 if name == "chrf++" else 0)
    metric.sentence_score("one", ["one"])  # its signature is complete only after the first score
    signature = f"{metric.sentence_score('one', ['one']).name}|{metric.get_signature()}"
    return TextMetric(
        name=name,
        implementation=f"sacrebleu.{type(metric).__name__}",
        signature=signature,
        score=lambda candidate, other: metric.sentence_score(candidate, [other]).score,
    )


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
