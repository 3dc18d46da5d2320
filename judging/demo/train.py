"""Train the demo judge from scratch: `python -m judging.demo.train --output DIR`, on one thread, the same every time.

The label words alone teach nothing for a thousand steps. So the model first learns to read: to predict the words of one
candidate, and to tell, by a tagger on a middle layer that is thrown away after training, which of them a flaw spoiled.
Then it compares.
"""

from __future__ import annotations

import argparse
import math
import random
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from torch import Tensor, nn
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

from judging.demo.lessons import AnalysisLesson, ComparisonLesson, Teacher
from judging.demo.vocabulary import FAMILIAR, UNFAMILIAR
from judging.prompting.prompt_files import load_shipped_prompts
from judging.prompting.templates import PromptText

SEED = 20
READING_STEPS = 1200
STEPS = 2200  # the reading steps among them
BATCH = 16
LEARNING_RATE = 2.5e-3
VOCABULARY = 2048
WINDOW = 4096
# How often a batch is of each kind: a comparison by a prompt, or the analyses of prepair's first stage.
KINDS = {"comparative-1": 12, "comparative-2": 3, "prepair-1": 3, "analysis": 2}
INVENTED = 0.35
LOSS_WEIGHTS = {"label": 1.0, "tags": 1.0, "words": 0.3, "analysis": 1.0}  # weights of the losses
OUTSIDE, GOOD_FIRST, SPOILED_FIRST, GOOD_SECOND, SPOILED_SECOND, NOT_A_TOKEN = 0, 1, 2, 3, 4, -100
TAGGED_LAYER = 3  # of 5: the two above it can add up what it found
TAG_WEIGHTS = (0.3, 1.0, 3.0, 1.0, 3.0)


def main() -> None:
    parser = argparse.ArgumentParser(description="Train the demo judge.")
    parser.add_argument("--output", type=Path, required=True, help="folder for weights and tokenizer")
    parser.add_argument("--steps", type=int, default=STEPS)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(SEED)
    prompts = {prompt.name: prompt for prompt in load_shipped_prompts()}
    tokenizer = build_tokenizer(prompts)
    model = build_model(tokenizer)
    print(f"{sum(p.numel() for p in model.parameters()):,} parameters, {len(tokenizer)} tokens", flush=True)
    train(model, tokenizer, prompts, steps=arguments.steps)
    save(model, tokenizer, arguments.output)
    for name, domains in {"familiar": FAMILIAR, "unfamiliar": UNFAMILIAR}.items():
        print(name, held_out_figures(model, tokenizer, prompts["comparative-1"], Teacher(domains, equal_pairs=0)))


def build_tokenizer(prompts: dict[str, PromptText]) -> PreTrainedTokenizerFast:
    """A byte-level BPE tokenizer trained on lessons; it adds no special tokens of its own."""
    rng = random.Random(SEED)
    teacher = Teacher(FAMILIAR)
    corpus = [teacher.comparison(rng, prompts["comparative-1"]).text for _ in range(2000)]
    for name in ("comparative-2", "prepair-1"):
        corpus += [teacher.comparison(rng, prompts[name]).text for _ in range(300)]
    analyses = [teacher.analysis(rng, prompts["prepair-1"]) for _ in range(300)]
    corpus += [lesson.text + lesson.analysis for lesson in analyses]
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY, special_tokens=["<pad>", "</s>"], initial_alphabet=alphabet, show_progress=False
    )
    tokenizer.train_from_iterator(corpus, trainer)
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token="<pad>", eos_token="</s>", model_max_length=WINDOW
    )


def build_model(tokenizer: PreTrainedTokenizerFast) -> LlamaForCausalLM:
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=160,
        intermediate_size=432,
        num_hidden_layers=5,
        num_attention_heads=5,
        max_position_embeddings=WINDOW,
        tie_word_embeddings=True,
        bos_token_id=None,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )
    return LlamaForCausalLM(config)


