import math

import pytest
import torch

from evenhand.engine.local.batching import TokenBudget
from evenhand.engine.local.tree import sequence_kernels
from evenhand.engine.local.tree.attention_kernels import KernelChoice
from evenhand.engine.local.tree.sequence_kernels import SequenceKernel, plain_sequences
from evenhand.engine.local.tree.tree_refusal import TreeTrial, try_tree
from evenhand.engine.local.tree.tree_scorer import TreeScorer
from evenhand.engine.questions.label_tokens import TokenRow
from tests.evenhand.engine.local.tree.scored_rows import VOCABULARY, one_by_one, rows_of_a_context, scored_alone
from tests.evenhand.engine.tiny_models import build_family, build_model, raise_sinks

ROWS = rows_of_a_context()


class Counting:
    """A kernel in plain operations, in the place of a GPU's."""

    def __init__(self):
        self.calls = 0

    def __call__(self, *asked):
        self.calls += 1
        return plain_sequences(*asked)


@pytest.fixture
def kernel(monkeypatch):
    counting = Counting()
    choice = KernelChoice(SequenceKernel("plain", counting))
    monkeypatch.setattr(sequence_kernels, "_chosen", lambda _: choice)
    return counting


@pytest.mark.parametrize("budget", [4096, 40])
@pytest.mark.parametrize("kind", ["llama", "qwen2", "gpt2"])
def test_rows_attended_to_level_by_level_score_as_each_does_alone(kind, budget, kernel):
    scored = TreeScorer(build_model(kind, VOCABULARY), TokenBudget(budget)).score(ROWS)

    assert scored.values == scored_alone(kind)
    assert kernel.calls > 0


def test_sinks_take_their_share_where_rows_are_attended_to_level_by_level(kernel):
    model = build_family("gpt_oss", VOCABULARY)
    model.config.sliding_window = 512
    model.model.layers[0].self_attn.sliding_window = 512  # longer than the rows, so that the kernel is used
    raise_sinks(model)

    scored = TreeScorer(model, TokenBudget(4096)).score(ROWS)

    assert scored.values == [pytest.approx(values, abs=1e-4) for values in one_by_one(model, ROWS)]
    assert kernel.calls > 0


def test_a_prompt_that_gives_nan_spoils_no_other_prompt(kernel):
    model = build_model("llama", VOCABULARY)
    context, *candidates = (tuple(range(start, start + 9)) for start in (3, 12, 21, 30))
    nan_token, question = 49, (40, 41, 42)
    firsts = [(*candidates[0], nan_token), *candidates[1:]]
    rows = [TokenRow(context + first + second + question, ((5,),), 30) for first in firsts for second in candidates]
    expected = one_by_one(model, rows[3:])
    with torch.no_grad():
        model.get_input_embeddings().weight[nan_token] = torch.nan

    scored = TreeScorer(model, TokenBudget(4096)).score(rows)

    assert all(math.isnan(value) for (value,) in scored.values[:3])
    assert scored.values[3:] == [pytest.approx(values, abs=1e-4) for values in expected]


def test_try_tree_takes_a_model_that_is_attended_to_level_by_level(kernel):
    assert try_tree(build_model("llama", VOCABULARY)) == TreeTrial()
    assert kernel.calls > 0


def test_rows_attended_to_level_by_level_in_several_calls_score_as_each_does_alone(kernel):
    scorer = TreeScorer(build_model("qwen2", VOCABULARY), TokenBudget(60))

    calls = [scorer.score(ROWS[place : place + 5]) for place in range(0, len(ROWS), 5)]

    assert [value for call in calls for value in call.values] == scored_alone("qwen2")


def test_a_level_takes_one_call_whatever_the_number_of_its_nodes(kernel):
    model = build_model("llama", VOCABULARY)

    TreeScorer(model, TokenBudget(4096)).score(ROWS)

    own_and_levels = 1 + 3  # the context, the first candidates, and the pairs that two questions follow
    assert kernel.calls == own_and_levels * model.config.num_hidden_layers


def test_a_model_whose_kernel_of_sequences_is_refused_says_so_and_attends_node_by_node(monkeypatch):
    refused = KernelChoice(None, "flash attention of sequences: results differ by 2")
    monkeypatch.setattr(sequence_kernels, "_chosen", lambda _: refused)

    trial = try_tree(build_model("llama", VOCABULARY))

    assert trial == TreeTrial(slower="attention node by node: flash attention of sequences: results differ by 2")
