"""How far each ranking agrees with the human scores: the blocks of a report row, one per measure and ranking."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from rankings.numerics import COEFFICIENTS, Correlation, Figure, HumanScores, Scores
from rankings.numerics.arrays import BoolArray
from rankings.numerics.correlations import correlate_matched
from rankings.numerics.intervals import means
from rankings.numerics.matching import Matched, matched_to_all
from rankings.numerics.tie_calibration import AccuracyWithTies, accuracy_matched

WITH_TIES = "accuracy_with_ties"
MEASURES = (*COEFFICIENTS, WITH_TIES)
LEVELS = ("per_context", "pooled", "system")
FIELDS = ("per_context", "contexts", "skipped", "pooled", "system")

Row = dict[str, Any]
Ranked = Mapping[str, Mapping[str, Scores | str]]
"""ranking -> "raw" and "debiased" -> its scores, or why they do not exist."""
Measured = Mapping[str, Correlation | AccuracyWithTies]


def blocks_of(ranked: Ranked, human: HumanScores, recorded: BoolArray) -> Row:
    """measure -> ranking -> "raw" and "debiased" -> its block.

    recorded: bool, (n_contexts,).
    """
    measured = _measured(ranked, human, recorded)
    by_name = {(name, ranking, kind): found[name] for (ranking, kind), found in measured.items() for name in MEASURES}
    intervals = means(np.stack([_block(found).within for found in by_name.values()], axis=1))
    shown = {key: _shown(found, interval) for (key, found), interval in zip(by_name.items(), intervals, strict=True)}
    return {
        name: {ranking: {kind: shown[name, ranking, kind] for kind in kinds} for ranking, kinds in ranked.items()}
        for name in MEASURES
    }


def _measured(ranked: Ranked, human: HumanScores, recorded: BoolArray) -> Mapping[tuple[str, str], Measured]:
    """By ranking and kind, then by measure."""
    scores = {(ranking, kind): found for ranking, kinds in ranked.items() for kind, found in kinds.items()}
    there = {key: found for key, found in scores.items() if isinstance(found, Scores)}
    matches = dict(zip(there, matched_to_all(there.values(), human, recorded), strict=True))
    return {
        key: _missing(found, recorded) if isinstance(found, str) else _of_scores(found, matches[key])
        for key, found in scores.items()
    }


def _of_scores(scores: Scores, matched: Matched) -> Measured:
    return {**correlate_matched(scores, matched), WITH_TIES: accuracy_matched(scores, matched)}


def _missing(reason: str, recorded: BoolArray) -> Measured:
    missing = AccuracyWithTies.missing(reason, recorded)
    return dict.fromkeys(COEFFICIENTS, missing.block) | {WITH_TIES: missing}


def _block(found: Correlation | AccuracyWithTies) -> Correlation:
    return found.block if isinstance(found, AccuracyWithTies) else found


def _shown(found: Correlation | AccuracyWithTies, interval: Figure) -> Row:
    """A block as a report has it. interval: of its mean over contexts."""
    block = _block(found)
    told: Row = {field: getattr(block, field) for field in FIELDS}
    told |= {"per_context_low": interval.low, "per_context_high": interval.high}
    why = dict(block.undefined)
    if interval.low is None:
        reason = why.get("per_context") or interval.undefined or ""
        why |= dict.fromkeys(("per_context_low", "per_context_high"), reason)
    if isinstance(found, AccuracyWithTies):
        for level in LEVELS:
            told |= {f"{level}_epsilon": found.epsilon.get(level), f"{level}_pairs": found.pairs.get(level, 0)}
        why |= {f"{level}_epsilon": reason for level, reason in block.undefined.items()}
    return told | {"undefined": why} if why else told
