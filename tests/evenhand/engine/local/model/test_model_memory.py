"""The number of tokens that is tried at once where memory is scarce."""

import pytest
from transformers import Gemma3nTextConfig, Gemma4TextConfig, LlamaConfig, T5Config

from evenhand.engine import EngineSettings, Question, load_engine
from evenhand.engine.local import token_budgets
from evenhand.engine.local.model.model_memory import TokenMemory, affordable_tokens, free_host_bytes, token_memory
from tests.evenhand.engine.tiny_models import save_model


def test_affordable_tokens_are_the_most_when_memory_is_plenty_and_fewer_but_at_least_one_when_it_is_scarce():
    assert affordable_tokens(10**12, 1_000, most=1024) == 1024
    assert affordable_tokens(1_000_000, 1_000, most=1024) == 400
    assert affordable_tokens(0, 1_000, most=1024) == 1


@pytest.mark.parametrize(("free", "each"), [(None, 1_000), (10**12, None)])
def test_affordable_tokens_are_the_most_when_memory_is_unknown(free, each):
    assert affordable_tokens(free, each, most=1024) == 1024


def test_token_memory_is_that_of_the_widest_part_of_a_layer():
    sizes = {"vocab_size": 6_400, "num_hidden_layers": 3, "num_attention_heads": 4, "num_key_value_heads": 2}

    found = token_memory(LlamaConfig(**sizes, hidden_size=64, intermediate_size=256), width=2)

    predicted = 6_400 * (2 + 8) // 64
    assert found == TokenMemory(cached=2 * 3 * 32 * 2, computed=(2 * 64 + 3 * 256 + 64) * 2 + predicted)


def test_token_memory_reads_the_size_names_of_t5():
    config = T5Config(vocab_size=64, d_model=32, d_kv=64, num_heads=4, d_ff=48, num_layers=2)

    found = token_memory(config, width=4)

    assert found == TokenMemory(cached=2 * 2 * 256 * 4, computed=(2 * 32 + 5 * 256 + 5 * 256) * 4 + 64 * 12 // 64)


def test_layers_of_different_widths_are_estimated_by_the_widest():
    sizes = {"num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 8}
    config = Gemma3nTextConfig(**sizes, vocab_size=64, hidden_size=32, intermediate_size=[64, 256])

    found = token_memory(config, width=2)

    assert found == TokenMemory(cached=2 * 2 * 16 * 2, computed=(2 * 32 + 3 * 256 + 32) * 2 + 64 * 10 // 64)


def test_layers_with_heads_of_different_sizes_are_estimated_by_the_largest():
    sizes = {"num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 8}
    config = Gemma4TextConfig(
        **sizes,
        vocab_size=64,
        hidden_size=32,
        intermediate_size=64,
        global_head_dim=64,
        layer_types=["sliding_attention", "full_attention"],
    )

    found = token_memory(config, width=2)

    assert found == TokenMemory(cached=2 * 2 * 128 * 2, computed=(2 * 32 + 5 * 256 + 5 * 128) * 2 + 64 * 10 // 64)


def test_configuration_that_cannot_be_read_gives_no_estimate_and_a_warning(caplog):
    assert token_memory(LlamaConfig(n_inner="wide", intermediate_size=0), width=2) is None
    assert "memory of a token is not estimated for LlamaConfig" in caplog.text


def test_free_memory_is_the_least_of_container_and_machine_and_unknown_without_system_files(tmp_path):
    assert free_host_bytes(system=tmp_path / "meminfo", group=tmp_path) is None

    (tmp_path / "meminfo").write_text("MemTotal: 9000 kB\nMemAvailable:    5000 kB\n")
    (tmp_path / "memory.max").write_text("3000000\n")
    (tmp_path / "memory.current").write_text("1000000\n")

    assert free_host_bytes(system=tmp_path / "meminfo", group=tmp_path) == 2_000_000

    (tmp_path / "meminfo").write_text("MemAvailable:    5000 kB\n")
    (tmp_path / "memory.max").write_text("max\n")
    (tmp_path / "memory.current").write_text("1000000\n")

    assert free_host_bytes(system=tmp_path / "meminfo", group=tmp_path) == 5_000 * 1024


@pytest.mark.parametrize("kind", ["llama", "t5"])
def test_a_judge_with_little_memory_gives_the_same_answers(tmp_path, kind, monkeypatch):
    folder = str(save_model(tmp_path, kind))
    asked = [Question(f"{'boat ' * n}Which?", "Summary", " A", " B") for n in (3, 1, 4)]
    expected = load_engine(EngineSettings("transformers", folder)).p_first(asked).answers

    monkeypatch.setattr(token_budgets, "free_host_bytes", lambda: 50_000)
    answers = load_engine(EngineSettings("transformers", folder)).p_first(asked).answers

    assert [one.p_first for one in answers] == pytest.approx([one.p_first for one in expected], abs=1e-5)
