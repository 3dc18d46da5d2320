"""Local models that think before they answer: the same as one question at a time, by a pass over the whole text."""

from dataclasses import replace

import pytest
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from evenhand.engine import EngineSettings, Question, RenderedPrompt, Request, ScaleQuestion, Thinking, load_engine
from evenhand.engine.local.local_engine import LocalEngine
from evenhand.engine.local.thinking import think
from evenhand.engine.local.written_texts import RequestPrompt, WrittenIds
from evenhand.engine.questions.rendering import PromptRenderer
from tests.evenhand.engine.reference import Reference
from tests.evenhand.engine.thinking_templates import GPT_OSS, QWEN3, QWEN3_THINKING, save_thinking_model
from tests.evenhand.engine.tiny_models import CHAT_TEMPLATE, save_model, train_tokenizer

LIMIT = 24
THINKING = Thinking(LIMIT)


def open_engine(folder):
    return load_engine(EngineSettings(backend="transformers", model=str(folder)))


def questions(thinking=THINKING, n=6):
    """Questions of different lengths; the thinking of the first one is cut."""
    texts = [f"{'The old captain. ' * (1 + 2 * i % 5)}\n\nSummary A: boat {i}\n\nWhich is better?" for i in range(n)]
    asked = [Question(text, "Summary", " A", " B", thinking=thinking) for text in texts]
    return [replace(asked[0], thinking=thinking and replace(thinking, tokens=2)), *asked[1:]]


def save_thinker(folder, kind):
    return save_thinking_model(folder, QWEN3, prompts=[prompt_of(question) for question in questions()], kind=kind)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return save_thinker(tmp_path_factory.mktemp("model"), "llama")


@pytest.fixture(scope="module")
def engine(folder):
    return open_engine(folder)


def written_alone(folder, prompt, *, limit=LIMIT, mark="</think>"):
    """The thinking after a prompt, token by token with one pass each. Returns its text, and True if it ended."""
    model, tokenizer = AutoModelForCausalLM.from_pretrained(folder).eval(), AutoTokenizer.from_pretrained(folder)
    ids = tokenizer(prompt, add_special_tokens=False).input_ids
    start = len(ids)
    with torch.inference_mode():
        while len(ids) < start + limit:
            ids.append(int(model(torch.tensor([ids])).logits[0, -1].argmax()))
            if mark in tokenizer.decode(ids[start:]):
                return tokenizer.decode(ids[start:-1]), True
            if ids[-1] == tokenizer.eos_token_id:
                return tokenizer.decode(ids[start:-1]), False
    return tokenizer.decode(ids[start:]), False


def prompt_of(question):
    return f"<|im_start|>user\n{question.text}<|im_end|>\n<|im_start|>assistant\n<think>\n"


@pytest.mark.parametrize("kind", ["llama", "qwen2", "gpt2"])
def test_thinking_in_a_batch_is_the_thinking_of_each_question_alone_and_p_first_is_read_after_it(tmp_path, kind):
    folder = save_thinker(tmp_path, kind)
    reference = Reference(folder)

    answers = open_engine(folder).p_first(questions()).answers

    alone = [written_alone(folder, prompt_of(one), limit=one.thinking.tokens) for one in questions()]
    ended = [has_ended for _, has_ended in alone]
    gaps = ["" if has_ended or text.endswith("\n") else "\n" for text, has_ended in alone]
    assert 0 < sum(ended) < len(ended)
    assert [one.thinking for one in answers] == [text + gap for (text, _), gap in zip(alone, gaps, strict=True)]
    assert [one.problem for one in answers] == ["" if has_ended else "cut-reasoning" for has_ended in ended]
    for question, answer in zip(questions(), answers, strict=True):
        begin, end = prompt_of(question), "</think>\n\n"
        after, before = (
            RenderedPrompt(begin + thought + end, " Summary", " A", " B", add_special_tokens=False)
            for thought in (answer.thinking, "\n")
        )
        assert answer.p_first == pytest.approx(reference.p_first(after), abs=1e-5)
        assert answer.p_first_before == pytest.approx(reference.p_first(before), abs=1e-5)


def test_p_first_before_is_that_of_a_run_without_thinking(engine):
    thought, plain = engine.p_first(questions()).answers, engine.p_first(questions(None)).answers

    assert [one.p_first_before for one in thought] == pytest.approx([one.p_first for one in plain], abs=1e-6)
    assert [one.p_first for one in thought] != pytest.approx([one.p_first for one in plain], abs=1e-3)
    assert {(one.thinking, one.thinking_tokens, one.p_first_before) for one in plain} == {("", 0, None)}


def test_thinking_in_stages_is_the_thinking_at_once(engine):
    prompts = [RequestPrompt(engine._encoded(Request(one.text, thinking=THINKING)).ids, LIMIT) for one in questions()]

    at_once, in_stages = (thoughts_of(engine._model, engine._renderer, prompts, stage) for stage in (LIMIT, 2))

    assert [(one.text, one.tokens, one.problem) for one in in_stages] == [
        (one.text, one.tokens, one.problem) for one in at_once
    ]


def thoughts_of(model, renderer, prompts, first_stage=256):
    batches = think(model, renderer, prompts, first_stage=first_stage)
    thoughts = {number: thought for batch in batches for number, thought in batch.items()}
    return [thoughts[number] for number in range(len(prompts))]


