import argparse
import json
import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeVar

import torch
from transformers import PreTrainedModel

from benchmarks import judging
from benchmarks.judging.peers import ONE, PADDED, PEERS, UNCHANGED, Peer, random_model
from benchmarks.judging.prompts import HANNA, SUMMEVAL, TOPICAL_CHAT, prompts
from benchmarks.judging.t5 import FIXED, T5_PEERS, random_t5, t5_prompts
from benchmarks.judging.writing import measured_writing
from benchmarks.machine import machine, say
from benchmarks.numerics.lines import HEADER, Line
from evenhand.engine.local.cpu_matmul import choose_products, multiplying_by
from evenhand.engine.local.decoder_only import CausalModel
from evenhand.engine.local.encoder_decoder import Seq2SeqModel
from evenhand.engine.local.label_logprobs import LabelScores
from evenhand.engine.local.local_engine import LanguageModel
from evenhand.engine.questions.label_tokens import LabelledPrompt
from evenhand.engine.settings import ONEDNN, TORCH

RESULTS = Path(__file__).resolve().parents[1] / "results/judging.json"
SHARE = 16  # prompts that a peer is asked
LARGEST_ERROR = 1e-5
WRITING = "SummEval, texts"

T = TypeVar("T")


@dataclass(frozen=True)
class Judge:
    """A model, our judge made of it, and the peers, which ask an unchanged copy."""

    model: PreTrainedModel
    ours: Callable[..., LanguageModel]
    peers: Mapping[str, Peer]
    untouched: PreTrainedModel


@dataclass(frozen=True)
class Task:
    """Prompts for a judge and its peers.

    wanted: the ratio that we aim at, by peer. per_call: number of prompts in one call of our judge.
    repeats: number of measurements; the least time counts.
    products: the library for products of matrices; None: our judge chooses, and the peers use torch's.
    """

    name: str
    judge: str
    prompts: list[LabelledPrompt]
    wanted: Mapping[str, float | None]
    per_call: int = 10_000
    products: str | None = TORCH
    repeats: int = 1


def tasks() -> list[Task]:
    llama, t5 = "llama", "t5"
    return [
        Task("SummEval, all 240 pairs", llama, prompts(SUMMEVAL), {ONE: 7.5, PADDED: 6.5}),
        Task("SummEval, all 240 pairs, oneDNN", llama, prompts(SUMMEVAL), {ONE: 7.5}, products=ONEDNN),
        Task(
            "SummEval, all 240 pairs, out of the box",
            llama,
            prompts(SUMMEVAL),
            {UNCHANGED: 12},
            products=None,
            repeats=2,
        ),
        Task("SummEval, all 240 pairs, 16 a call", llama, prompts(SUMMEVAL), {PADDED: None}, per_call=16),
        Task("SummEval, all 240 pairs, 4 attributes", llama, prompts(SUMMEVAL, attributes=4), {PADDED: 14}),
        Task("SummEval, 48 random pairs", llama, prompts(SUMMEVAL, per_context=48), {PADDED: 5}),
        Task("TopicalChat, all 30 pairs", llama, prompts(TOPICAL_CHAT), {ONE: 7.5}),
        Task("HANNA, 72 random pairs of 24", llama, prompts(HANNA, per_context=72), {PADDED: 1.7}),
        Task("T5, 12 prompts", t5, t5_prompts(12), {ONE: 1.15, FIXED: 1.8}, repeats=2),
        Task("T5, 12 prompts, oneDNN", t5, t5_prompts(12), {ONE: 1.15, FIXED: 1.8}, products=ONEDNN, repeats=2),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=judging.__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, default=RESULTS, metavar="FILE")
    parser.add_argument("--only", default="", metavar="WORD", help="only tasks with this in their name")
    options = parser.parse_args()
    judges = {
        "llama": Judge(random_model(), CausalModel, PEERS, random_model()),
        "t5": Judge(random_t5(), Seq2SeqModel, T5_PEERS, random_t5()),
    }
    for name, judge in judges.items():
        say(f"{name}: {judge.ours(judge.model).batching}, chosen products: {choose_products(judge.model)}")
    say(f"{torch.get_num_threads()} threads")
    say(HEADER)
    lines = []
    for task in tasks():
        for line in measured(task, judges[task.judge]) if options.only in task.name else ():
            say(str(line))
            lines.append(line)
    if options.only in WRITING:
        lines.append(measured_writing(judges["llama"].model))
        say(str(lines[-1]))
    document = {"lines": [line.as_dict() for line in lines], "machine": machine(("torch", "transformers"))}
    options.output.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
    if max(line.error or 0.0 for line in lines) > LARGEST_ERROR:
        raise SystemExit(f"answers differ by more than {LARGEST_ERROR:g}: the ratios say nothing")


def measured(task: Task, judge: Judge) -> Iterator[Line]:
    """Yield processor seconds for one prompt: ours over all prompts of the task, each peer's over a part of them."""
    calls = [task.prompts[low : low + task.per_call] for low in range(0, len(task.prompts), task.per_call)]
    products = choose_products(judge.model) if task.products is None else task.products

    ours = iter([judge.ours(judge.model, products=products) for _ in range(task.repeats)])  # none remembers another's

    def answered() -> list[LabelScores]:
        asked = next(ours)
        return [asked.score(prompts) for prompts in calls]

    seconds, scored = least_seconds(answered, task.repeats)
    logprobs = [pair for call in scored for pair in call.values]
    computed = sum(call.computed_tokens for call in scored)
    number = min(SHARE, len(task.prompts))
    middle = slice((len(task.prompts) - number) // 2, (len(task.prompts) + number) // 2)
    share, expected = task.prompts[middle], p_first(logprobs)[middle]
    given = sum(prompt.tokens for prompt in task.prompts)
    for peer, wanted in task.wanted.items():
        with multiplying_by(task.products or TORCH):
            their_seconds, theirs = least_seconds(partial(judge.peers[peer], judge.untouched, share), task.repeats)
        error = max(abs(one - other) for one, other in zip(expected, theirs, strict=True))
        note = f"{products}; {given / computed:.2f} times the tokens; P(first) differs by {error:.0e} at most"
        yield Line(task.name, seconds / len(task.prompts), peer, their_seconds / number, wanted, error, note=note)


def least_seconds(work: Callable[[], T], repeats: int) -> tuple[float, T]:
    """Return the least processor time of the repeats, and the last result."""
    least = math.inf
    for _ in range(repeats):
        started = time.process_time()
        result = work()
        least = min(least, time.process_time() - started)
    return least, result


def p_first(logprobs: Sequence[list[float] | None]) -> list[float]:
    return [1 / (1 + math.exp(pair[1] - pair[0])) for pair in logprobs if pair is not None]


if __name__ == "__main__":
    main()
