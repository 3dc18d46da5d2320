"""Columns of comparisons from a notebook: checked, and with the candidates of all contexts numbered."""

import math
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Any

import numpy as np

from evenhand.numerics import Comparisons
from evenhand.numerics.arrays import BoolArray, FloatArray
from evenhand.numerics.exceptions import InvalidComparisons
from evenhand.refusals import did_you_mean

Key = tuple[Hashable, Hashable]
"""A context and a candidate of it."""
_CHOICES = {"first": 1.0, "second": 0.0, "tie": 0.5, "unparsed": math.nan, "error": math.nan}


@dataclass(frozen=True, eq=False)
class JudgmentColumns:
    """One value for each comparison asked. p_first: float, (n,). NaN where the answer is unparsed.

    bounded: bool, (n,), as in `Comparisons`; None if this is nowhere so.
    """

    contexts: Sequence[Hashable]
    first: Sequence[Hashable]
    second: Sequence[Hashable]
    p_first: FloatArray
    bounded: BoolArray | None = None

    @classmethod
    def checked(cls, **given: Iterable[Any] | None) -> "JudgmentColumns":
        """Check columns of the names context, first, second, p_first and choice. Raises InvalidComparisons."""
        columns = {name: _listed(name, values) for name, values in given.items() if values is not None}
        lengths = {name: len(values) for name, values in columns.items()}
        if len(set(lengths.values())) > 1:
            listed = ", ".join(f"{name} has {length:,}" for name, length in lengths.items())
            raise InvalidComparisons(
                f"the columns have different lengths: {listed} — give one value for each comparison"
            )
        if not {"p_first", "choice"} & columns.keys():
            raise InvalidComparisons("p_first: missing — give p_first, or choice")
        for name in ("context", "first", "second"):
            _require_names(name, columns[name])
        for at, (one, other) in enumerate(zip(columns["first"], columns["second"], strict=True)):
            if one == other:
                raise InvalidComparisons(f"second[{at}]: {other!r} — expected a candidate other than first")
        return cls(columns["context"], columns["first"], columns["second"], _answers(columns))

    @cached_property
    def numbered(self) -> "NumberedJudgments":
        """The comparisons, with contexts and candidates in the order in which they first appear."""
        return self.numbered_after(())

    def numbered_after(self, known: Iterable[Key]) -> "NumberedJudgments":
        """Number candidates in the order of the known ones, then of their appearance."""
        candidates: dict[Hashable, dict[Hashable, None]] = {}
        for context, candidate in known:
            candidates.setdefault(context, {})[candidate] = None
        for context, first, second in zip(self.contexts, self.first, self.second, strict=True):
            of_context = candidates.setdefault(context, {})
            of_context[first] = of_context[second] = None
        keys = [(context, candidate) for context, own in candidates.items() for candidate in own]
        numbers = {key: number for number, key in enumerate(keys)}
        starts = [0, *accumulate(map(len, candidates.values()))][:-1]
        pairs = np.array(
            [[numbers[key] for key in zip(self.contexts, side, strict=True)] for side in (self.first, self.second)],
            dtype=np.intp,
        )
        answered = ~np.isnan(self.p_first)
        bounded = None if self.bounded is None else self.bounded[answered]
        first, second = pairs[:, answered]
        comparisons = Comparisons(
            len(keys), first, second, self.p_first[answered], np.array(starts, dtype=np.intp), bounded
        )
        asked = {context: number for number, context in enumerate(candidates)}
        recorded = np.zeros(len(candidates), dtype=bool)
        recorded[[asked[context] for context in set(self.contexts)]] = True
        return NumberedJudgments(keys, comparisons, recorded)


@dataclass(frozen=True, eq=False)
class NumberedJudgments:
    """keys: of each candidate. recorded: bool, (n_contexts,). True for contexts with a comparison that was asked."""

    keys: Sequence[Key]
    comparisons: Comparisons
    recorded: BoolArray

    def at_candidates(self, human: Mapping[Key, float]) -> FloatArray:
        """Return the human score of each candidate, (n_candidates,), NaN without one."""
        return np.array([human.get(key, math.nan) for key in self.keys], dtype=np.float64)


def human_by_candidate(human: Mapping[Key, float | None], known: Collection[Key]) -> dict[Key, float]:
    """Check human scores, and return them with NaN where missing. known: the candidates of the comparisons.

    Raises InvalidComparisons.
    """
    if not hasattr(human, "items"):  # a dictionary, or a series of pandas
        raise InvalidComparisons(
            f"human: {type(human).__name__} — expected a dictionary {{(context, candidate): score}}"
        )
    scores: dict[Key, float] = {}
    for key, value in human.items():
        if not isinstance(key, tuple) or len(key) != 2:
            raise InvalidComparisons(f"human: the key {key!r} — expected (context, candidate)")
        scores[key] = _number(f"human[{key!r}]", value, "a number, or None without a score")
        if math.isinf(scores[key]):
            raise InvalidComparisons(f"human[{key!r}]: {value!r} — expected a finite number")
    if scores and scores.keys().isdisjoint(known):
        raise InvalidComparisons(
            f"human: none of its candidates was compared; it has {next(iter(scores))!r}, "
            f"and the comparisons have {next(iter(known), None)!r} — give both the same names"
        )
    return scores


def _listed(name: str, values: Iterable[Any]) -> list[Any]:
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise InvalidComparisons(f"{name}: {values!r} — expected a list with one value for each comparison")
    return values.tolist() if isinstance(values, np.ndarray) else list(values)


def _is_missing(value: object) -> bool:
    """Return True for None, NaN, and the missing value of pandas."""
    return value is None or type(value).__name__ == "NAType" or (isinstance(value, float) and math.isnan(value))


def _require_names(column: str, values: Sequence[object]) -> None:
    for at, value in enumerate(values):
        if not isinstance(value, Hashable) or _is_missing(value) or value == "":
            raise InvalidComparisons(f"{column}[{at}]: {value!r} — expected a name")


def _answers(columns: Mapping[str, Sequence[Any]]) -> FloatArray:
    """Return p_first, or the decision where only the choice is known; NaN where the answer is unparsed, (n,)."""
    chosen = np.array([_of_choice(at, value) for at, value in enumerate(columns.get("choice", ()))])
    if "p_first" not in columns:
        return chosen
    p_first = np.array([_probability(at, value) for at, value in enumerate(columns["p_first"])])
    return np.where(np.isnan(p_first), chosen, p_first) if "choice" in columns else p_first


def _of_choice(at: int, value: object) -> float:
    if _is_missing(value):
        return math.nan
    name = str(value)
    if name not in _CHOICES:
        advice = did_you_mean(name, _CHOICES)
        raise InvalidComparisons(
            f"choice[{at}]: {value!r}{advice} — expected first, second or tie, or None where the answer is unparsed"
        )
    return _CHOICES[name]


def _probability(at: int, value: object) -> float:
    expected = "a probability from 0 to 1, or None where the answer is unparsed"
    number = _number(f"p_first[{at}]", value, expected)
    if number < 0 or number > 1:
        raise InvalidComparisons(f"p_first[{at}]: {value!r} — expected {expected}")
    return number


def _number(place: str, value: Any, expected: str) -> float:  # noqa: ANN401 - whatever the column holds
    if _is_missing(value):
        return math.nan
    try:
        if isinstance(value, str | bool | np.bool_):  # as files are read: "0,5" is no number, nor is a choice
            raise TypeError
        return float(value)
    except (TypeError, ValueError):
        raise InvalidComparisons(f"{place}: {value!r} — expected {expected}") from None
