"""How many tokens are tried at once where memory is scarce."""

import pytest
from transformers import LlamaConfig, T5Config

from judging.engine import EngineSettings, Question, load_engine
from judging.engine.local import tensors
from judging.engine.local.token_memory import (
    TokenMemory,
    affordable_tokens,
    all_host_bytes,
    free_host_bytes,
    token_memory,
)
from tests.judging.engine.tiny_models import save_model


def test_tokens_are_as_many_as_are_worth_while_where_memory_is_plenty():
    assert affordable_tokens(10**12, 1_000, most=1024) == 1024


def test_tokens_are_fewer_where_memory_is_scarce_and_never_none():
    assert affordable_tokens(1_000_000, 1_000, most=1024) == 400
    assert affordable_tokens(0, 1_000, most=1024) == 1


@pytest.mark.parametrize(("free", "each"), [(None, 1_000), (10**12, None)])
def test_tokens_are_as_usual_where_nothing_is_known(free, each):
    assert affordable_tokens(free, each, most=1024) == 1024


def test_a_token_takes_what_its_widest_layer_makes_of_it():
    sizes = {"vocab_size": 6_400, "num_hidden_layers": 3, "num_attention_heads": 4, "num_key_value_heads": 2}

    found = token_memory(LlamaConfig(**sizes, hidden_size=64, intermediate_size=256), width=2)

    predicted = 6_400 * (2 + 8) // 64
    assert found == TokenMemory(cached=2 * 3 * 32 * 2, computed=(2 * 64 + 3 * 256 + 64) * 2 + predicted)


def test_the_layers_of_t5_have_sizes_of_their_own():
    config = T5Config(vocab_size=64, d_model=32, d_kv=64, num_heads=4, d_ff=48, num_layers=2)

    found = token_memory(config, width=4)

    assert found == TokenMemory(cached=2 * 2 * 256 * 4, computed=(2 * 32 + 5 * 256 + 5 * 256) * 4 + 64 * 12 // 64)


def test_free_memory_is_that_of_the_container_where_it_has_less(tmp_path):
    (tmp_path / "meminfo").write_text("MemTotal: 9000 kB\nMemAvailable:    5000 kB\n")
    (tmp_path / "memory.max").write_text("3000000\n")
    (tmp_path / "memory.current").write_text("1000000\n")

    assert free_host_bytes(system=tmp_path / "meminfo", group=tmp_path) == 2_000_000


def test_free_memory_is_that_of_the_machine_where_the_container_has_no_limit(tmp_path):
    (tmp_path / "meminfo").write_text("MemAvailable:    5000 kB\n")
    (tmp_path / "memory.max").write_text("max\n")
    (tmp_path / "memory.current").write_text("1000000\n")

    assert free_host_bytes(system=tmp_path / "meminfo", group=tmp_path) == 5_000 * 1024


@pytest.mark.parametrize(("limit", "there"), [("3000000", 3_000_000), ("max", 9_000 * 1024)])
def test_all_memory_is_that_of_the_machine_or_of_its_container(tmp_path, limit, there):
    (tmp_path / "meminfo").write_text("MemTotal: 9000 kB\nMemAvailable:    5000 kB\n")
    (tmp_path / "memory.max").write_text(f"{limit}\n")

    assert all_host_bytes(system=tmp_path / "meminfo", group=tmp_path) == there


def test_free_memory_is_unknown_where_nothing_says(tmp_path):
    assert free_host_bytes(system=tmp_path / "meminfo", group=tmp_path) is None
    assert all_host_bytes(system=tmp_path / "meminfo", group=tmp_path) is None


@pytest.mark.parametrize("kind", ["llama", "t5"])
def test_a_judge_with_little_memory_gives_the_same_answers(tmp_path, kind, monkeypatch):
    folder = str(save_model(tmp_path, kind))
    asked = [Question(f"{'boat ' * n}Which?", "Summary", " A", " B") for n in (3, 1, 4)]
    expected = load_engine(EngineSettings("transformers", folder)).p_first(asked).answers

    monkeypatch.setattr(tensors, "free_host_bytes", lambda: 50_000)
    answers = load_engine(EngineSettings("transformers", folder)).p_first(asked).answers

    assert [one.p_first for one in answers] == pytest.approx([one.p_first for one in expected], abs=1e-5)
