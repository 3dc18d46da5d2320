"""Checks of a model's files, without loading weights."""

import json
import shutil

import pytest
import torch
from safetensors.torch import load_file

from evenhand.engine import EngineSettings, LoadFailed, Question, find_problems, load_engine
from evenhand.engine.local.model.model_files import pickles_refused
from tests.evenhand.engine.classifier_models import save_classifier
from tests.evenhand.engine.tiny_models import save_model, train_tokenizer

QUESTION = Question("Which is better, A or B?", "Summary", " A", " B")


def problems(model, *, backend="transformers", **settings):
    return find_problems(EngineSettings(backend, str(model), **settings), QUESTION)


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    return save_model(tmp_path_factory.mktemp("saved"), "llama")


@pytest.fixture
def model(saved, tmp_path):
    return shutil.copytree(saved, tmp_path / "model")


def change_json(file, **fields):
    file.write_text(json.dumps(json.loads(file.read_text()) | fields))


def keep_weights(folder, keep):
    """Write the weights again, without those that `keep` is false for."""
    from safetensors.torch import load_file, save_file

    weights = load_file(folder / "model.safetensors")
    save_file({name: one for name, one in weights.items() if keep(name)}, folder / "model.safetensors")


def split_weights(folder):
    """Write the weights as two files and an index, as large models are saved."""
    from safetensors.torch import load_file, save_file

    weights = load_file(folder / "model.safetensors")
    shard_of = {name: f"model-{number % 2}.safetensors" for number, name in enumerate(weights)}
    for shard in set(shard_of.values()):
        save_file({name: one for name, one in weights.items() if shard_of[name] == shard}, folder / shard)
    (folder / "model.safetensors.index.json").write_text(json.dumps({"metadata": {}, "weight_map": shard_of}))
    (folder / "model.safetensors").unlink()


@pytest.mark.parametrize("kind", ["llama", "gpt2", "t5", "bart"])
def test_saved_model_has_no_problem(kind, tmp_path):
    assert problems(save_model(tmp_path, kind)) == []


def test_model_in_two_files_has_no_problem_until_one_of_them_is_missing(model):
    split_weights(model)

    assert problems(model) == []

    (model / "model-1.safetensors").unlink()

    assert problems(model) == ["1 of the 2 files of weights are missing, such as model-1.safetensors"]


def test_missing_weights_and_a_cut_pytorch_file_are_problems(model):
    (model / "model.safetensors").unlink()

    assert problems(model) == [
        f'the folder "{model}" has no weights (model.safetensors or pytorch_model.bin); save the model there'
    ]

    (model / "pytorch_model.bin").write_bytes(b"PK\x03\x04" + b"\0" * 100)

    [problem] = problems(model, pickled_weights=True)

    assert "is no file of weights, or is cut at 104 bytes" in problem


@pytest.mark.parametrize("kept", [0, 4, 100, 100_000])
def test_cut_weights_are_a_problem(model, kept):
    file = model / "model.safetensors"
    file.write_bytes(file.read_bytes()[:kept])

    [problem] = problems(model)

    assert str(file) in problem
    assert f"{kept:,} bytes" in problem
    assert "fetch it again" in problem


def test_weights_that_are_pickles_are_refused_unless_they_are_allowed(model):
    torch.save(load_file(model / "model.safetensors"), model / "pytorch_model.bin")
    (model / "model.safetensors").unlink()

    assert problems(model) == [pickles_refused(str(model))]
    assert problems(model, pickled_weights=True) == []
    with pytest.raises(LoadFailed, match="are pickles, which may run code"):
        load_engine(EngineSettings("transformers", str(model)))
    load_engine(EngineSettings("transformers", str(model), pickled_weights=True)).close()


def test_weight_that_its_file_lacks_is_a_problem(model):
    split_weights(model)
    index = json.loads((model / "model.safetensors.index.json").read_text())
    change_json(model / "model.safetensors.index.json", weight_map=index["weight_map"] | {"x": "model-0.safetensors"})

    [problem] = problems(model)

    assert "such as x in model-0.safetensors" in problem


def test_weights_that_one_layer_lacks_are_a_problem(model):
    keep_weights(model, lambda name: "layers.1.mlp" not in name)

    [problem] = problems(model)

    assert "lacks 3 of its weights (such as model.layers.1.mlp.down_proj.weight)" in problem


def test_configuration_of_another_size_is_a_problem(model):
    change_json(model / "config.json", intermediate_size=96)

    [problem] = problems(model)

    assert "have another size than its config.json says (such as model.layers.0.mlp.down_proj.weight" in problem


def test_tokenizer_of_another_model_is_a_problem(model):
    size = json.loads((model / "config.json").read_text())["vocab_size"]
    change_json(model / "config.json", vocab_size=3 * size)

    assert any("the tokenizer belongs to another model" in problem for problem in problems(model))

    change_json(model / "config.json", vocab_size=size - 50)

    assert any(f"has {len(train_tokenizer()):,} tokens" in problem for problem in problems(model))


def test_pairwise_classifier_has_no_problem(tmp_path):
    assert problems(save_classifier(tmp_path, "bert", labels=3)) == []


def test_classifier_without_its_classes_or_with_too_many_is_a_problem(tmp_path):
    folder = save_classifier(tmp_path, "llama", labels=2)
    keep_weights(folder, lambda name: not name.startswith("score"))

    [problem] = problems(folder)

    assert "lacks 1 of its weights (such as score.weight)" in problem

    [problem] = problems(save_classifier(tmp_path, "bert", labels=5))

    assert "has 5 labels; a pairwise classifier has two" in problem


def test_reward_model_is_checked(tmp_path):
    one, two = (save_classifier(tmp_path / str(labels), "bert", labels=labels) for labels in (1, 2))

    assert problems(f"reward:{one}", backend="metric") == []
    assert "and a reward model has one" in problems(f"reward:{two}", backend="metric")[0]
    (one / "model.safetensors").unlink()
    assert "has no weights" in problems(f"reward:{one}", backend="metric")[0]


def test_layer_of_bertscore_is_checked(tmp_path):
    folder = save_classifier(tmp_path, "bert", labels=1)

    assert problems(f"bertscore:{folder}#2", backend="metric") == []
    assert problems(f"bertscore:{folder}#3", backend="metric") == [f'"{folder}" has layers 1 to 2; 3 is none of them']
