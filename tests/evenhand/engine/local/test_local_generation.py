"""Text generation by models on this machine."""

from dataclasses import replace

import pytest
import torch
from transformers import AutoModelForCausalLM, AutoModelForSeq2SeqLM, AutoTokenizer

from evenhand.engine import EngineSettings, Request, load_engine
from evenhand.engine.local.written_texts import NO_NUMBERS
from tests.evenhand.engine.tiny_models import save_model


def open_engine(folder):
    return load_engine(EngineSettings(backend="transformers", model=str(folder)))


@pytest.mark.parametrize("kind", ["llama", "gpt2", "t5", "bart"])
def test_generate_writes_the_same_in_a_batch_as_alone(tmp_path, kind):
    engine = open_engine(save_model(tmp_path, kind, opening="<s>"))
    requests = [Request("The old captain. " * (1 + 3 * i % 7) + f"Boat {i}", max_new_tokens=6) for i in range(5)]

    together = engine.generate(requests)

    alone = [engine.generate([request])[0] for request in requests]
    assert [replace(one, shared_tokens=0) for one in together] == alone


def test_generate_takes_the_likeliest_token_each_time(tmp_path):
    engine = open_engine(save_model(tmp_path, "llama", opening="<s>"))
    model, tokenizer = AutoModelForCausalLM.from_pretrained(tmp_path).eval(), AutoTokenizer.from_pretrained(tmp_path)
    ids = tokenizer("The old captain", return_tensors="pt").input_ids
    start = ids.shape[1]
    while ids.shape[1] < start + 5:
        ids = torch.cat([ids, model(input_ids=ids).logits[:, -1:].argmax(-1)], 1)

    (generation,) = engine.generate([Request("The old captain", max_new_tokens=5)])

    assert generation.text == tokenizer.decode(ids[0, start:], skip_special_tokens=True).strip()
    assert (generation.prompt_tokens, generation.generated_tokens, generation.complete) == (start, 5, False)


def test_generate_ignores_sampling_settings_in_a_models_folder(tmp_path):
    save_model(tmp_path / "plain", "llama", opening="<s>")
    save_model(tmp_path / "habits", "llama", opening="<s>")
    model = AutoModelForCausalLM.from_pretrained(tmp_path / "habits")
    model.generation_config.update(repetition_penalty=5.0, do_sample=True, temperature=3.0)
    model.save_pretrained(tmp_path / "habits")
    request = Request("The old captain", max_new_tokens=8)

    plain, habits = (open_engine(tmp_path / name).generate([request]) for name in ("plain", "habits"))

    assert habits == plain


def test_generate_samples_the_same_for_the_same_seed_whatever_else_is_asked(tmp_path):
    engine = open_engine(save_model(tmp_path, "llama", opening="<s>"))
    sampled = [Request("The boat", max_new_tokens=8, temperature=1.0, seed=seed) for seed in (1, 2)]

    together = engine.generate([sampled[1], sampled[0], Request("The pier", max_new_tokens=3)])

    assert together[1].text == engine.generate([sampled[0]])[0].text
    assert together[0].text != together[1].text


def test_generate_refuses_what_the_window_cannot_hold(tmp_path):
    engine = open_engine(save_model(tmp_path, "llama", window=64, merges=False))

    too_long, fits = engine.generate([Request("a" * 50, max_new_tokens=20), Request("a" * 44, max_new_tokens=20)])

    assert too_long.error == ("the prompt is too long: it has 50 tokens and up to 20 new ones, and the model takes 64")
    assert fits.error == ""


@pytest.mark.parametrize(
    ("request_", "error"),
    [
        (Request("a", max_new_tokens=0), "max_new_tokens is 0; it must be at least 1"),
        (Request("a", temperature=-1.0), "temperature is -1.0; it must not be negative"),
        (Request(""), "the prompt is empty, so the model has nothing to continue"),
    ],
)
def test_generate_explains_why_a_request_is_refused(tmp_path, request_, error):
    assert open_engine(save_model(tmp_path, "llama")).generate([request_])[0].error == error


@pytest.mark.parametrize("kind", ["llama", "t5", "bart"])
def test_generate_reports_nan_as_an_error(tmp_path, kind):
    loader = AutoModelForCausalLM if kind == "llama" else AutoModelForSeq2SeqLM
    model = loader.from_pretrained(save_model(tmp_path, kind, opening="<s>"))
    with torch.no_grad():
        model.get_input_embeddings().weight[5:].fill_(torch.nan)
    model.save_pretrained(tmp_path)

    (generation,) = open_engine(tmp_path).generate([Request("The old captain", max_new_tokens=5)])

    assert (generation.text, generation.error) == ("", NO_NUMBERS)
