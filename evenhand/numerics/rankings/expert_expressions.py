"""Experts that a person writes as an expression: the log-density of the difference `d` of two scores, given `p`.

Only numbers, the two variables, arithmetic and the functions below are allowed. The text is read with Python's `ast`
and evaluated node by node, so that it can reach no other code; evaluators of whole languages allow far more.
"""

import ast
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
import scipy

from evenhand.numerics.arrays import FloatArray
from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.debiasing import Debiasing
from evenhand.numerics.exceptions import NotConverged, Undefined
from evenhand.numerics.fitting.batches import ContextBatch, batches, connected_contexts
from evenhand.numerics.fitting.logistic_scores import missing_reasons
from evenhand.numerics.rankings.custom_experts import expert_scores, tie_near
from evenhand.numerics.rankings.product_of_experts import clipped
from evenhand.numerics.scores import Reason, Scores

FUNCTIONS: Mapping[str, Callable[..., FloatArray]] = MappingProxyType(
    {
        "abs": np.abs,
        "arctan": np.arctan,
        "exp": np.exp,
        "log": np.log,
        "log1p": np.log1p,
        "logaddexp": np.logaddexp,
        "maximum": np.maximum,
        "minimum": np.minimum,
        "sigmoid": scipy.special.expit,
        "sqrt": np.sqrt,
        "tanh": np.tanh,
        "where": np.where,
    }
)
VARIABLES = ("d", "p")
LONGEST = 500
_OPERATORS: Mapping[type, Callable[..., FloatArray]] = MappingProxyType(
    {
        ast.Add: operator.add,
        ast.Sub: operator.sub,
        ast.Mult: operator.mul,
        ast.Div: operator.truediv,
        ast.Pow: operator.pow,
        ast.USub: operator.neg,
        ast.UAdd: operator.pos,
        ast.Lt: operator.lt,
        ast.LtE: operator.le,
        ast.Gt: operator.gt,
        ast.GtE: operator.ge,
    }
)
_GRID = np.linspace(-20.0, 20.0, 801)
_PROBABILITIES = np.array([1e-6, 0.01, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99, 1 - 1e-6])
_LARGEST_SHIFT = 50.0


class WrongExpression(ValueError):
    """Raised for an expression that is no expert. Its text says what is wrong and what to write."""


