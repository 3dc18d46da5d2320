import pytest
import torch

from evenhand.engine import EngineSettings, Question, load_engine
from tests.evenhand.engine.tiny_models import save_model

QUESTIONS = [Question(f"{'boat ' * n}Which?", "Summary", " A", " B") for n in range(1, 9)]


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
@pytest.mark.parametrize("kind", ["llama", "mistral", "gemma2", "gpt2", "t5"])
def test_p_first_on_a_gpu_equals_the_cpu(tmp_path, kind):
    folder = str(save_model(tmp_path, kind))
    on_cpu, on_gpu = (load_engine(EngineSettings("transformers", folder, device=name)) for name in ("cpu", "auto"))

    answers = on_gpu.p_first(QUESTIONS).answers

    expected = [answer.p_first for answer in on_cpu.p_first(QUESTIONS).answers]
    assert on_gpu.describe().device == "cuda"
    assert [answer.p_first for answer in answers] == pytest.approx(expected, abs=1e-3)


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
@pytest.mark.parametrize("kind", ["llama", "qwen2", "gpt2"])
def test_half_precision_on_a_gpu_takes_the_fastest_kernels_and_stays_near_the_cpu(tmp_path, kind):
    folder = str(save_model(tmp_path, kind))
    on_cpu = load_engine(EngineSettings("transformers", folder))
    on_gpu = load_engine(EngineSettings("transformers", folder, dtype="bfloat16", device="auto"))

    answers = on_gpu.p_first(QUESTIONS).answers

    expected = [answer.p_first for answer in on_cpu.p_first(QUESTIONS).answers]
    assert on_gpu.describe().shares_prefixes
    assert [answer.p_first for answer in answers] == pytest.approx(expected, abs=2e-2)
