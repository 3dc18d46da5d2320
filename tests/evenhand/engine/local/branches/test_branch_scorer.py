from functools import cache
from itertools import islice

import pytest
import torch

from evenhand.engine.local.batching import TokenBudget
from evenhand.engine.local.branches.branch_scorer import BranchScorer, CachedModel
from evenhand.engine.local.decoder_only import CausalModel
from evenhand.engine.questions.label_tokens import LabelledPrompt, TokenRow
from tests.evenhand.engine.local.tree.scored_rows import VOCABULARY, one_by_one, rows_of_a_context
from tests.evenhand.engine.tiny_models import CONTINUED, build_family

ROWS = rows_of_a_context(candidates=3)


@pytest.fixture(scope="module")
def alone():
    """A model of a type, and the scores of each row alone, made once."""

    @cache
    def alone(kind):
        model = build_family(kind, VOCABULARY, sharp=True)
        return model, values_of(one_by_one(model, ROWS))

    return alone


def values_of(scored):
    return [pytest.approx(values, abs=1e-4) for values in scored]


@pytest.mark.parametrize(
    ("kind", "budget"),
    [*((kind, 150) for kind in CONTINUED), ("qwen3_next", 4096), ("lfm2", 4096), ("llama4_text", 4096)],
)
def test_rows_after_cached_beginnings_score_as_each_does_alone(alone, kind, budget):
    model, expected = alone(kind)

    scored = BranchScorer(model, TokenBudget(budget)).score(ROWS)

    assert scored.values == expected
    assert scored.computed_tokens < sum(len(row.ids) for row in ROWS) / 2


@pytest.mark.parametrize("size", [1, 7])
def test_rows_of_several_calls_score_as_each_does_alone(alone, size):
    model, expected = alone("qwen3_next")
    scorer = BranchScorer(model, TokenBudget(4096))

    calls = [scorer.score(ROWS[low : low + size]) for low in range(0, len(ROWS), size)]

    assert [value for call in calls for value in call.values] == expected


def test_a_beginning_of_the_call_before_is_not_computed_again():
    model = build_family("lfm2", VOCABULARY)
    scorer = BranchScorer(model, TokenBudget(4096))
    half = len(ROWS) // 2

    first, second = (scorer.score(rows).computed_tokens for rows in (ROWS[:half], ROWS[half:]))

    alone = BranchScorer(model, TokenBudget(4096)).score(ROWS[half:]).computed_tokens
    assert second <= alone - 30  # the context has 30 tokens
    assert first + second < BranchScorer(model, TokenBudget(4096)).score(ROWS).computed_tokens + 30


def test_a_label_inside_a_remembered_beginning_is_predicted_again():
    model = build_family("lfm2", VOCABULARY, sharp=True)
    scorer = BranchScorer(model, TokenBudget(4096))
    row = ROWS[0]
    early = TokenRow(row.ids, (row.ids[12:14],), 12)
    scorer.score(ROWS)

    assert scorer.score([early]).values == values_of(one_by_one(model, [early]))


def test_rows_of_another_context_follow_no_remembered_beginning():
    model = build_family("falcon_h1", VOCABULARY, sharp=True)
    scorer = BranchScorer(model, TokenBudget(4096))
    others = [TokenRow(tuple(reversed(row.ids)), row.labels, row.given) for row in ROWS[:4]]
    scorer.score(ROWS)

    assert scorer.score([*ROWS[-3:], *others]).values == values_of(one_by_one(model, [*ROWS[-3:], *others]))


def test_no_rows_score_nothing():
    scored = BranchScorer(build_family("lfm2", VOCABULARY), TokenBudget(10)).score([])

    assert (scored.values, scored.computed_tokens) == ([], 0)


def test_rows_below_a_beginning_too_large_for_memory_are_none_and_others_are_scored(monkeypatch):
    model = build_family("lfm2", VOCABULARY)
    usual, context = CachedModel.run, ROWS[0].ids[:30]
    others = [TokenRow(tuple(reversed(row.ids)), row.labels, row.given) for row in ROWS[:2]]

    def run(self, rows, *more, **options):
        if any(row[:30] == context for row in rows):
            raise torch.OutOfMemoryError("too large")
        return usual(self, rows, *more, **options)

    monkeypatch.setattr(CachedModel, "run", run)

    scored = BranchScorer(model, TokenBudget(4096)).score([*ROWS, *others])

    assert scored.values == [None] * len(ROWS) + values_of(one_by_one(model, others))


def test_a_batch_of_branches_too_large_for_memory_is_halved(monkeypatch):
    model = build_family("lfm2", VOCABULARY)
    usual, sizes = CachedModel.run, []

    def run(self, rows, *more, **options):
        sizes.append(len(rows))
        if len(rows) > 2:
            raise torch.OutOfMemoryError("too large")
        return usual(self, rows, *more, **options)

    monkeypatch.setattr(CachedModel, "run", run)

    scored = BranchScorer(model, TokenBudget(4096)).score(ROWS)

    assert max(sizes) > 2
    assert scored.values == values_of(one_by_one(model, ROWS))


def test_a_judge_with_cached_beginnings_scores_whole_texts_as_alone():
    model = build_family("qwen3_5_text", VOCABULARY, sharp=True)
    prompts = [LabelledPrompt((), row.ids[:20], row.ids[20:], (3,)) for row in ROWS[::3]]

    scored = CausalModel(model).score_texts(prompts)

    rows = [row for prompt in prompts for row in prompt.rows()]
    alone = iter(value for values in one_by_one(model, rows) for value in values)
    assert scored.values == [[pytest.approx(value, abs=1e-4) for value in islice(alone, 2)] for _ in prompts]
