import pytest

from evenhand.engine.exceptions import QuestionRefused
from evenhand.engine.questions.pair_questions import Question
from evenhand.engine.questions.rendering import PromptRenderer
from evenhand.engine.questions.thinking import Thinking
from tests.evenhand.engine.thinking_templates import DEEPSEEK_R1, GPT_OSS, QWEN3, TEMPLATES
from tests.evenhand.engine.tiny_models import CHAT_TEMPLATE, train_tokenizer

TEXT = "Which boat is better?"
THOUGHT = "The pier is long.\n"
HARMONY_FINAL = "<|start|>assistant<|channel|>final<|message|>"
ENDINGS = {
    "Qwen3": ("assistant\n<think>\n\n</think>\n\n", "assistant\n<think>\n", "</think>\n\n"),
    "Qwen3-Thinking": ("assistant\n<think>\n\n</think>\n\n", "assistant\n<think>\n", "</think>\n\n"),
    "DeepSeek-R1": ("<|assistant|><think>\n\n</think>\n\n", "<|assistant|><think>\n", "</think>\n\n"),
    "older DeepSeek-R1": ("<|assistant|><think>\n\n</think>\n\n", "<|assistant|><think>\n", "</think>\n\n"),
    "DeepSeek-V3.1": ("<|assistant|></think>", "<|assistant|><think>", "</think>"),
    "SmolLM3": ("assistant\n<think>\n\n</think>\n", "assistant\n<think>\n", "</think>\n"),
    "GLM-4.5": ("/nothink<|assistant|>\n<think></think>", "<|assistant|>\n<think>", "</think>"),
    "gpt-oss": (HARMONY_FINAL, "<|start|>assistant<|channel|>analysis<|message|>", f"<|end|>{HARMONY_FINAL}"),
    "Magistral": ("[/INST][THINK]\n\n[/THINK]\n\n", "[/INST][THINK]\n", "[/THINK]\n\n"),
}
NOTES = {
    "Qwen3": "enable_thinking=False in the chat template",
    "Qwen3-Thinking": "the open block of thinking is closed",
    "older DeepSeek-R1": "an empty block of thinking is added",
    "DeepSeek-V3.1": "thinking=False in the chat template",
    "gpt-oss": "the final channel is opened",
}


def renderer_of(template):
    return PromptRenderer(train_tokenizer(chat_template=template), is_encoder_decoder=False)


def prompt(renderer, thinking=None, thought=None, system=""):
    question = Question(TEXT, "Summary", " A", " B", system, thinking=thinking, thought=thought)
    return renderer.render(question).prompt_text


@pytest.mark.parametrize("model", ENDINGS)
def test_prompt_ends_after_a_closed_block_in_an_open_one_or_after_the_thought(model):
    renderer = renderer_of(TEMPLATES[model])

    without, open_block, after = prompt(renderer), prompt(renderer, Thinking()), prompt(renderer, Thinking(), THOUGHT)

    assert without.endswith(ENDINGS[model][0])
    assert open_block.endswith(ENDINGS[model][1])
    assert "no_think" not in open_block
    assert after == open_block + THOUGHT + ENDINGS[model][2]
    assert renderer.thinking.off_note == NOTES.get(model, renderer.thinking.off_note)


def test_prompt_keeps_its_system_message_with_and_without_thinking():
    renderer = renderer_of(QWEN3)

    for thinking in (None, Thinking()):
        assert prompt(renderer, thinking, system="Be fair.").startswith("<|im_start|>system\nBe fair.<|im_end|>")


@pytest.mark.parametrize("template", [CHAT_TEMPLATE, ""])
def test_prompt_of_a_model_without_thinking_is_unchanged_and_thinking_is_refused(template):
    renderer = renderer_of(template)

    assert prompt(renderer).endswith("[assistant]" if template else TEXT)
    assert (renderer.thinking.on_note, renderer.thinking.off_note) == ("", "")
    with pytest.raises(QuestionRefused, match="chat template has no thinking; start the run with thinking off"):
        prompt(renderer, Thinking())


def test_effort_reaches_a_template_that_knows_it():
    assert "Reasoning: high" in prompt(renderer_of(GPT_OSS), Thinking(effort="high"))
    assert "Reasoning: medium" in prompt(renderer_of(GPT_OSS), Thinking())
    with pytest.raises(QuestionRefused, match='takes no reasoning effort, such as "high"; leave it out'):
        prompt(renderer_of(QWEN3), Thinking(effort="high"))


def test_template_that_fails_on_a_switch_is_used_without_it():
    forbidding = "{% if enable_thinking is false %}{{ raise_exception('must think') }}{% endif %}" + DEEPSEEK_R1

    renderer = renderer_of(forbidding)

    assert prompt(renderer).endswith("<|assistant|><think>\n\n</think>\n\n")
    assert renderer.thinking.off_note == "the open block of thinking is closed"


def test_template_that_always_fails_refuses_each_question():
    renderer = renderer_of("{{ raise_exception('never') }}<think>")

    with pytest.raises(QuestionRefused, match="cannot render this prompt: never"):
        prompt(renderer)


def test_marks_inside_a_candidate_are_no_block_of_the_template():
    text = "Text A: <think>\nhm\n\nText B: </think>"

    whole = renderer_of(QWEN3).prompt_text(text, system="", thinking=Thinking())

    assert whole.endswith(f"{text}<|im_end|>\n<|im_start|>assistant\n<think>\n")
