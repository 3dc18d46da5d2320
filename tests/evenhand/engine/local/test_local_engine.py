import math
from dataclasses import replace
from functools import cache
from itertools import product

import pytest
import torch
from transformers import AutoTokenizer

from evenhand.engine import (
    EngineError,
    EngineSettings,
    LikelihoodQuestion,
    Question,
    RenderedPrompt,
    ScaleQuestion,
    load_engine,
)
from tests.evenhand.engine.reference import Reference
from tests.evenhand.engine.tiny_models import CHAT_TEMPLATE, save_model

KINDS = ["llama", "mistral", "qwen2", "gemma2", "gpt2", "t5", "bart"]
TOKENIZERS = {
    "opening": {"opening": "<s>"},
    "opening and closing": {"opening": "<s>", "closing": "</s>"},
    "closing, bytes only": {"closing": "</s>", "merges": False},
    "chat template": {"opening": "<s>", "chat_template": CHAT_TEMPLATE},
}
LABELS = {
    "one token": ("Summary", " A", " B"),
    "several tokens": ("Output", " (ab)", " (b)"),
    "no prefix": ("", "A", "B"),
}


def open_engine(folder, **settings):
    return load_engine(EngineSettings(backend="transformers", model=str(folder), **settings))


def questions(n=9, *, labels="one token", system=""):
    """Prompts of very different lengths."""
    prefix, first, second = LABELS[labels]
    texts = [
        f"{'The old captain. ' * (1 + 3 * i % 7)}\n\nSummary A: boat {i}\n\nSummary B: pier\n\nWhich is better?"
        for i in range(n)
    ]
    return [Question(text, prefix, first, second, system) for text in texts]


# Every tokenizer with all labels for two kinds of models; for the others, with the labels that are hardest to tokenise
CASES = [
    (kind, tokenizer, labels)
    for kind, tokenizer, labels in product(KINDS, TOKENIZERS, LABELS)
    if kind in ("llama", "t5") or tokenizer == "opening" or labels == "several tokens"
]


@pytest.fixture(scope="module")
def opened(tmp_path_factory):
    """The engine and the reference of a kind of model and tokenizer, loaded once for all labels."""

    @cache
    def opened(kind, tokenizer):
        folder = save_model(tmp_path_factory.mktemp(kind), kind, **TOKENIZERS[tokenizer])
        return open_engine(folder), Reference(folder)

    return opened


@pytest.mark.parametrize(("kind", "tokenizer", "labels"), CASES)
def test_p_first_of_a_batch_equals_the_definition_applied_to_one_prompt_at_a_time(opened, kind, tokenizer, labels):
    engine, reference = opened(kind, tokenizer)
    asked = questions(5, labels=labels, system="Be fair.")

    batch = engine.p_first(asked)

    expected = [reference.logprobs(engine.render(question)) for question in asked]
    assert [(a.logprob_first, a.logprob_second) for a in batch.answers] == [
        pytest.approx(pair, abs=1e-4) for pair in expected
    ]
    assert [a.p_first for a in batch.answers] == [
        pytest.approx(1 / (1 + math.exp(second - first)), abs=1e-5) for first, second in expected
    ]


def test_p_first_depends_on_the_prompt_and_computes_the_same_question_once(opened):
    engine, _ = opened("llama", "opening")

    batch = engine.p_first(questions())

    values = [answer.p_first for answer in batch.answers]
    assert max(values) - min(values) > 0.05  # else the test above would show little

    (asked,) = questions(1)

    batch = engine.p_first([asked, asked])

    assert batch.answers[0] == batch.answers[1]
    assert batch.computed_tokens == batch.answers[0].prompt_tokens


def test_p_first_counts_the_tokens_before_the_label_words(tmp_path):
    engine = open_engine(save_model(tmp_path, "llama", opening="<s>"))
    asked = questions(3)
    tokenizer = AutoTokenizer.from_pretrained(tmp_path)

    batch = engine.p_first(asked)

    tokens = [len(tokenizer(f"{question.text} Summary").input_ids) for question in asked]
    assert [answer.prompt_tokens for answer in batch.answers] == tokens
    assert batch.computed_tokens < sum(tokens)


