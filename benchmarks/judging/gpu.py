"""Measure how fast a judge of seven billion parameters answers on a GPU, relative to the card's rate of multiplication.

`python -m benchmarks.judging.gpu [--device cuda] [--profile FILE]` prints a table on standard error and writes
benchmarks/results/judging-CARD.json. The model has the shape of Llama 2 7B and random weights, made on the device.
Prompts are random tokens in the shape of SummEval: all pairs of 100 contexts, about one attribute and about four. Each
call asks one context, as workers do. Seconds are wall-clock time from tokens to log-probabilities, without tokenising
and storing. Useful operations are those that remain when prompts share their beginnings (`useful_operations`). Their
rate is compared with that of one large product of matrices. The peer is asked a few of the same prompts, and so are the
same weights in float32, for the errors of both.
`--device cpu --layers 2 --width 64 --contexts 1` is a trial that takes seconds.
"""

import argparse
import json
import math
import re
import resource
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import torch
from torch.profiler import ProfilerActivity
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedModel

from benchmarks.judging.operations import matrix_rate, timed, tree_of, useful_operations
from benchmarks.judging.peers import PADDED, padded_batches
from benchmarks.judging.prompts import SUMMEVAL, VOCABULARY, Shape, prompts
from benchmarks.machine import machine, processor, say
from evenhand.engine.local.decoder_only import CausalModel
from evenhand.engine.local.loading import find_device
from evenhand.engine.questions.label_tokens import LabelledPrompt

RESULTS = Path(__file__).resolve().parents[1] / "results"
LAYERS, WIDTH, HEAD, CONTEXTS = 32, 4096, 128, 100
WANTED_SECONDS = {1: 90.0, 4: 150.0}  # of the whole, by the number of attributes
WANTED_SHARE = 0.5  # of the card's rate
PEER_PROMPTS = 64
MOST_SECONDS = 240.0  # of one line. The contexts asked by then are reported.


@dataclass(frozen=True)
class Card:
    """name: of the GPU or the processor. operations_per_second: rate in one large product of matrices."""

    name: str
    operations_per_second: float


@dataclass(frozen=True)
class Line:
    """Measurements with one number of attributes.

    contexts: number of contexts asked. seconds: for all of them, after a first one to warm up.
    tokens_given, tokens_computed: tokens of all prompts, and tokens without shared beginnings.
    share_of_card: useful operations a second, as a share of the card's rate.
    ratio: the peer's time for a comparison over ours.
    error, peer_error: the largest difference of our P(first) and of the peer's from those of the model in float32.
    """

    attributes: int
    contexts: int
    comparisons: int
    seconds: float
    tokens_given: int
    tokens_computed: int
    useful_operations: int
    share_of_card: float
    peak_bytes: int
    ratio: float
    error: float
    peer_error: float
    peer: str = PADDED

    def __str__(self) -> str:
        return (
            f"{self.attributes:10}{self.contexts:10}{self.comparisons:13}{self.seconds:10.1f}"
            f"{self.comparisons / self.seconds:10.1f}{self.share_of_card:9.1%}"
            f"{self.peak_bytes / 2**30:8.1f}{self.ratio:7.1f}{self.error:10.1e}{self.peer_error:10.1e}"
        )


HEADER = (
    f"{'attributes':>10}{'contexts':>10}{'comparisons':>13}{'seconds':>10}{'a second':>10}{'of card':>9}{'GiB':>8}"
    f"{'ratio':>7}{'error':>10}{'peer':>10}"
)


def main() -> None:
    options = _options()
    device, dtype = find_device(options.device), getattr(torch, options.dtype)
    card = Card(_name(device), matrix_rate(device, dtype, size=8192 if device.type == "cuda" else 1024, seconds=1.0))
    say(f"{card.name}: {card.operations_per_second / 1e12:.1f}e12 operations a second in {options.dtype}")
    model = random_llama(options.layers, options.width, device=device, dtype=dtype)
    judge = CausalModel(model)
    say(f"{model.num_parameters() / 1e9:.2f}e9 parameters; {judge.batching}")
    say(HEADER)
    lines: list[Line] = []
    for attributes in WANTED_SECONDS:
        lines.append(measured(judge, model, card, shape=SUMMEVAL, contexts=options.contexts, attributes=attributes))
        say(str(lines[-1]))
        output = options.output or RESULTS / f"judging-{_slug(card.name)}.json"
        output.write_text(json.dumps(_document(card, model, judge, lines), indent=2) + "\n", encoding="utf-8")
    if options.profile:
        options.profile.write_text(profile(judge, device), encoding="utf-8")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--dtype", choices=["bfloat16", "float16", "float32"], default="bfloat16")
    parser.add_argument("--layers", type=int, default=LAYERS)
    parser.add_argument("--width", type=int, default=WIDTH)
    parser.add_argument("--contexts", type=int, default=CONTEXTS)
    parser.add_argument("--output", type=Path)
    parser.add_argument("--profile", type=Path, help="a file for a table of what takes the time of one context")
    return parser.parse_args()


