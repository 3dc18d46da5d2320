import pytest
import torch

from evenhand.engine import EngineSettings, LoadFailed, Question, Request, load_engine
from evenhand.engine.local.batching import OutOfMemory
from evenhand.engine.local.token_budgets import reporting_out_of_memory
from tests.evenhand.engine.tiny_models import save_model

QUESTIONS = [Question(f"{'boat ' * n}Which?", "Summary", " A", " B") for n in (3, 1, 4, 1, 5)]


def engine_with_room_for(tokens, folder, kind="llama"):
    """An engine whose model runs out of memory above a number of tokens."""
    engine = load_engine(EngineSettings("transformers", str(save_model(folder, kind))))

    def run_out(module, given):
        if given[0].numel() > tokens:
            raise torch.OutOfMemoryError

    model = engine._model._model
    (model.encoder.embed_tokens if kind == "t5" else model.get_input_embeddings()).register_forward_pre_hook(run_out)
    return engine


@pytest.mark.parametrize("kind", ["llama", "t5"])
@pytest.mark.parametrize(
    ("error", "message"),
    [
        (torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 20 MiB"), "CUDA out of memory. Tried to"),
        (RuntimeError("CUDA error: out of memory"), "CUDA error: out of memory"),
    ],
)
def test_load_fails_when_memory_is_full_after_the_weights(tmp_path, kind, error, message, monkeypatch):
    def run_out(*_, **__):
        raise error

    monkeypatch.setattr("torch.nn.Embedding.forward", run_out)

    with pytest.raises(LoadFailed, match=f"cannot be loaded: {message}"):
        load_engine(EngineSettings("transformers", str(save_model(tmp_path, kind))))


def test_running_out_of_memory_on_a_cpu_is_recognised_and_other_errors_are_not():
    with pytest.raises(OutOfMemory), reporting_out_of_memory():
        torch.empty(1 << 50)
    with pytest.raises(RuntimeError, match="size"), reporting_out_of_memory():
        torch.ones(2) + torch.ones(3)


@pytest.mark.parametrize(
    "error",
    [
        torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB"),
        RuntimeError("CUDA error: out of memory\nCUDA kernel errors might be reported later"),
        RuntimeError("CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`"),
    ],
)
def test_running_out_of_memory_on_a_gpu_is_recognised(error):
    with pytest.raises(OutOfMemory), reporting_out_of_memory():
        raise error


@pytest.mark.parametrize("kind", ["llama", "t5"])
def test_p_first_goes_on_in_smaller_batches_with_the_same_answers(tmp_path, kind):
    roomy = load_engine(EngineSettings("transformers", str(save_model(tmp_path / "roomy", kind))))
    narrow = engine_with_room_for(16, tmp_path / "narrow", kind)

    answers = narrow.p_first(QUESTIONS).answers

    expected = [answer.p_first for answer in roomy.p_first(QUESTIONS).answers]
    assert [answer.p_first for answer in answers] == pytest.approx(expected, abs=1e-5)


def test_p_first_and_generate_report_a_prompt_that_does_not_fit_alone(tmp_path):
    engine = engine_with_room_for(0, tmp_path)

    (answer,) = engine.p_first(QUESTIONS[:1]).answers

    assert answer.error == (
        f"out of memory on a single prompt of {answer.prompt_tokens} tokens; "
        "use a smaller model, a smaller dtype or another device"
    )
    assert answer.prompt_tokens > 0

    (generation,) = engine.generate([Request("boat", max_new_tokens=2)])

    assert generation.error.startswith("out of memory on a single prompt of 2 tokens")