def test_p_first_of_an_encoder_decoder_model_computes_every_prompt(opened):
    engine, _ = opened("t5", "opening")

    batch = engine.p_first(questions(2))

    assert batch.computed_tokens == sum(answer.prompt_tokens for answer in batch.answers)


@pytest.mark.parametrize("kind", ["llama", "t5"])
def test_p_first_is_the_same_when_questions_were_announced(opened, kind):
    engine, _ = opened(kind, "opening")
    asked = questions()
    at_once = engine.p_first(asked).answers

    engine.expect(lambda: asked[4:])
    slices = engine.p_first(asked[:4]).answers + engine.p_first(asked[4:]).answers

    assert [answer.p_first for answer in slices] == pytest.approx([answer.p_first for answer in at_once], abs=1e-6)


@pytest.mark.parametrize("kind", ["llama", "t5"])
def test_scores_and_likelihoods_are_the_same_when_questions_were_announced(opened, kind):
    engine, _ = opened(kind, "opening")
    scales = [ScaleQuestion(one.text, "Score:", " 1", " 10") for one in questions()]
    texts = [LikelihoodQuestion(one.text, "", " The old captain.", "") for one in questions()]

    for asked, answered in ((scales, engine.scores), (texts, engine.log_likelihoods)):
        at_once = answered(asked).answers
        engine.expect(lambda asked=asked: asked[4:])
        slices = answered(asked[:4]).answers + answered(asked[4:]).answers

        assert [one.score for one in slices] == pytest.approx([one.score for one in at_once], abs=1e-5)


def test_answers_to_questions_with_and_without_a_tie_come_in_the_order_asked(opened):
    engine, _ = opened("llama", "opening")
    plain, refused = questions(2), Question("Which?", "", " A", " A")
    tie = replace(plain[1], label_tie=" C")

    answers = engine.p_first([plain[0], tie, refused, plain[1]]).answers

    assert [(bool(one.choice), one.p_first is not None, bool(one.error)) for one in answers] == [
        (False, True, False),
        (True, False, False),
        (False, False, True),
        (False, True, False),
    ]


def test_p_first_of_nothing_is_nothing(opened):
    batch = opened("llama", "opening")[0].p_first([])

    assert (batch.answers, batch.computed_tokens) == ((), 0)


@pytest.mark.parametrize("kind", ["llama", "gpt2", "bart"])
def test_p_first_refuses_a_prompt_longer_than_the_model_takes_and_answers_the_others(tmp_path, kind):
    engine = open_engine(save_model(tmp_path, kind, window=64, merges=False))
    fits, too_long = questions(1)[0], Question("a" * 100, "Summary", " A", " B")
    fits = Question(fits.text[-30:], "Summary", " A", " B")

    answers = engine.p_first([fits, too_long, fits]).answers

    tokens = 100 if kind == "bart" else 100 + len(" Summary ")
    assert answers[1].error == f"the prompt is too long: it has {tokens} tokens, and the model takes 64"
    assert answers[0].p_first is not None
    assert answers[0].p_first == pytest.approx(answers[2].p_first, abs=1e-6)  # threads share the work between rows


@pytest.mark.parametrize("kind", ["llama", "gpt2"])
def test_p_first_answers_a_prompt_that_just_fits(tmp_path, kind):
    engine = open_engine(save_model(tmp_path, kind, window=64, merges=False))
    room = 64 - len(" Summary ")

    fits, one_more = engine.p_first([Question("a" * n, "Summary", " A", " B") for n in (room, room + 1)]).answers

    assert fits.error == ""
    assert one_more.error == "the prompt is too long: it has 65 tokens, and the model takes 64"


def test_p_first_of_t5_has_no_longest_prompt(tmp_path):
    engine = open_engine(save_model(tmp_path, "t5", merges=False, limit=64))

    (answer,) = engine.p_first([Question("a" * 1000, "Summary", " A", " B")]).answers

    assert answer.error == ""
    assert engine.describe().max_prompt_tokens is None


