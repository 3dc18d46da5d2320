import json
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import pytest
import torch
import transformers
from safetensors.torch import load_file, save_file
from transformers import BertConfig, BertForMaskedLM

from evenhand.engine import DEMO_MODEL, EngineSettings, LoadFailed, Question, load_engine, load_renderer
from evenhand.engine.settings import Batching
from tests.evenhand.engine.tiny_models import CHAT_TEMPLATE, save_model, save_mxfp4, train_tokenizer

COMMIT = "0123456789abcdef0123456789abcdef01234567"
POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n"


def settings(model, **changes):
    return EngineSettings(**{"backend": "transformers", "model": str(model), **changes})


@pytest.mark.parametrize("package", ["evenhand.engine", "evenhand.prompting.templates", "judging.demo"])
def test_importing_the_package_imports_neither_torch_nor_transformers(package):
    code = f"import sys, {package}; assert not {{'torch', 'transformers'}} & set(sys.modules)"

    subprocess.run([sys.executable, "-c", code], check=True)


def test_describe_names_everything_that_makes_the_answers(tmp_path):
    folder = save_model(tmp_path, "llama", opening="<s>", chat_template=CHAT_TEMPLATE)

    description = load_engine(settings(folder, device="auto")).describe()

    assert description.revision.startswith("sha256:")
    assert asdict(description) | {"revision": "", "device": "", "tokenizer": ""} == {
        "backend": "transformers",
        "family": "decoder-only",
        "architecture": "LlamaForCausalLM",
        "model": str(folder),
        "revision": "",
        "dtype": "float32",
        "device": "",
        "max_prompt_tokens": 512,
        "chat_template": True,
        "tokenizer": "",
        "gives_probabilities": True,
        "top_logprobs": 0,
        "batching": Batching.TREE,
        "batching_note": "",
        "without_thinking": "",
        "thinking": "",
        "dialect": "",
        "asked_by": "",
        "forced_choice": "",
        "refused": {},
        "products": "torch",
        "signature": "",
        "torch": torch.__version__,
        "transformers": transformers.__version__,
        "threads": torch.get_num_threads(),
    }


def test_describe_says_encoder_decoder_of_t5(tmp_path):
    description = load_engine(settings(save_model(tmp_path, "t5"))).describe()

    assert (description.family, description.architecture) == ("encoder-decoder", "T5ForConditionalGeneration")
    assert description.batching is Batching.PACKED


def test_fingerprint_is_the_same_for_a_copy_and_changes_with_the_weights(tmp_path):
    one, other = save_model(tmp_path / "one", "gpt2"), save_model(tmp_path / "other", "gpt2")
    before = [load_engine(settings(folder)).describe().revision for folder in (one, other)]

    weights = load_file(other / "model.safetensors")
    save_file({name: value * 2 for name, value in weights.items()}, other / "model.safetensors", {"format": "pt"})

    assert before[0] == before[1]
    assert load_engine(settings(other)).describe().revision != before[1]


def test_load_renderer_shows_the_same_as_the_engine_without_weights(tmp_path):
    folder = save_model(tmp_path, "llama", chat_template=CHAT_TEMPLATE)
    question = Question("Which?", "Summary", " A", " B", "Be fair.")
    engine = load_engine(settings(folder))
    (folder / "model.safetensors").unlink()

    renderer = load_renderer(settings(folder))

    assert renderer.render(question) == engine.render(question)
    assert renderer.fingerprint() == engine.fingerprint() == engine.describe().tokenizer


@pytest.mark.parametrize(("kind", "limit"), [("t5", 64), ("t5", None), ("llama", 64)])
def test_renderer_takes_any_length_where_nothing_ends_a_prompt(tmp_path, kind, limit):
    renderer = load_renderer(settings(save_model(tmp_path, kind, limit=limit)))

    assert (renderer.max_prompt_tokens is None) == (kind == "t5")


def test_demo_judge_loads_from_the_package():
    description = load_engine(settings(DEMO_MODEL)).describe()

    assert (description.model, description.architecture) == (DEMO_MODEL, "LlamaForCausalLM")
    assert description.max_prompt_tokens == 4096


def _without(name):
    def spoil(folder: Path):
        (folder / name).unlink()

    return spoil


def _lacking_weights(folder: Path):
    weights = load_file(folder / "model.safetensors")
    del weights["model.norm.weight"]
    save_file(weights, folder / "model.safetensors", {"format": "pt"})


def _with_broken_weights(folder: Path):
    (folder / "model.safetensors").write_bytes(b"no weights")


def _configured(**changes):
    def spoil(folder: Path):
        config = json.loads((folder / "config.json").read_text())
        (folder / "config.json").write_text(json.dumps(config | changes))

    return spoil


_of_unknown_type = _configured(model_type="zebra", architectures=["Zebra"])


