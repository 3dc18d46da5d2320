"""Choose how a decoder-only model scores prompts: over a prefix tree, after cached beginnings, or in batches."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from transformers import PreTrainedModel

from evenhand.engine.local.batching import CPU_HELD_TOKENS, CPU_PACK_TOKENS, TokenBudget
from evenhand.engine.local.branches.branch_scorer import BranchScorer
from evenhand.engine.local.branches.branch_trial import try_branches
from evenhand.engine.local.label_logprobs import LabelScores
from evenhand.engine.local.model.model_traits import longest_exact_row
from evenhand.engine.local.padded.padded_scorer import (
    PaddedScorer,
    alone_is_faster,
    padding_problem,
    require_left_to_right,
)
from evenhand.engine.local.token_budgets import text_budget, token_budget
from evenhand.engine.local.tree.tree_refusal import try_tree
from evenhand.engine.local.tree.tree_scorer import TreeScorer
from evenhand.engine.questions.label_tokens import TokenRow
from evenhand.engine.settings import Batching


class RowScorer(Protocol):
    """Scores the labels of rows of tokens."""

    def score(self, rows: Sequence[TokenRow]) -> LabelScores: ...


@dataclass(frozen=True, slots=True)
class ScorerChoice:
    """The scorers of a model. labels: for label words. texts: for whole texts, with logits for each of their tokens.

    batching, note: for EngineDescription. pack_budget: of a prefix tree; None without one.
    """

    batching: Batching
    note: str
    labels: RowScorer
    texts: RowScorer
    pack_budget: TokenBudget | None = None


def choose_scorers(model: PreTrainedModel) -> ScorerChoice:
    """Try the model, and return the fastest scorers that answer as the model does one prompt at a time.

    Raises ReadsBothWays.
    """
    choice = _choose(model)
    limit = longest_exact_row(model)
    if limit is None or choice.batching is Batching.ALONE:
        return choice
    exception = f"prompts of more than {limit} tokens run in batches of equal length"
    return replace(choice, note=f"{choice.note}; {exception}" if choice.note else exception)


def _choose(model: PreTrainedModel) -> ScorerChoice:
    trial = try_tree(model)
    if not trial.refused:
        return _over_tree(model, trial.slower)
    require_left_to_right(model)
    if not (refused := try_branches(model)):
        return _after_beginnings(model, trial.refused)
    return _in_batches(model, f"{trial.refused}; {refused}")


def _over_tree(model: PreTrainedModel, slower: str) -> ScorerChoice:
    budget = token_budget(model, on_cpu=CPU_PACK_TOKENS)
    texts = TreeScorer(model, text_budget(model, budget), cuts=True)
    labels, texts_by_length = _up_to_limit(model, TreeScorer(model, budget)), _up_to_limit(model, texts)
    return ScorerChoice(Batching.TREE, slower, labels, texts_by_length, budget)


def _after_beginnings(model: PreTrainedModel, note: str) -> ScorerChoice:
    budget = token_budget(model, on_cpu=CPU_HELD_TOKENS, held=True)
    texts = BranchScorer(model, text_budget(model, budget))
    labels, texts_by_length = _up_to_limit(model, BranchScorer(model, budget)), _up_to_limit(model, texts)
    return ScorerChoice(Batching.CACHE, note, labels, texts_by_length)


def _in_batches(model: PreTrainedModel, note: str) -> ScorerChoice:
    if alone_is_faster(model):
        alone = PaddedScorer(model, TokenBudget(1))
        return ScorerChoice(Batching.ALONE, f"{note}; batches are slower here", alone, alone)
    budget = token_budget(model)
    problem = padding_problem(model)
    make = _equal_lengths if problem else _padded
    labels, texts = (make(model, some) for some in (budget, text_budget(model, budget)))
    batching = Batching.EQUAL_LENGTHS if problem else Batching.PADDED
    reason = f"{note}; {problem}" if problem else note
    return ScorerChoice(batching, reason, _up_to_limit(model, labels), _up_to_limit(model, texts))


def _padded(model: PreTrainedModel, budget: TokenBudget) -> PaddedScorer:
    return PaddedScorer(model, budget)


def _equal_lengths(model: PreTrainedModel, budget: TokenBudget) -> PaddedScorer:
    return PaddedScorer(model, budget, one_length=True)


def _up_to_limit(model: PreTrainedModel, scorer: RowScorer) -> RowScorer:
    """Return a scorer that leaves rows beyond the model's limit for exact answers to batches of equal length."""
    limit = longest_exact_row(model)
    if limit is None:
        return scorer
    return LengthScorer(limit, scorer, _equal_lengths(model, text_budget(model, token_budget(model))))


class LengthScorer:
    """Scores rows of up to `longest` tokens by one scorer, and longer rows by another."""

    def __init__(self, longest: int, short: RowScorer, long: RowScorer) -> None:
        self._longest = longest
        self._short = short
        self._long = long

    def score(self, rows: Sequence[TokenRow]) -> LabelScores:
        results: dict[int, list[float] | None] = {}
        computed = 0
        short = [index for index, row in enumerate(rows) if len(row.ids) <= self._longest]
        long = [index for index, row in enumerate(rows) if len(row.ids) > self._longest]
        for scorer, indices in ((self._short, short), (self._long, long)):
            scored = scorer.score([rows[index] for index in indices])
            results |= zip(indices, scored.values, strict=True)
            computed += scored.computed_tokens
        return LabelScores([results[index] for index in range(len(rows))], computed)
