"""BLEU and chrF by sacrebleu [Post2018]: the share of n-grams that two texts have in common."""

from __future__ import annotations

from sacrebleu.metrics import BLEU, CHRF

from judging.engine.metrics.text_metrics import TextMetric


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