def train(
    model: LlamaForCausalLM, tokenizer: PreTrainedTokenizerFast, prompts: dict[str, PromptText], *, steps: int
) -> None:
    """Teach the model `steps` batches of lessons: a warm-up, then a cosine to a thirtieth of the learning rate."""
    tagger = nn.Linear(model.config.hidden_size, len(TAG_WEIGHTS))
    optimizer = torch.optim.AdamW(
        [*model.parameters(), *tagger.parameters()], lr=LEARNING_RATE, weight_decay=0.01, betas=(0.9, 0.98)
    )
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min(1, (step + 1) / 100) * (0.03 + 0.97 * (1 + math.cos(math.pi * step / steps)) / 2)
    )
    started, recent = time.process_time(), {"label": 0.693, "tags": 1.0, "words": 5.0, "analysis": 5.0}
    model.train()
    for step, lessons in enumerate(_batches(prompts, steps), start=1):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            losses = _losses(model, tagger, tokenizer, lessons)
        optimizer.zero_grad()
        torch.stack([LOSS_WEIGHTS[name] * loss for name, loss in losses.items()]).sum().backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        recent |= {name: 0.97 * recent[name] + 0.03 * loss.item() for name, loss in losses.items()}
        if step % 100 == 0:
            shown = ", ".join(f"{name} {loss:.3f}" for name, loss in recent.items())
            print(f"step {step}: {shown}; {time.process_time() - started:.0f} CPU seconds", flush=True)
    model.train(mode=False)


Lessons = list[ComparisonLesson] | list[AnalysisLesson]


