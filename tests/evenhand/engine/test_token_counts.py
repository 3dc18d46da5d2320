"""Token counts by a model's files alone, which agree with those of its loaded tokenizer."""

import json
import subprocess
import sys

import pytest

from evenhand.engine import EngineSettings, Question, load_renderer
from evenhand.engine.settings import DEMO_MODEL
from evenhand.engine.token_counts import load_file_renderer, window_in_files
from tests.evenhand.engine.classifier_models import save_classifier
from tests.evenhand.engine.tiny_models import CHAT_TEMPLATE, save_model

QUESTION = Question("The old captain painted the boat. Which Summary?", "Summary", " A", " B", system="Be fair.")


def save(folder, kind):
    if kind == "bert":
        return save_classifier(folder, kind, opening="<s>", closing="</s>")
    return save_model(folder, kind, opening="<s>", closing="</s>")


@pytest.mark.parametrize("kind", ["llama", "gpt2", "t5", "bart", "bert"])
def test_file_renderer_counts_as_the_loaded_tokenizer_does(tmp_path, kind):
    model = str(save(tmp_path, kind))
    loaded = load_renderer(EngineSettings("transformers", model))

    counted = load_file_renderer(model, "").tokenised(QUESTION)

    asked = loaded.tokenised(QUESTION)
    assert (counted.longest_part, counted.encoder_ids) == (asked.longest_part, asked.encoder_ids)
    assert window_in_files(model, "") == loaded.max_prompt_tokens


def test_file_renderer_leaves_the_chat_template_out(tmp_path):
    model = str(save_model(tmp_path, "llama", chat_template=CHAT_TEMPLATE))

    tokens = load_file_renderer(model, "").tokenised(QUESTION).longest_part

    assert 0 < tokens < load_renderer(EngineSettings("transformers", model)).tokenised(QUESTION).longest_part


def test_window_of_a_multimodal_model_is_that_of_its_text_part(tmp_path):
    (tmp_path / "config.json").write_text(json.dumps({"text_config": {"max_position_embeddings": 77}}))

    assert window_in_files(str(tmp_path), "") == 77


@pytest.mark.parametrize("content", [None, "{", '{"model": {"type": "Unknown"}}'])
def test_model_whose_tokenizer_is_missing_or_broken_has_no_file_renderer(tmp_path, content):
    (tmp_path / "config.json").write_text("{}")
    if content:
        (tmp_path / "tokenizer.json").write_text(content)

    assert load_file_renderer(str(tmp_path), "") is None
    assert window_in_files(str(tmp_path), "") is None
    assert window_in_files("some/other", "") is None


def test_counting_by_files_imports_neither_torch_nor_transformers():
    code = (
        "import sys; from evenhand.engine.token_counts import load_file_renderer;"
        f"assert load_file_renderer({DEMO_MODEL!r}, '').prompt_ids('The cat.');"
        "assert not {'torch', 'transformers'} & set(sys.modules)"
    )

    subprocess.run([sys.executable, "-c", code], check=True)