@pytest.mark.parametrize("kind", ["llama", "t5"])
def test_p_first_refuses_label_words_that_cannot_be_told_apart(opened, kind):
    engine, _ = opened(kind, "opening")
    asked = [Question("Which?", "Summary", " A", " A"), Question("Which?", "Summary", " A", " B")]

    answers = engine.p_first(asked).answers

    assert "cannot be distinguished" in answers[0].error
    assert answers[1].error == ""


@pytest.mark.parametrize("kind", ["llama", "t5"])
def test_p_first_reports_nan_as_an_error(tmp_path, kind):
    engine = open_engine(_with_weights_of(save_model(tmp_path, kind), math.nan))

    answers = engine.p_first(questions(2)).answers

    assert [answer.p_first for answer in answers] == [None, None]
    assert all(answer.error.startswith("the model gave no probability") for answer in answers)


def _with_weights_of(folder, value):
    engine = open_engine(folder)
    model = engine._model._model
    with torch.no_grad():
        model.get_output_embeddings().weight.fill_(value)
    model.save_pretrained(folder)
    return folder


def test_p_first_refuses_tokens_that_the_model_does_not_know(tmp_path):
    save_model(tmp_path, "llama")
    tokenizer = AutoTokenizer.from_pretrained(tmp_path)
    tokenizer.add_tokens(["zebra"])
    tokenizer.save_pretrained(tmp_path)
    known = len(tokenizer) - 1

    answers = open_engine(tmp_path).p_first([Question("A zebra", "Summary", " A", " B"), *questions(1)]).answers

    assert answers[0].error == (
        f"the tokenizer gives token {known}, and the model knows {known} tokens; the tokenizer belongs to another model"
    )
    assert answers[1].error == ""


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_p_first_in_a_smaller_dtype_stays_near(tmp_path, dtype):
    save_model(tmp_path, "llama", opening="<s>")
    asked = questions(4)

    exact, rough = (open_engine(tmp_path, dtype=d).p_first(asked).answers for d in ("float32", dtype))

    assert [a.p_first for a in rough] == pytest.approx([a.p_first for a in exact], abs=0.1)
    assert [a.p_first for a in rough] != [a.p_first for a in exact]


def test_render_shows_a_decoder_only_model_one_string(opened):
    engine, _ = opened("llama", "opening")

    rendered = engine.render(Question("Which?", "Summary", " A", " B", "Be fair."))

    assert rendered == RenderedPrompt("Be fair.\n\nWhich?", " Summary", " A", " B", add_special_tokens=True)


def test_render_shows_an_encoder_decoder_model_the_decoder_text_without_a_space(tmp_path):
    engine = open_engine(save_model(tmp_path, "t5", closing="</s>"))

    rendered = engine.render(Question("Which?", "Summary", " A", " B"))

    assert rendered == RenderedPrompt("Which?", "Summary", " A", " B", add_special_tokens=True)


def test_render_goes_through_the_chat_template_and_adds_no_special_tokens_twice(opened):
    engine, _ = opened("llama", "chat template")

    assert engine.render(Question("Which?", "Summary", " A", " B", "Be fair.")) == RenderedPrompt(
        "<s>[system] Be fair.\n[user] Which?\n[assistant]", " Summary", " A", " B", add_special_tokens=False
    )


def test_render_puts_the_system_message_before_the_text_where_the_chat_template_knows_none(tmp_path):
    template = "{% if messages[0].role == 'system' %}{{ raise_exception('no') }}{% endif %}" + CHAT_TEMPLATE
    engine = open_engine(save_model(tmp_path, "llama", chat_template=template))

    rendered = engine.render(Question("Which?", "Summary", " A", " B", "Be fair."))

    assert rendered.prompt_text == "<s>[user] Be fair.\n\nWhich?\n[assistant]"


def test_p_first_reports_a_chat_template_that_fails(tmp_path):
    engine = open_engine(save_model(tmp_path, "llama", chat_template="{{ raise_exception('no such role') }}"))

    (answer,) = engine.p_first(questions(1)).answers

    assert answer.error == "the model's chat template cannot render this prompt: no such role"


def test_a_closed_engine_says_so(tmp_path):
    engine = open_engine(save_model(tmp_path, "llama"))
    engine.close()

    with pytest.raises(EngineError, match="this engine is closed"):
        engine.p_first(questions(1))
