"""Chat templates in the style of public models that think, and tiny models that use them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import torch
from transformers import PreTrainedModel

from tests.evenhand.engine.tiny_models import build_model, train_tokenizer

_IM = "{% for message in messages %}<|im_start|>{{ message['role'] }}\n{{ message['content'] }}<|im_end|>\n{% endfor %}"
_GENERATION = "{% if add_generation_prompt %}<|im_start|>assistant\n"
QWEN3 = (
    _IM
    + _GENERATION
    + "{% if enable_thinking is defined and enable_thinking is false %}<think>\n\n</think>\n\n{% endif %}{% endif %}"
)
QWEN3_THINKING = _IM + _GENERATION + "<think>\n{% endif %}"
DEEPSEEK_R1 = (
    "{% for message in messages %}{% set content = message['content'] %}"
    "{% if message['role'] == 'assistant' and '</think>' in content %}"
    "{% set content = content.split('</think>')[-1] %}{% endif %}"
    "<|{{ message['role'] }}|>{{ content }}{% endfor %}{% if add_generation_prompt %}<|assistant|><think>\n{% endif %}"
)
OLD_DEEPSEEK_R1 = DEEPSEEK_R1.replace("<|assistant|><think>\n", "<|assistant|>")
DEEPSEEK_V31 = (
    "{% for message in messages %}<|{{ message['role'] }}|>{{ message['content'] }}{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% if thinking %}<think>{% else %}</think>{% endif %}{% endif %}"
)
SMOLLM3 = (
    "{% if enable_thinking is not defined %}{% set enable_thinking = true %}{% endif %}"
    "<|im_start|>system\nReasoning Mode: {% if enable_thinking %}/think{% else %}/no_think{% endif %}<|im_end|>\n"
    + _IM
    + _GENERATION
    + "{% if not enable_thinking %}<think>\n\n</think>\n{% endif %}{% endif %}"
)
GLM45 = (
    "{% for message in messages %}<|{{ message['role'] }}|>\n{{ message['content'] }}"
    "{% if enable_thinking is defined and not enable_thinking %}/nothink{% endif %}{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>"
    "{{ '\n<think></think>' if enable_thinking is defined and not enable_thinking else '' }}{% endif %}"
)
GPT_OSS = (
    "<|start|>system<|message|>Reasoning: {{ reasoning_effort if reasoning_effort is defined else 'medium' }}\n"
    "# Valid channels: analysis, commentary, final.<|end|>"
    "{% for message in messages %}<|start|>{{ message['role'] }}<|message|>{{ message['content'] }}<|end|>{% endfor %}"
    "{% if false %}<|channel|>{% endif %}{% if add_generation_prompt %}<|start|>assistant{% endif %}"
)
MAGISTRAL = "{% for message in messages %}[INST]{{ message['content'] }}[/INST]{% endfor %}{# [THINK] [/THINK] #}"

TEMPLATES = {
    "Qwen3": QWEN3,
    "Qwen3-Thinking": QWEN3_THINKING,
    "DeepSeek-R1": DEEPSEEK_R1,
    "older DeepSeek-R1": OLD_DEEPSEEK_R1,
    "DeepSeek-V3.1": DEEPSEEK_V31,
    "SmolLM3": SMOLLM3,
    "GLM-4.5": GLM45,
    "gpt-oss": GPT_OSS,
    "Magistral": MAGISTRAL,
}


def save_thinking_model(
    folder: Path, template: str, *, prompts: Sequence[str] = (), kind: str = "llama", window: int = 2048
) -> Path:
    """Save a tiny model whose tokenizer has a token for the end of thinking.

    prompts: prompts that end in an open block. After some of them the model ends its thinking soon, after others not.
    """
    tokenizer = train_tokenizer(chat_template=template)
    tokenizer.add_tokens(["</think>"])
    model = build_model(kind, len(tokenizer), window=window)
    if prompts:
        end = tokenizer.convert_tokens_to_ids("</think>")
        _write_after_some(model, end, [tokenizer(text, add_special_tokens=False).input_ids for text in prompts])
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def _write_after_some(model: PreTrainedModel, token: int, prompts: Sequence[list[int]]) -> None:
    """Give a token a slightly larger logit than a token that the model writes after about half of the prompts."""
    written = [_written(model, prompt) for prompt in prompts]
    counts = Counter(one for ids in written for one in set(ids))
    chosen = min(counts, key=lambda one: abs(counts[one] - len(prompts) / 2))
    with torch.no_grad():
        head = model.get_output_embeddings().weight
        head[token] = 1.05 * head[chosen]


def _written(model: PreTrainedModel, prompt: list[int]) -> list[int]:
    """Return 20 tokens that the model writes after a prompt, without the first two."""
    ids = torch.tensor([prompt])
    with torch.inference_mode():
        whole = model.generate(ids, attention_mask=torch.ones_like(ids), max_new_tokens=20, do_sample=False)
    return whole[0, len(prompt) + 2 :].tolist()