def random_llama(layers: int, width: int, *, device: torch.device, dtype: torch.dtype) -> PreTrainedModel:
    """In the shape of Llama 2, with its proportions at other widths; weights are made where they stay."""
    heads = max(1, width // HEAD)
    config = LlamaConfig(
        vocab_size=VOCABULARY,
        hidden_size=width,
        intermediate_size=width * 43 // 16,
        num_hidden_layers=layers,
        num_attention_heads=heads,
        num_key_value_heads=heads,
        max_position_embeddings=4096,
        tie_word_embeddings=False,
    )
    torch.manual_seed(1)
    usual = torch.get_default_dtype()
    torch.set_default_dtype(dtype)
    try:
        with device:
            return LlamaForCausalLM(config).eval()
    finally:
        torch.set_default_dtype(usual)


def measured(
    judge: CausalModel, model: PreTrainedModel, card: Card, *, shape: Shape, contexts: int, attributes: int
) -> Line:
    """Ask all pairs of each context, one context at a time, until MOST_SECONDS have passed."""
    warm = prompts(shape, attributes=attributes, seed=contexts)
    ours = p_first(judge.score(warm).values[:PEER_PROMPTS])
    if model.device.type == "cuda":
        torch.cuda.reset_peak_memory_stats(model.device)
    asked: list[_Asked] = []
    while len(asked) < contexts and sum(one.seconds for one in asked) < MOST_SECONDS:
        asked.append(_asked(judge, model, prompts(shape, attributes=attributes, seed=len(asked))))
    peak = _peak_bytes(model.device)
    peer_seconds, theirs = _peer(model, warm[:PEER_PROMPTS])
    exact = _in_float32(model, warm[:PEER_PROMPTS])
    seconds, comparisons = sum(one.seconds for one in asked), sum(one.comparisons for one in asked)
    useful = sum(one.useful_operations for one in asked)
    return Line(
        attributes=attributes,
        contexts=len(asked),
        comparisons=comparisons,
        seconds=seconds,
        tokens_given=sum(one.tokens_given for one in asked),
        tokens_computed=sum(one.tokens_computed for one in asked),
        useful_operations=useful,
        share_of_card=useful / seconds / card.operations_per_second,
        peak_bytes=peak,
        ratio=peer_seconds / len(theirs) / (seconds / comparisons),
        error=_largest_difference(ours, exact),
        peer_error=_largest_difference(theirs, exact),
    )


@dataclass(frozen=True)
class _Asked:
    """Measurements of one context."""

    comparisons: int
    seconds: float
    tokens_given: int
    tokens_computed: int
    useful_operations: int


def _asked(judge: CausalModel, model: PreTrainedModel, asked: Sequence[LabelledPrompt]) -> _Asked:
    started = time.perf_counter()
    scored = judge.score(asked)  # comes back with numbers, so the device has finished
    seconds = time.perf_counter() - started
    if None in scored.values:
        raise SystemExit(f"{scored.values.count(None)} of {len(asked)} comparisons did not fit into memory")
    useful = useful_operations(model, tree_of(asked), predicted=len(asked))
    given = sum(prompt.tokens for prompt in asked)
    return _Asked(len(asked), seconds, given, scored.computed_tokens, useful)


def _peer(model: PreTrainedModel, asked: Sequence[LabelledPrompt]) -> tuple[float, list[float]]:
    theirs = padded_batches(model, asked)  # to warm up
    return timed(lambda: padded_batches(model, asked), model.device), theirs


def _in_float32(model: PreTrainedModel, asked: Sequence[LabelledPrompt]) -> list[float]:
    """Return P(first) by the same weights in float32."""
    dtype = model.dtype
    try:
        return padded_batches(model.float(), asked)
    finally:
        model.to(dtype)


def _largest_difference(some: Sequence[float], others: Sequence[float]) -> float:
    return max(abs(one - other) for one, other in zip(some, others, strict=True))


def p_first(logprobs: Sequence[list[float] | None]) -> list[float]:
    return [1 / (1 + math.exp(two[1] - two[0])) for two in logprobs if two is not None]


def profile(judge: CausalModel, device: torch.device) -> str:
    """Return a table of the time of each operation for one context."""
    asked = prompts(SUMMEVAL)
    activities = [ProfilerActivity.CPU, *([ProfilerActivity.CUDA] if device.type == "cuda" else [])]
    with torch.profiler.profile(activities=activities) as seen:
        judge.score(asked)
    order = "self_cuda_time_total" if device.type == "cuda" else "self_cpu_time_total"
    return str(seen.key_averages().table(sort_by=order, row_limit=40, max_name_column_width=90)) + "\n"


def _document(card: Card, model: PreTrainedModel, judge: CausalModel, lines: Sequence[Line]) -> dict[str, object]:
    config = model.config
    is_whole = (config.num_hidden_layers, config.hidden_size) == (LAYERS, WIDTH)
    wanted = {line.attributes: WANTED_SECONDS[line.attributes] for line in lines if line.contexts == CONTEXTS}
    return {
        "card": asdict(card),
        "model": {
            "layers": config.num_hidden_layers,
            "width": config.hidden_size,
            "parameters": model.num_parameters(),
            "dtype": str(model.dtype).removeprefix("torch."),
            "batching": judge.batching,
        },
        "wanted": {"share_of_card": WANTED_SHARE, "seconds_by_attributes": wanted} if is_whole else None,
        "lines": [asdict(line) for line in lines],
        "machine": machine(("torch", "transformers")),
    }


def _name(device: torch.device) -> str:
    return torch.cuda.get_device_name(device) if device.type == "cuda" else processor()


def _slug(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def _peak_bytes(device: torch.device) -> int:
    """Return the peak memory of the GPU since the last reset, or of the process if the device is a CPU."""
    if device.type == "cuda":
        return torch.cuda.max_memory_allocated(device)
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


if __name__ == "__main__":
    main()