def _with(name, text):
    def spoil(folder: Path):
        (folder / name).write_text(text)

    return spoil


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (_without("config.json"), "has no config.json; it holds no model"),
        (_without("tokenizer.json"), "has no tokenizer (such as tokenizer.json); save it there too"),
        (_without("model.safetensors"), "cannot be loaded"),
        (_lacking_weights, "lacks 1 of its weights (such as model.norm.weight); they would be random numbers"),
        (_with_broken_weights, "cannot be loaded"),
        (_of_unknown_type, "cannot be loaded: its configuration: The checkpoint you are trying to load has model type"),
        (_configured(hidden_size=64), "have another size than its config.json says (such as lm_head.weight: [347, 32]"),
        (
            _configured(num_hidden_layers=1),
            "hold more layers than its config.json says (such as model.layers.1.input_lay",
        ),
        (_configured(num_attention_heads=5), "its configuration: Class validation error"),
        (_configured(hidden_act="zap"), "its weights: KeyError 'zap'"),
        (_configured(auto_map={"AutoConfig": "own.Config"}, model_type="own"), "needs code of its own"),
        (_with("tokenizer.json", "{}"), "its tokenizer: "),
        (
            _with("model.safetensors", POINTER),
            'model.safetensors is only a pointer to the file: fetch it with "git lfs',
        ),
    ],
)
def test_load_engine_refuses_an_incomplete_folder(tmp_path, spoil, reason):
    folder = save_model(tmp_path, "llama")
    spoil(folder)

    with pytest.raises(LoadFailed) as failure:
        load_engine(settings(folder))

    assert str(folder) in str(failure.value)
    assert reason in str(failure.value)


def test_load_engine_refuses_a_missing_folder_a_revision_of_a_folder_and_t5_in_float16(tmp_path):
    with pytest.raises(LoadFailed, match=r"the folder .* does not exist"):
        load_engine(settings(tmp_path / "nowhere"))

    folder = save_model(tmp_path, "llama")

    with pytest.raises(LoadFailed, match="a folder has no revisions; leave the revision out"):
        load_engine(settings(folder, revision="main"))

    folder = save_model(tmp_path, "t5")

    with pytest.raises(LoadFailed, match="overflow in float16; use bfloat16 or float32"):
        load_engine(settings(folder, dtype="float16"))


def test_load_engine_refuses_a_hub_model_that_it_cannot_reach(monkeypatch):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)

    with pytest.raises(LoadFailed, match=r'the model "nobody/no-such-judge" at revision v9 cannot be loaded: .+'):
        load_engine(settings("nobody/no-such-judge", revision="v9"))


@pytest.mark.parametrize("revision", ["", "main", COMMIT])
def test_describe_names_the_commit_of_a_hub_model(tmp_path, monkeypatch, revision):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    stored = tmp_path / "models--somebody--judge"
    save_model(stored / "snapshots" / COMMIT, "llama")
    (stored / "refs").mkdir()
    (stored / "refs" / "main").write_text(COMMIT)

    assert load_engine(settings("somebody/judge", revision=revision)).describe().revision == COMMIT


def test_load_engine_refuses_a_model_that_writes_no_text(tmp_path):
    tokenizer = train_tokenizer()
    sizes = {"hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 32}
    BertForMaskedLM(BertConfig(vocab_size=len(tokenizer), **sizes)).save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)

    with pytest.raises(LoadFailed, match="is a BertForMaskedLM, which writes no text"):
        load_engine(settings(tmp_path))


@pytest.mark.skipif(torch.cuda.is_available(), reason="this machine has a CUDA device")
@pytest.mark.parametrize("device", ["cuda", "cuda:1"])
def test_load_engine_refuses_a_device_that_is_absent(tmp_path, device):
    folder = save_model(tmp_path, "llama")

    with pytest.raises(LoadFailed, match=f'device "{device}" is missing: this machine has 0 CUDA devices'):
        load_engine(settings(folder, device=device))


@pytest.mark.parametrize("device", ["tpu", "cpu:1", "cuda:x", ""])
def test_load_engine_refuses_a_device_it_does_not_know(tmp_path, device):
    folder = save_model(tmp_path, "llama")

    with pytest.raises(LoadFailed, match="is unknown; use"):
        load_engine(settings(folder, device=device))


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"backend": "abacus"}, 'backend "abacus" is unknown; choose one of: transformers, openai, metric'),
        ({"dtype": "int3"}, 'dtype "int3" is unknown; choose one of: float32, bfloat16, float16'),
        ({"products": "fast"}, 'products "fast" are unknown; choose one of: measured, torch, oneDNN'),
        ({"model": ""}, "the judge has no model; give a hub id or a folder"),
    ],
)
def test_settings_refuse_unknown_values(changes, reason):
    with pytest.raises(LoadFailed) as failure:
        settings(changes.pop("model", "x"), **changes)

    assert str(failure.value) == reason


def test_settings_never_show_the_key():
    assert "hidden" not in repr(settings("m", backend="openai", api_key="hidden"))


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_weights_of_gpt_oss_in_mxfp4_are_converted_to_the_precision_of_the_judge(tmp_path, dtype):
    folder = save_mxfp4(tmp_path)
    question = Question("Which?", "Summary", " A", " B")

    engine = load_engine(settings(folder, dtype=dtype))

    model = engine._model._model
    assert {parameter.dtype for parameter in model.parameters()} == {getattr(torch, dtype)}
    assert model.model.layers[0].mlp.experts.down_proj.std() > 0.01
    assert engine.p_first([question]).answers[0].error == ""
    assert engine.describe().batching is Batching.TREE
