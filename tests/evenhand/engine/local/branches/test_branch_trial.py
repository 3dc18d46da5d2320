import pytest
import torch

from evenhand.engine.local.branches import branch_trial
from evenhand.engine.local.branches.branch_scorer import CachedModel
from evenhand.engine.local.branches.branch_trial import try_branches
from tests.evenhand.engine.tiny_models import INEXACT, build_family, build_model

VOCABULARY = 50


@pytest.mark.parametrize("kind", ["qwen3_next", "falcon_h1", "llama4_text"])
def test_try_branches_takes_a_model_whose_cache_is_exact(kind):
    """All kinds of models in other precisions are tested with their answers, in test_tree_refusal.py."""
    assert try_branches(build_family(kind, VOCABULARY, sharp=True).to(torch.float16)) == ""


@pytest.mark.parametrize("kind", INEXACT)
def test_try_branches_refuses_a_model_whose_cache_is_not_exact(kind):
    refused = try_branches(build_family(kind, VOCABULARY, sharp=True).to(torch.float16))

    assert refused.startswith("its log-probabilities would differ by ")


def test_try_branches_refuses_a_model_that_returns_no_cache():
    assert try_branches(build_family("recurrent_gemma", VOCABULARY)).startswith("its cache cannot be continued")


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16], ids=str)
def test_try_branches_leaves_the_weights_as_they_were(dtype):
    model = build_family("lfm2", VOCABULARY).to(dtype)
    before = {name: one.clone() for name, one in model.state_dict().items()}

    try_branches(model)

    after = model.state_dict()
    assert all(after[name].dtype == one.dtype and after[name].equal(one) for name, one in before.items())


def test_try_branches_refuses_half_precision_where_float32_does_not_fit(monkeypatch):
    monkeypatch.setattr(branch_trial, "free_bytes", lambda device: 1_000)

    refused = try_branches(build_family("lfm2", VOCABULARY).to(torch.bfloat16))

    assert refused == "there is no room to try its cache in float32"


def test_try_branches_refuses_where_the_trial_does_not_fit_into_memory(monkeypatch):
    def run(*given, **more):
        raise torch.OutOfMemoryError("too large")

    monkeypatch.setattr(CachedModel, "run", run)

    assert try_branches(build_model("llama", VOCABULARY)) == "there is no room to try its cache"