@dataclass(frozen=True, slots=True)
class ExpertExpression:
    """An expert with its name. text: the log-density, up to a constant, as an expression of `d` and `p`."""

    name: str
    text: str

    @classmethod
    def parse(cls, named: str) -> "ExpertExpression":
        """Read NAME=EXPRESSION, and check the expression. Raises WrongExpression."""
        name, _, text = (part.strip() for part in named.partition("="))
        if not name or not text:
            raise WrongExpression(f'"{named}" — write NAME=EXPRESSION, for example laplace=-abs(d - (p - 0.5))')
        if not name.replace("-", "").replace("_", "").isalnum():
            raise WrongExpression(f'"{name}" — write the name with letters, digits, - and _ only')
        expert = cls(name, text)
        expert._require_sound()
        return expert

    def __str__(self) -> str:
        return f"{self.name}={self.text}"

    def log_density(self, difference: FloatArray, p_first: FloatArray) -> FloatArray:
        """Return the log-density of each difference, (n,). Raises WrongExpression for what is not allowed."""
        value = _evaluated(_parsed(self.text), {"d": difference, "p": p_first})
        return np.broadcast_to(np.asarray(value, dtype=np.float64), difference.shape)

    def score(self, comparisons: Comparisons, *, shift: float = 0.0) -> Scores:
        """Return the scores that maximise the product of these experts, mean zero within each context.

        shift: added to every difference, to remove position bias.
        """
        comparisons = comparisons.known()
        connected = connected_contexts(comparisons)
        values, reasons = np.zeros(comparisons.n_candidates), missing_reasons(comparisons, connected)
        soft = comparisons.with_p_first(clipped(comparisons.p_first))
        for batch in batches(soft, connected):
            for row in range(batch.n_contexts):
                try:
                    values[batch.candidates[row]] = self._of_context(batch, soft.p_first, row, shift)
                except NotConverged:
                    reasons[batch.candidates[row]] = Reason.NOT_CONVERGED
        return Scores.without_errors(values, reasons)

    def debiased(self, comparisons: Comparisons, debiasing: Debiasing) -> Scores:
        """Return the scores with the shift at which the mean log-density of the run is largest [Liusie2024b].

        Raises Undefined if no finite shift does it.
        """
        return self.score(comparisons, shift=self.shift_of(debiasing))

    def shift_of(self, debiasing: Debiasing) -> float:
        """Return the shift at which the mean log-density of the run is largest. Raises Undefined if none is finite."""
        p_first = clipped(debiasing.answers)
        fit = scipy.optimize.minimize_scalar(
            lambda shift: -self.log_density(np.full(len(p_first), shift), p_first).mean(),
            bounds=(-_LARGEST_SHIFT, _LARGEST_SHIFT),
            method="bounded",
            options={"xatol": 1e-9},
        )
        if abs(fit.x) > _LARGEST_SHIFT - 1:
            raise Undefined(f'no finite shift removes the position bias from the expert "{self.name}"')
        return float(fit.x)

    def _of_context(self, batch: ContextBatch, p_first: FloatArray, row: int, shift: float) -> FloatArray:
        mine = batch.rows == row
        alone = Comparisons(batch.size, batch.first[mine], batch.second[mine], p_first[batch.members[mine]])
        scores = expert_scores(alone, lambda difference, p: self.log_density(difference + shift, p))
        return tie_near(scores[:, None])[:, 0]

    def _require_sound(self) -> None:
        """Raise WrongExpression unless the log-density is finite, concave in d and not constant."""
        for p in _PROBABILITIES:
            with np.errstate(all="ignore"):
                values = self.log_density(_GRID, np.full(len(_GRID), p))
            if not np.isfinite(values).all():
                at = _GRID[np.argmin(np.isfinite(values))]
                raise WrongExpression(f"{self.text} — it is not finite at d = {at:g}, p = {p:g}")
            self._require_concave(values, p)

    def _require_concave(self, values: FloatArray, p: float) -> None:
        if np.ptp(values) == 0:
            raise WrongExpression(f"{self.text} — it does not change with d; use the difference of scores, d")
        bends = np.diff(values, 2)
        if bends.max() > 1e-9 * (1 + np.abs(values).max()):
            at = _GRID[1:-1][np.argmax(bends)]
            raise WrongExpression(
                f"{self.text} — it is not concave at d = {at:g}, p = {p:g}, so its scores may have several maxima"
            )


def _parsed(text: str) -> ast.expr:
    if len(text) > LONGEST:
        raise WrongExpression(f"it has {len(text)} characters; write at most {LONGEST}")
    try:
        return ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise WrongExpression(f"{text} — it is no expression; for example p*d - logaddexp(0, d)") from None


def _evaluated(node: ast.expr, variables: Mapping[str, FloatArray]) -> FloatArray:
    """Evaluate an expression of numbers, variables, operators and functions. Raises WrongExpression for all else."""
    match node:
        case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
            return np.asarray(float(number))
        case ast.Name(id=name) if name in variables:
            return variables[name]
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            return _OPERATORS[type(op)](_evaluated(left, variables), _evaluated(right, variables))
        case ast.UnaryOp(op=op, operand=operand) if type(op) in _OPERATORS:
            return _OPERATORS[type(op)](_evaluated(operand, variables))
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _OPERATORS:
            return _OPERATORS[type(op)](_evaluated(left, variables), _evaluated(right, variables))
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if name in FUNCTIONS:
            return _called(name, [_evaluated(each, variables) for each in args])
    raise WrongExpression(
        f"{ast.unparse(node)} — allowed are numbers, {' and '.join(VARIABLES)}, + - * / **, < <= > >=, and the "
        f"functions {', '.join(FUNCTIONS)}"
    )


def _called(name: str, values: list[FloatArray]) -> FloatArray:
    wanted = {"where": 3, "logaddexp": 2, "maximum": 2, "minimum": 2}.get(name, 1)
    if len(values) != wanted:
        raise WrongExpression(f"{name} — it takes {wanted} values, not {len(values)}")
    return FUNCTIONS[name](*values)
