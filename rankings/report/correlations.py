"""How far each ranking agrees with the human scores: the blocks of a report row, one per measure and ranking."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from rankings.numerics import COEFFICIENTS, Correlation, Figure, HumanScores, Scores, Undefined
from rankings.numerics.arrays import BoolArray
from rankings.numerics.correlation.correlations import correlate_matched
from rankings.numerics.correlation.human_scores import Matched, matched_to_all
from rankings.numerics.intervals import means, row_percentiles
from rankings.numerics.reliability.system_samples import system_samples
from rankings.numerics.tie_calibration import AccuracyWithTies, accuracy_matched

WITH_TIES = "accuracy_with_ties"
MEASURES = (*COEFFICIENTS, WITH_TIES)
LEVELS = ("per_context", "pooled", "system")
FIELDS = ("per_context", "contexts", "skipped", "pooled", "system")

Row = dict[str, Any]
Ranked = Mapping[str, Mapping[str, Scores | str]]
"""ranking -> "raw" and "debiased" -> its scores, or why they do not exist."""
Key = tuple[str, str]
"""A ranking, and "raw" or "debiased"."""
Measured = Mapping[str, Correlation | AccuracyWithTies]
NO_INTERVAL = Figure(None)


def blocks_of(ranked: Ranked, human: HumanScores, recorded: BoolArray) -> Row:
    """measure -> ranking -> "raw" and "debiased" -> its block.

    recorded: bool, (n_contexts,).
    """
    given = {(ranking, kind): scores for ranking, kinds in ranked.items() for kind, scores in kinds.items()}
    there = {key: scores for key, scores in given.items() if isinstance(scores, Scores)}
    matches = dict(zip(there, matched_to_all(there.values(), human, recorded), strict=True))
    measured = {
        key: _missing(scores, recorded) if isinstance(scores, str) else _of_scores(scores, matches[key])
        for key, scores in given.items()
    }
    by_name = {(name, *key): found[name] for key, found in measured.items() for name in MEASURES}
    means_of = dict(zip(by_name, means(np.stack([_block(found).within for found in by_name.values()], 1)), strict=True))
    systems = _between_systems(there, matches, measured)
    shown = {key: _shown(found, means_of[key], systems.get(key, NO_INTERVAL)) for key, found in by_name.items()}
    return {
        name: {ranking: {kind: shown[name, ranking, kind] for kind in kinds} for ranking, kinds in ranked.items()}
        for name in MEASURES
    }


def _between_systems(
    scores: Mapping[Key, Scores], matches: Mapping[Key, Matched], measured: Mapping[Key, Measured]
) -> dict[tuple[str, str, str], Figure]:
    """By measure, ranking and kind, the interval of the figure between systems."""
    alike: dict[int, list[Key]] = {}
    for key in scores:
        alike.setdefault(id(matches[key]), []).append(key)
    found: dict[tuple[str, str, str], Figure] = {}
    for keys in alike.values():
        names = [(name, *key) for key in keys for name in MEASURES]
        epsilons = [_epsilon(measured[key]) for key in keys]
        try:
            samples = system_samples([scores[key] for key in keys], matches[keys[0]], epsilons)
        except Undefined as undefined:
            found |= dict.fromkeys(names, Figure.missing(undefined.reason))
            continue
        ends = row_percentiles(np.stack([one[name] for one in samples for name in MEASURES]))
        found |= {name: Figure(None, low, high) for name, (low, high) in zip(names, ends, strict=True)}
    return found


def _epsilon(measured: Measured) -> float:
    """The threshold between systems of all contexts, at which ties of resamples are made too."""
    found = measured[WITH_TIES]
    return found.epsilon.get("system", 0.0) if isinstance(found, AccuracyWithTies) else 0.0


def _of_scores(scores: Scores, matched: Matched) -> Measured:
    return {**correlate_matched(scores, matched), WITH_TIES: accuracy_matched(scores, matched)}


def _missing(reason: str, recorded: BoolArray) -> Measured:
    missing = AccuracyWithTies.missing(reason, recorded)
    return dict.fromkeys(COEFFICIENTS, missing.block) | {WITH_TIES: missing}


def _block(found: Correlation | AccuracyWithTies) -> Correlation:
    return found.block if isinstance(found, AccuracyWithTies) else found


def _shown(found: Correlation | AccuracyWithTies, mean: Figure, system: Figure) -> Row:
    """A block as a report has it. mean, system: with the intervals of the mean over contexts and between systems."""
    block = _block(found)
    told: Row = {field: getattr(block, field) for field in FIELDS}
    why = dict(block.undefined)
    for level, figure in (("per_context", mean), ("system", system)):
        ends = {f"{level}_low": figure.low, f"{level}_high": figure.high}
        told |= ends
        if figure.low is None:
            why |= dict.fromkeys(ends, why.get(level) or figure.undefined or "")
    if isinstance(found, AccuracyWithTies):
        for level in LEVELS:
            told |= {f"{level}_epsilon": found.epsilon.get(level), f"{level}_pairs": found.pairs.get(level, 0)}
            told |= {f"{level}_all_tied": found.all_tied.get(level)}
        why |= {f"{level}_{of}": reason for of in ("epsilon", "all_tied") for level, reason in block.undefined.items()}
    return told | {"undefined": why} if why else told
