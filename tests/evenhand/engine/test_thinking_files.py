"""Models that cannot think, recognised by the chat template in their files."""

import json

import pytest

from evenhand.engine.model_folders import lacks_thinking
from tests.evenhand.engine.thinking_templates import TEMPLATES

PLAIN = "{% for message in messages %}{{ message.content }}{% endfor %}"


def save(folder, template, *, file="tokenizer_config.json"):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "tokenizer_config.json").write_text("{}")
    text = template if file.endswith(".jinja") else json.dumps({"chat_template": template})
    (folder / file).write_text(text)
    return str(folder)


@pytest.mark.parametrize("file", ["tokenizer_config.json", "chat_template.json", "chat_template.jinja"])
@pytest.mark.parametrize("name", TEMPLATES)
def test_model_whose_template_has_marks_of_thinking_may_think(tmp_path, file, name):
    assert not lacks_thinking(save(tmp_path / "thinks", TEMPLATES[name], file=file), "")
    assert lacks_thinking(save(tmp_path / "plain", PLAIN, file=file), "")


def test_one_of_several_templates_is_enough_and_none_cannot_think(tmp_path):
    named = [{"name": "default", "template": PLAIN}, {"name": "thinks", "template": TEMPLATES["Qwen3"]}]

    assert not lacks_thinking(save(tmp_path, named), "")
    assert lacks_thinking(save(tmp_path, None), "")


def test_model_of_the_hub_is_read_from_its_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    cache = tmp_path / "models--some--model"
    save(cache / "snapshots" / "abc", PLAIN)
    save(cache / "snapshots" / "def", TEMPLATES["Qwen3"])
    (cache / "refs").mkdir()
    (cache / "refs" / "main").write_text("abc")

    assert [lacks_thinking("some/model", revision) for revision in ("", "abc", "def")] == [True, True, False]


@pytest.mark.parametrize("content", [None, "{", "[]"])
def test_model_whose_files_are_not_here_or_broken_is_left_to_the_worker(tmp_path, content):
    if content:
        (tmp_path / "tokenizer_config.json").write_text(content)

    assert not lacks_thinking(str(tmp_path), "")
    assert not lacks_thinking("some/other", "")
