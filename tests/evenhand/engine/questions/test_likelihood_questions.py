"""Log-likelihoods of texts by local models."""

import math

import pytest
import torch
from transformers import AutoModelForCausalLM, AutoModelForSeq2SeqLM, AutoTokenizer

from evenhand.engine import EngineSettings, LikelihoodQuestion, QuestionRefused, load_engine
from evenhand.engine.local.tree import tree_scorer
from evenhand.engine.local.tree.prefix_tree import SHORTEST_SHARED
from evenhand.engine.local.tree.tree_scorer import tree_logits
from evenhand.engine.questions.label_tokens import TokenRow
from evenhand.engine.questions.likelihood_questions import likelihood_prompt
from tests.evenhand.engine.tiny_models import CHAT_TEMPLATE, save_model

PROMPT = "Write one Summary that is as coherent as possible.\n\nThe old captain painted the boat at the pier.\n"
TEXTS = ["The boat was painted.", "The boat was", "(a) said the teacher in the old hall, or (b)", "x"]


def question(text, *, prompt=PROMPT, system=""):
    return LikelihoodQuestion(prompt, "", text, "", system)


def open_engine(folder):
    return load_engine(EngineSettings(backend="transformers", model=str(folder)))


def open_plainly(folder, *, encoder_decoder=False):
    kind = AutoModelForSeq2SeqLM if encoder_decoder else AutoModelForCausalLM
    return kind.from_pretrained(folder).eval(), AutoTokenizer.from_pretrained(folder)


def plain_mean(model, tokenizer, prompt, text):
    """Return the loss over the tokens of the text that transformers computes in one plain forward pass."""
    before, after = (tokenizer(part, add_special_tokens=False).input_ids for part in (prompt, text))
    with torch.no_grad():
        if model.config.is_encoder_decoder:
            return -float(model(input_ids=torch.tensor([before]), labels=torch.tensor([after])).loss)
        labels = [-100] * len(before) + after
        return -float(model(input_ids=torch.tensor([before + after]), labels=torch.tensor([labels])).loss)


@pytest.mark.parametrize("kind", ["llama", "gpt2", "t5"])
def test_log_likelihood_is_the_mean_of_the_texts_tokens_as_plain_passes_have_it(tmp_path, kind):
    engine = open_engine(save_model(tmp_path, kind))
    asked = [question(text, prompt=prompt) for prompt in (PROMPT, "Summarise:\n") for text in TEXTS]
    plain = open_plainly(tmp_path, encoder_decoder=kind == "t5")

    batch = engine.log_likelihoods(asked)

    for one, answer in zip(asked, batch.answers, strict=True):
        assert answer.score == pytest.approx(plain_mean(*plain, one.text, one.label_first), abs=1e-5)
    assert batch.computed_tokens < sum(answer.prompt_tokens for answer in batch.answers)


@pytest.mark.parametrize("kind", ["llama", "t5"])
def test_log_likelihood_does_not_depend_on_the_batch(tmp_path, kind):
    engine = open_engine(save_model(tmp_path, kind, opening="<s>", closing="</s>"))
    asked = [question(text, system="Be brief.") for text in TEXTS]

    together = engine.log_likelihoods(asked).answers

    alone = [engine.log_likelihoods([one]).answers[0] for one in asked]
    assert [one.score for one in together] == [pytest.approx(one.score, abs=1e-5) for one in alone]


def test_log_likelihood_scores_the_rendered_prompt(tmp_path):
    engine = open_engine(save_model(tmp_path, "llama", chat_template=CHAT_TEMPLATE))

    rendered = engine.render(question(TEXTS[0]))

    assert rendered.prompt_text == f"<s>[user] {PROMPT}\n[assistant]"
    assert (rendered.answer_prefix, rendered.label_first, rendered.label_second) == ("", TEXTS[0], "")
    (answer,) = engine.log_likelihoods([question(TEXTS[0])]).answers
    expected = plain_mean(*open_plainly(tmp_path), rendered.prompt_text, TEXTS[0])
    assert answer.score == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("text", ["", " \n"])
def test_log_likelihood_of_an_empty_text_is_an_error_and_affects_no_other(tmp_path, text):
    engine = open_engine(save_model(tmp_path, "llama"))

    empty, long, other = engine.log_likelihoods([question(text), question("boat " * 900), question("A boat.")]).answers

    assert (empty.score, empty.error) == (None, "the text is empty, so it has no likelihood")
    assert long.error.startswith("the prompt is too long: it has ")
    assert other.score < 0


def test_text_too_long_for_a_decoder_is_an_error(tmp_path):
    engine = open_engine(save_model(tmp_path, "bart", window=64, merges=False))

    (answer,) = engine.log_likelihoods([question("boat " * 30, prompt="Write.\n")]).answers

    assert answer.error == "the prompt is too long: it has 150 tokens, and the model takes 64"


def test_texts_are_scored_in_packs_whose_predictions_fit_into_memory_however_long_they_are(tmp_path, monkeypatch):
    folder, predicted = save_model(tmp_path, "llama"), []
    asked = [question(text) for text in (*TEXTS, "The boat was painted at the pier. " * 6)]
    whole = open_engine(folder).log_likelihoods(asked)
    monkeypatch.setattr("evenhand.engine.local.token_budgets.MOST_LOGITS", 20 * 347)  # of twenty tokens
    monkeypatch.setattr(
        tree_scorer, "tree_logits", lambda *arguments: predicted.append(tree_logits(*arguments)) or predicted[-1]
    )

    parts = open_engine(folder).log_likelihoods(asked)

    assert [one.score for one in parts.answers] == [pytest.approx(one.score, abs=1e-5) for one in whole.answers]
    assert max(map(len, predicted)) <= 20 + SHORTEST_SHARED


def test_merged_token_of_prompt_and_text_belongs_to_the_text():
    prompt = likelihood_prompt((1, 2, 3), (1, 2, 34, 5))

    assert (prompt.given_ids, prompt.text_ids) == ((1, 2), (34, 5))
    assert prompt.rows() == (TokenRow((1, 2, 34), ((34, 5),), 2),)
    assert prompt.answer([-3.0]).score == -1.5


@pytest.mark.parametrize(
    ("prompt", "whole", "reason"),
    [((1, 2), (1, 2), "has no tokens of its own"), ((1,), (2, 3), "nothing comes before the text")],
)
def test_text_without_own_tokens_or_prompt_is_refused(prompt, whole, reason):
    with pytest.raises(QuestionRefused, match=reason):
        likelihood_prompt(prompt, whole)


@pytest.mark.parametrize("logprob", [math.nan, -math.inf])
def test_text_without_a_probability_is_an_error(logprob):
    answer = likelihood_prompt((1,), (1, 2)).answer([logprob])

    assert (answer.score, answer.error) == (
        None,
        f"the model gave no probability for the text (log-probability {logprob})",
    )
