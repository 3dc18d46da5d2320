"""Human and LLM judges of generated text, side by side. `Judgments` needs numpy and scipy alone."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evenhand.judgments import BudgetFigure, CandidateScore, Judgments, expert_scores
    from evenhand.numerics.exceptions import (
        InvalidComparisons,
        NotConnected,
        Undefined,
        UnknownRanking,
        UnknownSelection,
    )
    from evenhand.numerics.figure import Figure

_HOMES = {
    "evenhand.judgments": ("BudgetFigure", "CandidateScore", "Judgments", "expert_scores"),
    "evenhand.numerics.exceptions": (
        *("InvalidComparisons", "NotConnected", "Undefined", "UnknownRanking", "UnknownSelection"),
    ),
    "evenhand.numerics.figure": ("Figure",),
}
"""module -> the names that this package has from it."""


def __getattr__(name: str) -> object:
    """Import a name when it is first used: commands that need no figure start in half the time without numpy."""
    for module, names in _HOMES.items():
        if name in names:
            return getattr(import_module(module), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *(name for names in _HOMES.values() for name in names)})
