"""What `judge --dry-run` tells: one row per run, as JSON and for people."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from judging.engine.footprint import Footprint
from judging.engine.questions import ANSWER_TOKENS
from judging.methods import METHODS, Reading
from judging.models import Judge
from judging.services.forecasts import Forecast
from judging.services.pilots import Pilot
from judging.services.runs import Asked

Row = dict[str, Any]

OWN_TOKENIZER = "only the endpoint knows its tokenizer; a pilot (--pilot N) tells what it counts"
NO_TOKENS = "a metric reads no prompt"
NO_PILOT = "nothing was asked; a pilot (--pilot N) tells"
AT_ENDPOINT = "the model runs at its endpoint"
RUNS_HERE = "the model runs here"
MEASURED_HERE = "metrics are measured here"
NOT_ESTIMATED = "not estimated for a metric"
NO_PRICES = "the judge has no prices; add one with --price-input and --price-output"
MILLION = 1_000_000
GIBIBYTE = 2**30


def forecast_row(asked: Asked, found: Forecast, *, footprint: Footprint | None, pilot: Pilot | None) -> Row:
    """What one run would ask and cost."""
    return {
        "judge": asked.judge.name,
        "method": asked.prompt.method,
        "prompt": asked.prompt.name,
        "attribute": asked.attribute.name,
        "scores" if asked.is_scoring else "comparisons": found.planned,
        "reused": found.reused,
        "contexts": found.contexts,
        "candidates": found.candidates,
        "analyses": found.analyses,
        "metrics": found.metrics,
        "samples": asked.writing.samples,
        "temperature": asked.writing.temperature,
        "tokens": asdict(found.tokens) if found.tokens else {"prompt_tokens": None, "undefined": _why_no_tokens(asked)},
        "memory": asdict(footprint) if footprint else {"weight_bytes": None, "undefined": _why_no_memory(asked)},
        "example": asdict(found.example),
        "pilot": asdict(pilot) if pilot else None,
        "seconds": _seconds(found, pilot),
        "cost": _cost(asked.judge, found, pilot, samples=asked.writing.samples),
    }


def _why_no_tokens(asked: Asked) -> str:
    return NO_TOKENS if asked.judge.is_metric else OWN_TOKENIZER


def _why_no_memory(asked: Asked) -> str:
    return NOT_ESTIMATED if asked.judge.is_metric else AT_ENDPOINT


def has_weights(judge: Judge) -> bool:
    """Whether the memory that a judge takes can be estimated: it is a language model that runs here."""
    return judge.runs_here and not judge.is_metric


def _seconds(found: Forecast, pilot: Pilot | None) -> Row:
    """At the pace of the pilot."""
    if pilot is None:
        return {"value": None, "undefined": NO_PILOT}
    stages = pilot.asked.seconds, pilot.analyses.seconds, pilot.metrics.seconds
    return {"value": _of_all(found, pilot, *stages)}


def _cost(judge: Judge, found: Forecast, pilot: Pilot | None, *, samples: int | None) -> Row:
    """In the currency of the judge's prices; what it writes in an answer counted as the most it may."""
    if judge.backend != Judge.Backend.OPENAI:
        return {"value": None, "undefined": MEASURED_HERE if judge.is_metric else RUNS_HERE}
    if judge.price_input is None or judge.price_output is None:
        return {"value": None, "undefined": NO_PRICES}
    if pilot is None:
        return {"value": None, "undefined": NO_PILOT}
    asked = pilot.asked
    answer_tokens = ANSWER_TOKENS * (samples or 1)
    question = asked.prompt_tokens * judge.price_input + asked.requests * answer_tokens * judge.price_output
    analyses, metrics = (
        stage.prompt_tokens * judge.price_input + stage.written_tokens * judge.price_output
        for stage in (pilot.analyses, pilot.metrics)
    )
    return {"value": _of_all(found, pilot, question, analyses, metrics) / MILLION}


