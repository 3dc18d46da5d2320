import argparse
import json
import math
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from transformers import PreTrainedModel

from benchmarks import judging
from benchmarks.judging.peers import PEERS, random_model
from benchmarks.judging.prompts import HANNA, SUMMEVAL, TOPICAL_CHAT, prompts
from benchmarks.judging.writing import measured_writing
from benchmarks.machine import machine, say
from benchmarks.numerics.lines import HEADER, Line
from judging.engine.causal import CausalModel
from judging.engine.labels import LabelledPrompt
from judging.engine.local import LabelLogprobs

RESULTS = Path(__file__).resolve().parents[1] / "results/judging.json"
SHARE = 16  # prompts that a peer is asked
LARGEST_ERROR = 1e-5


@dataclass(frozen=True)
class Task:
    """wanted: the ratio that we aim at, by peer. per_call: prompts that we are asked at once."""

    name: str
    prompts: list[LabelledPrompt]
    wanted: Mapping[str, float | None]
    per_call: int = 10_000


def tasks() -> list[Task]:
    one, padded = PEERS
    return [
        Task("SummEval, all 240 pairs", prompts(SUMMEVAL), {one: 7.5, padded: 6.5}),
        Task("SummEval, all 240 pairs, 16 a call", prompts(SUMMEVAL), {padded: None}, per_call=16),
        Task("SummEval, all 240 pairs, 4 attributes", prompts(SUMMEVAL, attributes=4), {padded: 14}),
        Task("SummEval, 48 random pairs", prompts(SUMMEVAL, per_context=48), {padded: 5}),
        Task("TopicalChat, all 30 pairs", prompts(TOPICAL_CHAT), {one: 7.5}),
        Task("HANNA, 72 random pairs of 24", prompts(HANNA, per_context=72), {padded: 1.7}),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=judging.__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, default=RESULTS, metavar="FILE")
    options = parser.parse_args()
    model = random_model()
    say(f"{CausalModel(model).batching}, {torch.get_num_threads()} threads")
    say(HEADER)
    lines = []
    for task in tasks():
        for line in measured(task, model):
            say(str(line))
            lines.append(line)
    lines.append(measured_writing(model))
    say(str(lines[-1]))
    document = {"lines": [line.as_dict() for line in lines], "machine": machine(("torch", "transformers"))}
    options.output.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
    if max(line.error or 0.0 for line in lines) > LARGEST_ERROR:
        raise SystemExit(f"answers differ by more than {LARGEST_ERROR:g}: the ratios say nothing")


def measured(task: Task, model: PreTrainedModel) -> Iterator[Line]:
    """Seconds of the processor for one prompt: ours over all of the task, a peer's over some of them."""
    calls = [task.prompts[low : low + task.per_call] for low in range(0, len(task.prompts), task.per_call)]
    ours = CausalModel(model)  # anew: it remembers nothing of the task before
    started = time.process_time()
    scored = [ours.score(prompts) for prompts in calls]
    seconds = (time.process_time() - started) / len(task.prompts)
    logprobs = [pair for call in scored for pair in call.logprobs]
    computed = sum(call.computed_tokens for call in scored)
    middle = slice((len(task.prompts) - SHARE) // 2, (len(task.prompts) + SHARE) // 2)
    share, expected = task.prompts[middle], p_first(logprobs)[middle]
    given = sum(prompt.tokens for prompt in task.prompts)
    for peer, wanted in task.wanted.items():
        started = time.process_time()
        found = PEERS[peer](model, share)
        theirs = (time.process_time() - started) / len(share)
        error = max(abs(one - other) for one, other in zip(expected, found, strict=True))
        note = f"{given / computed:.2f} times the tokens; P(first) differs by {error:.0e} at most"
        yield Line(task.name, seconds, peer, theirs, wanted, error, note=note)


def p_first(logprobs: Sequence[LabelLogprobs | None]) -> list[float]:
    return [1 / (1 + math.exp(pair.second - pair.first)) for pair in logprobs if pair is not None]


if __name__ == "__main__":
    main()
