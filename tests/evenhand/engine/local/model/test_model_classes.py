import math

import pytest
import torch
from transformers import AutoModelForMultimodalLM, AutoTokenizer

from evenhand.engine import EngineSettings, Question, Request, load_engine
from tests.evenhand.engine.multimodal_models import LIST_TEMPLATE, MULTIMODAL, save_gemma3n, save_multimodal

QUESTIONS = [Question(f"The boat {'was painted ' * n}Which?", "Summary", " A", " B") for n in (1, 4, 2)]


def settings(folder):
    return EngineSettings("transformers", str(folder))


def plain_p_first(model, tokenizer, question):
    """The answer of the whole model, vision part included, in one pass over the text."""
    logprobs = []
    for label in (question.label_first, question.label_second):
        ids = tokenizer(f"{question.text} {question.answer_prefix}{label}").input_ids
        given = len(tokenizer(f"{question.text} {question.answer_prefix}").input_ids)
        with torch.inference_mode():
            predicted = model(input_ids=torch.tensor([ids])).logits[0].double().log_softmax(-1)
        logprobs.append(sum(float(predicted[place - 1, ids[place]]) for place in range(given, len(ids))))
    return 1 / (1 + math.exp(logprobs[1] - logprobs[0]))


def plain_text(model, tokenizer, request):
    """The likeliest token each time, by a pass of the whole model over everything before it."""
    ids = tokenizer(request.text).input_ids
    given = len(ids)
    with torch.inference_mode():
        while len(ids) < given + request.max_new_tokens and ids[-1] != tokenizer.eos_token_id:
            ids.append(int(model(input_ids=torch.tensor([ids])).logits[0, -1].argmax()))
    return tokenizer.decode(ids[given:], skip_special_tokens=True).strip()


@pytest.mark.parametrize("kind", MULTIMODAL)
def test_text_part_of_a_multimodal_model_answers_and_writes_together_as_the_whole_model_alone(kind, tmp_path):
    folder = save_multimodal(tmp_path, kind)
    whole = AutoModelForMultimodalLM.from_pretrained(folder, dtype=torch.float32).eval()
    tokenizer = AutoTokenizer.from_pretrained(folder)
    requests = [Request(question.text, max_new_tokens=6) for question in QUESTIONS]
    engine = load_engine(settings(folder))

    answers, written = engine.p_first(QUESTIONS).answers, engine.generate(requests)

    expected = [plain_p_first(whole, tokenizer, question) for question in QUESTIONS]
    assert [answer.p_first for answer in answers] == pytest.approx(expected, abs=1e-6)
    assert [one.text for one in written] == [plain_text(whole, tokenizer, request) for request in requests]
    assert not [name for name, _ in engine._model._model.named_parameters() if "vis" in name]


def test_gemma_3n_answers_without_the_packages_for_images(tmp_path):
    engine = load_engine(settings(save_gemma3n(tmp_path)))

    answers = engine.p_first(QUESTIONS).answers

    assert engine.describe().architecture == "Gemma3nForCausalLM"
    assert all(0 < answer.p_first < 1 for answer in answers)


def test_chat_template_of_the_processor_with_lists_of_parts_is_used(tmp_path):
    folder = save_multimodal(tmp_path, "mistral3", processor_template=LIST_TEMPLATE)

    engine = load_engine(settings(folder))
    question = Question("Which?", "Summary", " A", " B", system="Be fair.")

    assert engine.describe().chat_template
    assert engine.render(question).prompt_text == "[system] Be fair.[user] Which?[assistant]"
    assert engine.p_first([question]).answers[0].error == ""