def test_scores_and_ties_are_read_after_thinking_too(engine):
    scale = ScaleQuestion("How good is the boat?", "Score:", " 1", " 5", thinking=THINKING)
    tie = Question("Which is better?", "", "A", "B", label_tie="C", thinking=THINKING)

    (score,), (choice,) = engine.scores([scale]).answers, engine.p_first([tie]).answers

    (plain,) = engine.scores([replace(scale, thinking=None)]).answers
    assert score.score_before == pytest.approx(plain.score, abs=1e-5)
    assert score.thinking
    assert choice.choice
    assert choice.thinking


def test_cut_thinking_is_unparsed_where_it_may_not_be_read(engine):
    read = engine.p_first(questions()).answers
    left_out = engine.p_first(questions(replace(THINKING, reads_cut=False))).answers

    assert {one.problem for one in read} == {"", "cut-reasoning"}
    for one, other in zip(read, left_out, strict=True):
        assert (other.thinking, other.problem, other.unparsed) == (one.thinking, one.problem, bool(one.problem))
        assert other.p_first == (None if one.problem else pytest.approx(one.p_first, abs=1e-6))


def test_questions_with_and_without_thinking_are_answered_in_one_call(engine):
    mixed = [questions()[0], questions(None)[1], questions()[2]]

    answers = engine.p_first(mixed).answers

    assert [bool(one.thinking) for one in answers] == [True, False, True]


def test_sampled_thinking_is_the_same_for_the_same_seed(engine):
    one, other = (Thinking(LIMIT, temperature=1.0, seed=seed) for seed in (1, 2))

    first, again, different = (engine.p_first(questions(thinking)).answers for thinking in (one, one, other))

    assert [answer.thinking for answer in first] == [answer.thinking for answer in again]
    assert [answer.thinking for answer in first] != [answer.thinking for answer in different]
    assert len({answer.thinking for answer in first}) == len(first)


def test_texts_are_written_after_thinking(engine, folder):
    request = Request("The old captain", max_new_tokens=6, thinking=THINKING)

    (generation,) = engine.generate([request])

    assert generation.thinking == written_or_closed(folder, "The old captain")
    assert generation.generated_tokens > generation.thinking_tokens > 0


def written_or_closed(folder, text):
    thinking, has_ended = written_alone(folder, prompt_of(Question(text, "", "A", "B")))
    return thinking if has_ended or thinking.endswith("\n") else f"{thinking}\n"


def test_mark_of_several_tokens_ends_the_thinking():
    renderer = PromptRenderer(train_tokenizer(chat_template=QWEN3_THINKING), is_encoder_decoder=False)
    writer = Recorder(renderer, "The boat is old.\n</think>\n\nSummary A")

    (thought,) = thoughts_of(writer, renderer, [RequestPrompt((5, 6), 200)], 5)

    assert (thought.text, thought.problem) == ("The boat is old.\n", "")
    assert len(writer.calls) > 1


def test_thinking_may_be_empty_cut_or_in_a_channel():
    renderer = PromptRenderer(train_tokenizer(chat_template=QWEN3_THINKING), is_encoder_decoder=False)

    (thought,) = thoughts_of(Recorder(renderer, "\n</think>"), renderer, [RequestPrompt((5,), 100)])

    assert (thought.text, thought.problem) == ("\n", "empty-reasoning")

    (thought,) = thoughts_of(Recorder(renderer, "I stop here</s>"), renderer, [RequestPrompt((5,), 100)])

    assert (thought.text, thought.problem) == ("I stop here\n", "cut-reasoning")

    renderer = PromptRenderer(train_tokenizer(chat_template=GPT_OSS), is_encoder_decoder=False)

    (thought,) = thoughts_of(Recorder(renderer, "A is older.<|end|><|start|>"), renderer, [RequestPrompt((5,), 100)])

    assert (thought.text, thought.problem) == ("A is older.", "")


def test_model_without_thinking_answers_with_the_reason(tmp_path):
    engine = open_engine(save_model(tmp_path, "llama", opening="<s>", chat_template=CHAT_TEMPLATE))

    (answer,) = engine.p_first(questions(n=1)).answers

    assert answer.error == "the model's chat template has no thinking; start the run with thinking off"
    assert engine.describe().thinking == engine.describe().without_thinking == ""


def test_thinking_that_the_window_cannot_hold_is_refused(tmp_path):
    engine = open_engine(save_thinking_model(tmp_path, QWEN3, window=128))

    (answer,) = engine.p_first([replace(questions()[0], thinking=Thinking(200))]).answers

    assert "and up to 200 new ones, and the model takes 128" in answer.error


def test_description_says_how_a_model_thinks_and_is_kept_from_it(tmp_path):
    engine = open_engine(save_thinking_model(tmp_path, QWEN3_THINKING))

    description = engine.describe()

    assert isinstance(engine, LocalEngine)
    assert description.thinking == "it thinks until </think>"
    assert description.without_thinking == "the open block of thinking is closed"


class Recorder:
    """Writes the tokens of one given text, and stops where the request says."""

    def __init__(self, renderer, text):
        self._ids = renderer.tokenizer(text, add_special_tokens=False).input_ids
        self._end = renderer.tokenizer.eos_token_id
        self.calls = []

    def write_batches(self, requests):
        self.calls.append(requests)
        yield {number: self._written(request) for number, request in enumerate(requests)}

    def _written(self, request):
        new = []
        for token in self._ids:
            new.append(token)
            if len(new) == request.max_new_tokens or request.is_complete(new, {self._end}):
                break
        self._ids = self._ids[len(new) :]
        return WrittenIds(tuple(new), complete=request.is_complete(new, {self._end}))
