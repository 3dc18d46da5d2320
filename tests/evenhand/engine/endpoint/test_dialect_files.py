"""Dialects: how they are recognised, the fields they send, and the replies they give."""

import json
import tomllib
from dataclasses import fields
from pathlib import Path

import pytest

from evenhand.engine import LoadFailed, Question, Thinking
from evenhand.engine.endpoint.chat_messages import chat_messages
from evenhand.engine.endpoint.dialect_files import (
    DIALECTS_FOLDER,
    Dialect,
    dialect_of_host,
    dialect_of_model_list,
    find_dialect,
    load_dialects,
)
from evenhand.engine.endpoint.label_scoring import (
    detokenize_body,
    read_probability,
    read_tokens,
    scoring_body,
    text_body,
    text_of_tokens,
    tokenize_body,
)
from evenhand.engine.endpoint.request_form import RequestForm
from evenhand.engine.replies.endpoint_reply import reply_of

EXCHANGES = {file.stem: json.loads(file.read_text()) for file in (Path(__file__).parent / "exchanges").glob("*.json")}
QUESTION = Question("Which is better, A or B?", "", "A", "B")
THINKING = Thinking(tokens=500, effort="low")


@pytest.mark.parametrize("file", sorted(DIALECTS_FOLDER.glob("*.toml")), ids=lambda file: file.stem)
def test_dialect_file_has_known_fields_a_title_and_an_exchange(file):
    content = tomllib.loads(file.read_text())

    assert set(content) <= {field.name for field in fields(Dialect)}
    assert content["title"]
    assert file.stem in EXCHANGES


@pytest.mark.parametrize(
    ("base_url", "model", "name"),
    [
        ("https://api.openai.com/v1", "gpt-4o-2024-08-06", "openai"),
        ("https://api.openai.com/v1", "gpt-5-mini", "openai-reasoning"),
        ("https://eu.api.openai.com/v1", "o3", "openai-reasoning"),
        ("https://openrouter.ai/api/v1", "openai/o3", "openrouter"),
        ("https://api.deepseek.com", "deepseek-reasoner", "deepseek"),
    ],
)
def test_hosted_endpoint_is_recognised_by_its_host_and_model(base_url, model, name):
    assert dialect_of_host(base_url, model).name == name


def test_host_that_ends_alike_is_another_host():
    assert dialect_of_host("https://notapi.openai.com.example.org/v1", "gpt-4o") is None
    assert dialect_of_host("https://evilapi.openai.com", "gpt-4o") is None


@pytest.mark.parametrize("name", [name for name, one in EXCHANGES.items() if "models" in one])
def test_server_is_recognised_by_the_owner_of_its_models(name):
    assert dialect_of_model_list(EXCHANGES[name]["models"], "judge").name == name


@pytest.mark.parametrize("document", [None, [], {"data": "x"}, {"data": [{"id": "judge", "owned_by": "me"}]}])
def test_other_server_has_the_general_dialect(document):
    assert dialect_of_model_list(document, "judge").name == "openai-compatible"


def test_unknown_dialect_is_refused():
    with pytest.raises(LoadFailed, match=r'dialect "vlm" is unknown; choose one of: deepseek, .*vllm'):
        find_dialect("vlm")


@pytest.mark.parametrize("name", sorted(load_dialects()))
@pytest.mark.parametrize("mode", ["off", "on", "forced"])
def test_request_has_the_fields_of_its_dialect(name, mode):
    form = RequestForm(find_dialect(name), thinks=mode == "on", ask_by="forced-choice" if mode == "forced" else "")
    question = Question(QUESTION.text, "", "A", "B", thinking=THINKING if mode == "on" else None)

    body = form.question_body("judge", question)

    assert {field: value for field, value in body.items() if field not in ("model", "messages")} == EXCHANGES[name][
        mode
    ]


@pytest.mark.parametrize("name", sorted(load_dialects()))
def test_reply_of_a_dialect_is_read_without_its_reasoning(name):
    exchange = EXCHANGES[name]

    reply = reply_of(exchange["reply"], find_dialect(name).reasoning)

    assert [reply.text.strip(), reply.reasoning, reply.thinking_tokens, [token.text for token in reply.tokens]] == [
        exchange["read"][field] for field in ("text", "reasoning", "thinking_tokens", "tokens")
    ]


@pytest.mark.parametrize("name", [name for name, one in load_dialects().items() if one.scoring])
def test_label_tokens_are_scored_as_the_dialect_has_it(name):
    dialect, recorded = find_dialect(name), EXCHANGES[name]["scoring"]

    tokens = read_tokens(json.dumps(recorded["tokens"]).encode())
    probability, reply = read_probability(json.dumps(recorded["reply"]).encode(), asked=len(tokens) - 1)

    assert dialect.scoring == {"path": recorded["path"], "tokenize": "/tokenize", "detokenize": "/detokenize"}
    assert tokenize_body("judge", chat_messages(QUESTION.text, ""), RequestForm(dialect)) == recorded["tokenize"]
    assert text_body("judge", f"<|im_start|>user\n{QUESTION.text}") == recorded["text"]
    assert detokenize_body("judge", tokens[:2]) == recorded["detokenize"]
    assert text_of_tokens(json.dumps(recorded["detokenized"]).encode()) == "<|im_start|>user"
    assert scoring_body("judge", tokens[:-1], tokens[-1]) == recorded["request"]
    assert (probability, reply.model, reply.prompt_tokens) == (0.25, "judge", 4)