def _batches(prompts: dict[str, PromptText], steps: int) -> Iterator[Lessons]:
    """Reading first, then comparisons and analyses mixed."""
    rng = random.Random(SEED + 1)
    teacher = Teacher(FAMILIAR, invented=INVENTED)
    for step in range(steps):
        kind = rng.choices(list(KINDS), list(KINDS.values()))[0]
        if step < READING_STEPS:
            yield [teacher.comparison(rng, prompts["comparative-1"]).opening() for _ in range(BATCH)]
        elif kind == "analysis":
            yield [teacher.analysis(rng, prompts["prepair-1"]) for _ in range(BATCH // 2)]
        else:
            size = BATCH // 2 if kind == "prepair-1" else BATCH
            yield [teacher.comparison(rng, prompts[kind]) for _ in range(size)]


def _losses(
    model: LlamaForCausalLM, tagger: nn.Linear, tokenizer: PreTrainedTokenizerFast, lessons: Lessons
) -> dict[str, Tensor]:
    comparisons = [lesson for lesson in lessons if isinstance(lesson, ComparisonLesson)]
    if not comparisons:
        analyses = [lesson for lesson in lessons if isinstance(lesson, AnalysisLesson)]
        return {"analysis": _writing_loss(model, tokenizer, analyses)}
    encoded = tokenizer([lesson.text for lesson in comparisons], padding=True, return_offsets_mapping=True)
    ids, mask = torch.tensor(encoded.input_ids), torch.tensor(encoded.attention_mask)  # (batch, length)
    output = model.model(input_ids=ids, use_cache=False, output_hidden_states=True)
    states, middle = output.last_hidden_state, output.hidden_states[TAGGED_LAYER]  # (batch, length, width)
    following = torch.where(mask[:, 1:] == 1, ids[:, 1:], NOT_A_TOKEN)
    losses = {
        "tags": _cross_entropy(tagger(middle), _tags(comparisons, encoded), torch.tensor(TAG_WEIGHTS)),
        "words": _cross_entropy(model.lm_head(states[:, :-1]), following),
    }
    if comparisons[0].label:
        labels = torch.tensor([tokenizer(lesson.label).input_ids[0] for lesson in comparisons])
        at_end = states[torch.arange(len(comparisons)), mask.sum(1) - 1]  # (batch, width)
        losses["label"] = _cross_entropy(model.lm_head(at_end), labels)
    return losses


def _cross_entropy(logits: Tensor, targets: Tensor, weights: Tensor | None = None) -> Tensor:
    """Mean over all positions. logits: (..., classes). targets: (...)."""
    return nn.functional.cross_entropy(
        logits.flatten(0, -2).float(), targets.flatten(), weights, ignore_index=NOT_A_TOKEN
    )


def _writing_loss(
    model: LlamaForCausalLM, tokenizer: PreTrainedTokenizerFast, lessons: Sequence[AnalysisLesson]
) -> Tensor:
    """Cross-entropy of the analyses and the end token, given their prompts."""
    prompts = [tokenizer(lesson.text).input_ids for lesson in lessons]
    texts = [[*tokenizer(lesson.analysis).input_ids, tokenizer.eos_token_id] for lesson in lessons]
    length = max(len(prompt) + len(text) for prompt, text in zip(prompts, texts, strict=True))
    ids = torch.full((len(lessons), length), tokenizer.pad_token_id)
    targets = torch.full((len(lessons), length), NOT_A_TOKEN)
    for row, (prompt, text) in enumerate(zip(prompts, texts, strict=True)):
        end = len(prompt) + len(text)
        ids[row, :end] = torch.tensor(prompt + text)
        targets[row, len(prompt) - 1 : end - 1] = torch.tensor(text)
    states = model.model(input_ids=ids, use_cache=False).last_hidden_state
    taught = targets != NOT_A_TOKEN
    return _cross_entropy(model.lm_head(states[taught]), targets[taught])


def _tags(lessons: Sequence[ComparisonLesson], encoded: dict[str, list[list[tuple[int, int]]]]) -> Tensor:
    """What each token is a part of, (batch, length)."""
    offsets, masks = encoded["offset_mapping"], encoded["attention_mask"]
    return torch.tensor(
        [
            [_tag(lesson, span) if real else NOT_A_TOKEN for span, real in zip(spans, mask, strict=True)]
            for lesson, spans, mask in zip(lessons, offsets, masks, strict=True)
        ]
    )


def _tag(lesson: ComparisonLesson, span: tuple[int, int]) -> int:
    spoiled = any(_overlap(span, other) for other in lesson.spoiled)
    if _overlap(span, lesson.first_span):
        return SPOILED_FIRST if spoiled else GOOD_FIRST
    if _overlap(span, lesson.second_span):
        return SPOILED_SECOND if spoiled else GOOD_SECOND
    return OUTSIDE


def _overlap(one: tuple[int, int], other: tuple[int, int]) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def save(model: LlamaForCausalLM, tokenizer: PreTrainedTokenizerFast, folder: Path) -> None:
    """Weights in float16, readable by everybody (safetensors writes them for the owner alone)."""
    model.half().save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    for path in folder.iterdir():
        path.chmod(0o644)
    model.float()


@torch.inference_mode()
def held_out_figures(
    model: LlamaForCausalLM, tokenizer: PreTrainedTokenizerFast, prompt: PromptText, teacher: Teacher, n: int = 640
) -> str:
    """Accuracy on pairs that were never taught, and how often "first" is the answer."""
    rng = random.Random(SEED + 2)
    first, second = (tokenizer(word).input_ids[0] for word in (prompt.label_first, prompt.label_second))
    right = firsts = 0
    for _ in range(n // BATCH):
        lessons = [teacher.comparison(rng, prompt) for _ in range(BATCH)]
        encoded = tokenizer([lesson.text for lesson in lessons], padding=True)
        last = torch.tensor(encoded.attention_mask).sum(1) - 1
        states = model.model(input_ids=torch.tensor(encoded.input_ids), use_cache=False).last_hidden_state
        logits = model.lm_head(states[torch.arange(BATCH), last])
        says_first = logits[:, first] > logits[:, second]
        is_first = torch.tensor([lesson.label == prompt.label_first for lesson in lessons])
        right += int((says_first == is_first).sum())
        firsts += int(says_first.sum())
    return f"accuracy {right / n:.3f}, P(first) {firsts / n:.3f}, {n} pairs of unequal candidates"


if __name__ == "__main__":
    main()
