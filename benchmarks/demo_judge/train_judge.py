"""Train the demo judge from scratch: `python -m benchmarks.demo_judge.train_judge --output DIR`.

It takes one thread and fixed seeds.

Trained on the label words alone, the model stays at chance for a thousand steps. So it first learns to read: it
predicts the words of one candidate, and a tagger on a middle layer marks the words that a flaw spoiled. Then it learns
to compare. The tagger is discarded after training.
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

from benchmarks.demo_judge.training_examples import AnalysisExample, ComparisonExample, ExampleSampler
from benchmarks.demo_judge.vocabulary import FAMILIAR_DOMAINS, UNFAMILIAR_DOMAINS
from evenhand.prompting.prompt_files import load_shipped_prompts
from evenhand.prompting.templates import PromptText

_SEED = 20
_READING_STEPS = 1200
_STEPS = 2200  # including the reading steps
_BATCH_SIZE = 16
_LEARNING_RATE = 2.5e-3
_VOCABULARY_SIZE = 2048
_MAX_TOKENS = 4096
# Weight of each kind of batch: comparisons by a prompt, or analyses of prepair's first stage.
_BATCH_KINDS = {"comparative-1": 12, "comparative-2": 3, "prepair-1": 3, "analysis": 2}
_INVENTED_SHARE = 0.35
_LOSS_WEIGHTS = {"label": 1.0, "tags": 1.0, "words": 0.3, "analysis": 1.0}
_OUTSIDE, _GOOD_FIRST, _SPOILED_FIRST, _GOOD_SECOND, _SPOILED_SECOND = range(5)  # tags of tokens
_IGNORED = -100  # target of positions that count in no loss
_TAGGED_LAYER = 3  # of 5: the two layers above it can sum the tags
_TAG_WEIGHTS = (0.3, 1.0, 3.0, 1.0, 3.0)


def main() -> None:
    parser = argparse.ArgumentParser(description="Train the demo judge.")
    parser.add_argument("--output", type=Path, required=True, help="folder for weights and tokenizer")
    parser.add_argument("--steps", type=int, default=_STEPS)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(_SEED)
    prompts = {prompt.name: prompt for prompt in load_shipped_prompts()}
    tokenizer = build_tokenizer(prompts)
    model = build_model(tokenizer)
    print(f"{sum(p.numel() for p in model.parameters()):,} parameters, {len(tokenizer)} tokens", flush=True)
    train(model, tokenizer, prompts, steps=arguments.steps)
    save(model, tokenizer, arguments.output)
    for name, domains in {"familiar": FAMILIAR_DOMAINS, "unfamiliar": UNFAMILIAR_DOMAINS}.items():
        sampler = ExampleSampler(domains, equal_share=0)
        print(name, measure_on_new_examples(model, tokenizer, prompts["comparative-1"], sampler))


def build_tokenizer(prompts: dict[str, PromptText]) -> PreTrainedTokenizerFast:
    """Train a byte-level BPE tokenizer on training examples. It adds no special tokens to a text."""
    rng = random.Random(_SEED)
    sampler = ExampleSampler(FAMILIAR_DOMAINS)
    corpus = [sampler.draw_comparison(rng, prompts["comparative-1"]).text for _ in range(2000)]
    for name in ("comparative-2", "prepair-1"):
        corpus += [sampler.draw_comparison(rng, prompts[name]).text for _ in range(300)]
    analyses = [sampler.draw_analysis(rng, prompts["prepair-1"]) for _ in range(300)]
    corpus += [example.text + example.analysis for example in analyses]
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=_VOCABULARY_SIZE, special_tokens=["<pad>", "</s>"], initial_alphabet=alphabet, show_progress=False
    )
    tokenizer.train_from_iterator(corpus, trainer)
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token="<pad>", eos_token="</s>", model_max_length=_MAX_TOKENS
    )


def build_model(tokenizer: PreTrainedTokenizerFast) -> LlamaForCausalLM:
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=160,
        intermediate_size=432,
        num_hidden_layers=5,
        num_attention_heads=5,
        max_position_embeddings=_MAX_TOKENS,
        tie_word_embeddings=True,
        bos_token_id=None,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )
    return LlamaForCausalLM(config)


def train(
    model: LlamaForCausalLM, tokenizer: PreTrainedTokenizerFast, prompts: dict[str, PromptText], *, steps: int
) -> None:
    """Train for `steps` batches.

    The learning rate warms up over 100 steps, then falls along a cosine to 3 % of its peak.
    """
    tagger = nn.Linear(model.config.hidden_size, len(_TAG_WEIGHTS))
    optimizer = torch.optim.AdamW(
        [*model.parameters(), *tagger.parameters()], lr=_LEARNING_RATE, weight_decay=0.01, betas=(0.9, 0.98)
    )
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min(1, (step + 1) / 100) * (0.03 + 0.97 * (1 + math.cos(math.pi * step / steps)) / 2)
    )
    started, recent = time.process_time(), {"label": 0.693, "tags": 1.0, "words": 5.0, "analysis": 5.0}
    model.train()
    for step, examples in enumerate(_draw_batches(prompts, steps), start=1):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            losses = _compute_losses(model, tagger, tokenizer, examples)
        optimizer.zero_grad()
        torch.stack([_LOSS_WEIGHTS[name] * loss for name, loss in losses.items()]).sum().backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        recent |= {name: 0.97 * recent[name] + 0.03 * loss.item() for name, loss in losses.items()}
        if step % 100 == 0:
            averages = ", ".join(f"{name} {loss:.3f}" for name, loss in recent.items())
            print(f"step {step}: {averages}; {time.process_time() - started:.0f} CPU seconds", flush=True)
    model.train(mode=False)


_Batch = list[ComparisonExample] | list[AnalysisExample]


def _draw_batches(prompts: dict[str, PromptText], steps: int) -> Iterator[_Batch]:
    """Yield batches for reading first, then comparisons and analyses in random order."""
    rng = random.Random(_SEED + 1)
    sampler = ExampleSampler(FAMILIAR_DOMAINS, invented_share=_INVENTED_SHARE)
    for step in range(steps):
        kind = rng.choices(list(_BATCH_KINDS), list(_BATCH_KINDS.values()))[0]
        if step < _READING_STEPS:
            examples = [sampler.draw_comparison(rng, prompts["comparative-1"]) for _ in range(_BATCH_SIZE)]
            yield [example.cut_after_first_candidate() for example in examples]
        elif kind == "analysis":
            yield [sampler.draw_analysis(rng, prompts["prepair-1"]) for _ in range(_BATCH_SIZE // 2)]
        else:
            size = _BATCH_SIZE // 2 if kind == "prepair-1" else _BATCH_SIZE
            yield [sampler.draw_comparison(rng, prompts[kind]) for _ in range(size)]


def _compute_losses(
    model: LlamaForCausalLM, tagger: nn.Linear, tokenizer: PreTrainedTokenizerFast, batch: _Batch
) -> dict[str, Tensor]:
    comparisons = [example for example in batch if isinstance(example, ComparisonExample)]
    if not comparisons:
        analyses = [example for example in batch if isinstance(example, AnalysisExample)]
        return {"analysis": _compute_analysis_loss(model, tokenizer, analyses)}
    encoded = tokenizer([example.text for example in comparisons], padding=True, return_offsets_mapping=True)
    ids, mask = torch.tensor(encoded.input_ids), torch.tensor(encoded.attention_mask)  # (batch, length)
    output = model.model(input_ids=ids, use_cache=False, output_hidden_states=True)
    states, middle = output.last_hidden_state, output.hidden_states[_TAGGED_LAYER]  # (batch, length, width)
    next_ids = torch.where(mask[:, 1:] == 1, ids[:, 1:], _IGNORED)  # (batch, length - 1)
    losses = {
        "tags": _cross_entropy(tagger(middle), _tag_tokens(comparisons, encoded), torch.tensor(_TAG_WEIGHTS)),
        "words": _cross_entropy(model.lm_head(states[:, :-1]), next_ids),
    }
    if comparisons[0].label:
        labels = torch.tensor([tokenizer(example.label).input_ids[0] for example in comparisons])
        at_end = states[torch.arange(len(comparisons)), mask.sum(1) - 1]  # (batch, width)
        losses["label"] = _cross_entropy(model.lm_head(at_end), labels)
    return losses


def _cross_entropy(logits: Tensor, targets: Tensor, weights: Tensor | None = None) -> Tensor:
    """Return the mean cross-entropy over all positions. logits: (..., classes). targets: (...)."""
    return nn.functional.cross_entropy(logits.flatten(0, -2).float(), targets.flatten(), weights, ignore_index=_IGNORED)


def _compute_analysis_loss(
    model: LlamaForCausalLM, tokenizer: PreTrainedTokenizerFast, examples: Sequence[AnalysisExample]
) -> Tensor:
    """Return the cross-entropy of the analyses and the end token, given their prompts."""
    prompts = [tokenizer(example.text).input_ids for example in examples]
    texts = [[*tokenizer(example.analysis).input_ids, tokenizer.eos_token_id] for example in examples]
    length = max(len(prompt) + len(text) for prompt, text in zip(prompts, texts, strict=True))
    ids = torch.full((len(examples), length), tokenizer.pad_token_id)
    targets = torch.full((len(examples), length), _IGNORED)
    for row, (prompt, text) in enumerate(zip(prompts, texts, strict=True)):
        end = len(prompt) + len(text)
        ids[row, :end] = torch.tensor(prompt + text)
        targets[row, len(prompt) - 1 : end - 1] = torch.tensor(text)
    states = model.model(input_ids=ids, use_cache=False).last_hidden_state
    is_target = targets != _IGNORED
    return _cross_entropy(model.lm_head(states[is_target]), targets[is_target])


def _tag_tokens(examples: Sequence[ComparisonExample], encoded: dict[str, list[list[tuple[int, int]]]]) -> Tensor:
    """Return the tag of each token, (batch, length)."""
    offsets, masks = encoded["offset_mapping"], encoded["attention_mask"]
    return torch.tensor(
        [
            [_tag(example, span) if is_token else _IGNORED for span, is_token in zip(spans, mask, strict=True)]
            for example, spans, mask in zip(examples, offsets, masks, strict=True)
        ]
    )


def _tag(example: ComparisonExample, span: tuple[int, int]) -> int:
    is_spoiled = any(_overlap(span, other) for other in example.spoiled_spans)
    if _overlap(span, example.first_span):
        return _SPOILED_FIRST if is_spoiled else _GOOD_FIRST
    if _overlap(span, example.second_span):
        return _SPOILED_SECOND if is_spoiled else _GOOD_SECOND
    return _OUTSIDE


def _overlap(one: tuple[int, int], other: tuple[int, int]) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def save(model: LlamaForCausalLM, tokenizer: PreTrainedTokenizerFast, folder: Path) -> None:
    """Save the weights in float16. All files become readable by everybody; safetensors makes them private."""
    model.half().save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    for path in folder.iterdir():
        path.chmod(0o644)
    model.float()


@torch.inference_mode()
def measure_on_new_examples(
    model: LlamaForCausalLM,
    tokenizer: PreTrainedTokenizerFast,
    prompt: PromptText,
    sampler: ExampleSampler,
    n: int = 640,
) -> str:
    """Measure accuracy and P(first) on n pairs that are not in the training data."""
    rng = random.Random(_SEED + 2)
    first, second = (tokenizer(word).input_ids[0] for word in (prompt.label_first, prompt.label_second))
    right = firsts = 0
    for _ in range(n // _BATCH_SIZE):
        examples = [sampler.draw_comparison(rng, prompt) for _ in range(_BATCH_SIZE)]
        encoded = tokenizer([example.text for example in examples], padding=True)
        last = torch.tensor(encoded.attention_mask).sum(1) - 1
        states = model.model(input_ids=torch.tensor(encoded.input_ids), use_cache=False).last_hidden_state
        logits = model.lm_head(states[torch.arange(_BATCH_SIZE), last])
        says_first = logits[:, first] > logits[:, second]
        is_first = torch.tensor([example.label == prompt.label_first for example in examples])
        right += int((says_first == is_first).sum())
        firsts += int(says_first.sum())
    return f"accuracy {right / n:.3f}, P(first) {firsts / n:.3f}, {n} pairs of unequal candidates"


if __name__ == "__main__":
    main()