def _of_all(found: Forecast, pilot: Pilot, question: float, analyses: float, metrics: float) -> float:
    """What the pilot took, for everything that is left to ask and to write."""
    if not found.left:
        return 0.0
    written = found.analyses * pilot.analyses.each(analyses) + found.metrics * pilot.metrics.each(metrics)
    return found.left * pilot.asked.each(question) + written


def forecast_lines(row: Row) -> Iterator[str]:
    """A run for people."""
    noun = "scores" if "scores" in row else "comparisons"
    yield (
        f"{row['judge']}, {row['method']}, {row['prompt']}, {row['attribute']}: {row[noun]:,} {noun} of "
        f"{row['candidates']:,} candidates in {row['contexts']:,} contexts; {row['reused']:,} of them are there already"
    )
    if row["metrics"]:
        yield f"  before: {row['metrics']:,} lists of metrics to write, one for each context, not counted below"
    if row["analyses"]:
        longest = METHODS[row["method"]].reasoning_tokens
        texts = "text" if row["analyses"] == 1 else "texts"
        yield f"  before: {row['analyses']:,} {texts} to write, of at most {longest} tokens, not counted below"
    yield from _token_lines(row["tokens"])
    yield _memory_line(row["memory"])
    yield from _pilot_lines(row)
    example = row["example"]
    reading = METHODS[row["method"]].reading
    if reading is Reading.METRIC:
        yield "  the first texts:"
        yield example["prompt_text"]
        return
    yield "  the first prompt, as the tokenizer gets it:"
    yield example["prompt_text"] + example["answer_prefix"]
    how = f"sampled {row['samples']} times, at temperature {row['temperature']:g}" if row["samples"] else "read off"
    yield _answer_line(reading, how, example)


def _answer_line(reading: Reading, how: str, example: Row) -> str:
    first, second, tie = (example[name] for name in ("label_first", "label_second", "label_tie"))
    if reading is Reading.LIKELIHOOD:
        return f"  read off: how likely each token of the text is, as it follows the prompt: {first!r}"
    if tie:
        return f"  {how}, the likeliest of: {first!r}, {second!r} and, for a tie, {tie!r}"
    return f"  {how}: {first!r} {'to' if reading is Reading.SCALE else 'against'} {second!r}"


def _token_lines(tokens: Row) -> Iterator[str]:
    if "undefined" in tokens:
        yield f"  tokens: {tokens['undefined']}"
        return
    source = f"counted on {tokens['counted']:,} prompts of {tokens['contexts']:,} contexts"
    how = "all counted" if tokens["is_exact"] else f"an estimate, {source}"
    yield (
        f"  tokens: {tokens['prompt_tokens']:,}, and {tokens['shared_tokens']:,} where what the prompts of a context "
        f"share is computed once ({how})"
    )
    limit = "takes any number" if tokens["limit"] is None else f"takes {tokens['limit']:,}"
    refused = f"; {tokens['too_long']:,} prompts would be refused as too long" if tokens["too_long"] else ""
    yield f"  longest prompt: {tokens['longest']:,} tokens; the model {limit}{refused}"


def _memory_line(memory: Row) -> str:
    if "undefined" in memory:
        return f"  memory: {memory['undefined']}"
    weights = f"weights {memory['weight_bytes'] / GIBIBYTE:.2f} GiB"
    if memory["computed_bytes"] is None:
        return f"  memory, estimated: {weights}; what is computed comes on top, and is not known"
    computed = f"{memory['computed_bytes'] / GIBIBYTE:.2f} GiB for {memory['batch_tokens']:,} tokens at once"
    return f"  memory, estimated: {weights}, {computed}, keys and values {memory['cache_bytes'] / GIBIBYTE:.2f} GiB"


def _pilot_lines(row: Row) -> Iterator[str]:
    for name, unit in (("seconds", " s"), ("cost", " at the judge's prices")):
        figure = row[name]
        value = figure["value"]
        yield f"  {name}: {figure['undefined']}" if value is None else f"  {name}: about {value:,.2f}{unit}"
    pilot = row["pilot"]
    if pilot and pilot["without_answer"]:
        asked = pilot["asked"]["requests"]
        yield f"  {pilot['without_answer']} of the pilot's {asked} questions have no answer: {pilot['problem']}"
