"""Reasoning about the candidates of a context, as in PRePair, written for all at once and for one at a time."""

import time

import numpy as np
import torch
from transformers import PreTrainedModel

from benchmarks.judging.prompts import ASKED, OPENING, SUMMEVAL, tokens
from benchmarks.numerics.lines import Line
from evenhand.engine.local.decoder_only import CausalModel
from evenhand.engine.local.written_texts import RequestPrompt
from evenhand.engine.questions.label_tokens import Ids

NEW_TOKENS = 64  # random weights write no end, so every text gets as long
SHARE = 2  # prompts that the peer is asked
WANTED = 5.0


def measured_writing(model: PreTrainedModel) -> Line:
    """Yield processor seconds for one greedy text. error: the share of the peer's tokens that differ."""
    prompts = analysis_prompts()
    judge = CausalModel(model)
    started = time.process_time()
    written = judge.write([RequestPrompt(ids, NEW_TOKENS) for ids in prompts])
    seconds = (time.process_time() - started) / len(prompts)
    started = time.process_time()
    theirs = [generated(model, prompt) for prompt in prompts[:SHARE]]
    their_seconds = (time.process_time() - started) / SHARE
    differ = [
        one != other
        for text, ids in zip(written, theirs, strict=False)
        for one, other in zip(text.ids, ids, strict=True)
    ]
    error = sum(differ) / len(differ)
    task = f"SummEval, {len(prompts)} texts of {NEW_TOKENS} tokens"
    note = f"{error:.0%} of the peer's tokens differ"
    return Line(task, seconds, "generate, one at a time", their_seconds, WANTED, error, note=note)


def analysis_prompts() -> list[Ids]:
    """Return one prompt for each candidate of a context, with a question."""
    rng = np.random.default_rng(0)
    context, question = tokens(rng, SUMMEVAL.context), tokens(rng, OPENING + ASKED)
    lengths = [round(SUMMEVAL.candidate * rng.uniform(0.75, 1.25)) for _ in range(SUMMEVAL.candidates)]
    return [tuple(context + tokens(rng, length) + question) for length in lengths]


@torch.inference_mode()
def generated(model: PreTrainedModel, prompt: Ids) -> list[int]:
    ids = torch.tensor([prompt])
    mask = torch.ones_like(ids)
    output = model.generate(ids, attention_mask=mask, max_new_tokens=NEW_TOKENS, do_sample=False, pad_token_id=0)
    return output[0, len(prompt) :].tolist()
