"""Correlations of each ranking with human scores, as the blocks of a report row."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from evenhand.numerics import COEFFICIENTS, Correlation, Figure
from evenhand.numerics.correlation.coefficients import LEVELS
from evenhand.numerics.correlation.measured_rankings import Measured, MeasuredRankings, block_of, with_ties_of
from evenhand.numerics.correlation.system_samples import WITH_TIES
from rankings.report.report_row import (
    AccuraciesWithTies,
    AccuracyWithTiesBlock,
    CorrelationBlock,
    Correlations,
)


def blocks_of(rankings: MeasuredRankings) -> dict[str, Any]:
    """Return measure -> ranking -> its blocks. The measures are fields of a report row.

    Rankings with equal scores share their blocks.
    """
    correlations = {
        name: _by_ranking(rankings, name, Correlations, partial(_correlation, name)) for name in COEFFICIENTS
    }
    return correlations | {WITH_TIES: _by_ranking(rankings, WITH_TIES, AccuraciesWithTies, _with_ties)}


def _by_ranking(
    rankings: MeasuredRankings, name: str, of_kinds: Callable[..., Any], block: Callable[..., Any]
) -> dict[str, Any]:
    blocks = {key: block(one, rankings.ends(name, key)) for key, one in rankings.measured.items()}
    return {
        ranking: of_kinds(**{kind: blocks[key] for kind, key in kinds.items()})
        for ranking, kinds in rankings.kinds.items()
    }


def _correlation(name: str, measured: Measured, ends: Mapping[str, Figure]) -> CorrelationBlock:
    block = block_of(measured[name])
    return CorrelationBlock(**_levels(block, ends), undefined=_why(block, ends) or None)


def _with_ties(measured: Measured, ends: Mapping[str, Figure]) -> AccuracyWithTiesBlock:
    accuracy = with_ties_of(measured)
    why = _why(accuracy.block, ends)
    parts: dict[str, Any] = {}
    for level in LEVELS:
        parts[f"{level}_epsilon"] = accuracy.epsilon.get(level)
        parts[f"{level}_pairs"] = accuracy.pairs.get(level, 0)
        parts[f"{level}_all_tied"] = accuracy.all_tied.get(level)
    for name, reason in accuracy.block.undefined.items():
        why |= {f"{name}_epsilon": reason, f"{name}_all_tied": reason}
    return AccuracyWithTiesBlock(**_levels(accuracy.block, ends), **parts, undefined=why or None)


def _levels(block: Correlation, ends: Mapping[str, Figure]) -> dict[str, Any]:
    """Return the fields of a correlation block."""
    names = ("per_context", "contexts", "skipped", "pooled", "system")
    fields: dict[str, Any] = {name: getattr(block, name) for name in names}
    for level, figure in ends.items():
        fields |= {f"{level}_low": figure.low, f"{level}_high": figure.high}
    return fields


def _why(block: Correlation, ends: Mapping[str, Figure]) -> dict[str, str]:
    """Return field -> why it is None."""
    why = dict(block.undefined)
    for level, figure in ends.items():
        if figure.low is None:
            reason = why.get(level) or figure.undefined or ""
            why |= {f"{level}_low": reason, f"{level}_high": reason}
    return why
