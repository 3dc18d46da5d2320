"""Forecasts as text: of one run, or of several runs of one judge together. Commands and pages show the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from django.template.defaultfilters import pluralize

from evenhand.prompting.methods import CRITERIA, METHODS, Method, asked_method
from evenhand.units import counted, format_duration, format_price
from judging.services.forecasts.time_and_cost import ForecastRow

MEBIBYTE, GIBIBYTE = 2**20, 2**30
MINUTE = 60
MEMORY = "memory"
REASONING_PLACEHOLDERS = frozenset({"<reasoning>", "<analysis A>", "<analysis B>"})
UNCOUNTED = "; included in time and cost, not in the tokens below"


@dataclass(frozen=True, slots=True)
class ForecastFact:
    """One named line of a forecast."""

    name: str
    text: str


def forecast_facts(rows: Sequence[ForecastRow]) -> list[ForecastFact]:
    """Return the lines of a forecast, with figures summed over the runs of one judge."""
    return [
        *_texts_to_write(rows),
        *_tokens(rows),
        _memory(rows[0]["memory"]),
        *_pilot(rows),
        _sum("time", [row["seconds"] for row in rows], _format_time),
        _sum("cost", [row["cost"] for row in rows], _format_cost),
    ]


def forecast_warnings(rows: Sequence[ForecastRow]) -> list[str]:
    """Return the known reasons why some questions will have no answer, or take too much memory."""
    return [*_refused(rows), *_too_long(rows), *_unusual(rows), *_without_answer(rows), *_too_large(rows[0]["memory"])]


def small_contexts_note(number: int) -> str:
    """Say how many contexts are not compared because systems are left out."""
    return f"{counted(number, 'context')} with fewer than two candidates left: not compared"


def without_anchor_note(number: int) -> str:
    """Say how many contexts are not compared because they lack the anchor."""
    return f"{counted(number, 'context')} without a text of the anchor and another: not compared"


def forecast_lines(row: ForecastRow) -> Iterator[str]:
    """Yield the forecast of one run, line by line, for a terminal."""
    noun = "scores" if "scores" in row else "comparisons"
    yield (
        f"{row['judge']}, {row['method']}, {row['prompt']}, {row['attribute']}: {row[noun]:,} {noun} of "
        f"{counted(row['candidates'], 'candidate')} in {counted(row['contexts'], 'context')}; "
        f"{row['reused']:,} reused"
    )
    if row["small_contexts"]:
        yield f"  {small_contexts_note(row['small_contexts'])}"
    if row["without_anchor"]:
        yield f"  {without_anchor_note(row['without_anchor'])}"
    for fact in forecast_facts([row]):
        yield f"  {fact.name}: {fact.text}"
    for warning in forecast_warnings([row]):
        yield f"  warning: {warning}"
    example = row["example"]
    method = METHODS[row["method"]]
    if method.is_metric:
        yield "  the first texts:"
        yield example["prompt_text"]
        return
    yield "  the first prompt, as the tokenizer gets it:"
    yield example["prompt_text"] + example["answer_prefix"]
    reading = f"sampled {row['samples']} times, at temperature {row['temperature']:g}" if row["samples"] else "read"
    yield _answer_line(method, reading, example, is_reply=row.get("reply_tokens") is not None)


def _answer_line(method: Method, reading: str, example: ForecastRow, *, is_reply: bool) -> str:
    first, second, tie = (example[name] for name in ("label_first", "label_second", "label_tie"))
    if method.reads_likelihood:
        return f"  read: the log-probability of each token of the text after the prompt: {first!r}"
    if is_reply:
        return f"  {reading}: the verdict in the judge's reply"
    if tie:
        return f"  {reading}: the likeliest of {first!r}, {second!r} and, for a tie, {tie!r}"
    return f"  {reading}: {first!r} {'to' if method.reads_scale else 'against'} {second!r}"


def _texts_to_write(rows: Sequence[ForecastRow]) -> Iterator[ForecastFact]:
    criteria, reasonings = (sum(row[name] for row in rows) for name in ("criteria", "reasonings"))
    if criteria:
        yield ForecastFact("before", f"criteria to write for {counted(criteria, 'context')}{UNCOUNTED}")
    if reasonings:
        longest = max(_method(row).reasoning_tokens for row in rows)
        texts = counted(reasonings, "text")
        yield ForecastFact("before", f"{texts} of reasoning to write, of at most {longest} tokens{UNCOUNTED}")
    if longest := max(row.get("reply_tokens") or 0 for row in rows):
        yield ForecastFact("replies", f"of at most {longest} tokens each{UNCOUNTED}")


def _tokens(rows: Sequence[ForecastRow]) -> Iterator[ForecastFact]:
    tokens = [row["tokens"] for row in rows]
    if "undefined" in tokens[0]:
        yield ForecastFact("tokens", _tokens_by_pilot(rows) or tokens[0]["undefined"])
        return
    prompts, contexts, alone, shared = (
        sum(one[name] for one in tokens) for name in ("counted", "contexts", "prompt_tokens", "shared_tokens")
    )
    is_exact = all(one["is_exact"] for one in tokens)
    basis = (
        "all counted"
        if is_exact
        else f"an estimate, counted on {counted(prompts, 'prompt')} of {counted(contexts, 'context')}"
    )
    if any(one.get("is_partial") for one in tokens):
        basis += " before time ran out"
    yield ForecastFact(
        "tokens", f"{alone:,}, or {shared:,} if the common beginning of a context's prompts is computed once ({basis})"
    )
    yield ForecastFact("longest prompt", _longest(tokens, max(map(_most_written_tokens, rows))))


def _tokens_by_pilot(rows: Sequence[ForecastRow]) -> str:
    """Extrapolate an endpoint's own token counts from the pilot; empty if there are none."""
    about = 0.0
    for row in rows:
        asked = row["pilot"]["asked"] if row["pilot"] else {}
        if not asked.get("prompt_tokens"):
            return ""
        left = row["scores" if "scores" in row else "comparisons"] - row["reused"]
        about += left * asked["prompt_tokens"] / asked["requests"]
    return f"about {about:,.0f}, extrapolated from the endpoint's counts in the pilot"


def _method(row: ForecastRow) -> Method:
    return asked_method(row["method"], one_reply=row.get("reply_tokens") is not None)


def _most_written_tokens(row: ForecastRow) -> int:
    """Return the most tokens of reasoning and criteria that one question may show."""
    method = _method(row)
    reasoning = len(method.template & REASONING_PLACEHOLDERS) * method.reasoning_tokens
    return reasoning + (CRITERIA.reasoning_tokens if row["criteria"] else 0)


def _longest(tokens: Sequence[ForecastRow], written: int) -> str:
    limit, too_long = tokens[0]["limit"], sum(one["too_long"] for one in tokens)
    usual = f"; its files give {tokens[0]['usual']:,}" if tokens[0].get("usual") else ""
    takes = f"takes any number{usual}" if limit is None else f"takes {limit:,}"
    refused = f"; {too_long:,} prompts would be refused as too long" if too_long else ""
    more = f", plus up to {written:,} of reasoning and criteria" if written else ""
    return f"{max(one['longest'] for one in tokens):,} tokens{more}; the model {takes}{refused}"


def _memory(memory: ForecastRow) -> ForecastFact:
    if "undefined" in memory:
        return ForecastFact(MEMORY, memory["undefined"])
    weights = f"estimated: weights {_size(memory['weight_bytes'])}"
    there = f" (of {_size(memory['machine_bytes'])} available)" if memory["machine_bytes"] else ""
    if memory["computed_bytes"] is None:
        return ForecastFact(MEMORY, f"{weights}; memory for computing is unknown{there}")
    computed = f"{_size(memory['computed_bytes'])} for {memory['batch_tokens']:,} tokens at once"
    held = f"keys and values {_size(memory['cache_bytes'])}"
    return ForecastFact(MEMORY, f"{weights}, {computed}, {held}{there}")


def _size(number: float) -> str:
    """Format bytes as MiB or GiB."""
    return f"{number / GIBIBYTE:.2f} GiB" if number >= GIBIBYTE / 10 else f"{number / MEBIBYTE:.3g} MiB"


def _pilot(rows: Sequence[ForecastRow]) -> Iterator[ForecastFact]:
    asked = [row["pilot"]["asked"] for row in rows if row["pilot"]]
    if asked:
        requests, tokens = (sum(one[name] for one in asked) for name in ("requests", "prompt_tokens"))
        seconds = sum(one["seconds"] for one in asked)
        questions = counted(requests, "question")
        yield ForecastFact("pilot", f"{questions} with {tokens:,} tokens in all, answered in {seconds:,.2f} s")


def _sum(name: str, figures: Sequence[ForecastRow], format_total: Callable[[float], str]) -> ForecastFact:
    """Add up figures, or give the reason why one of them is undefined."""
    undefined = next((figure["undefined"] for figure in figures if figure["value"] is None), "")
    return ForecastFact(name, undefined or f"about {format_total(sum(figure['value'] for figure in figures))}")


def _format_time(seconds: float) -> str:
    return format_duration(seconds) if seconds >= MINUTE else f"{seconds:.2g} s"


def _format_cost(cost: float) -> str:
    return f"{format_price(cost)} at the judge's prices"


def _about(number: int, tokens: Sequence[ForecastRow]) -> str:
    """Format a number of prompts, with "about" unless all prompts were counted."""
    return f"{'' if all(one['is_exact'] for one in tokens) else 'about '}{number:,}"


def _refused(rows: Sequence[ForecastRow]) -> Iterator[str]:
    tokens = [row["tokens"] for row in rows if row["tokens"].get("refused")]
    if refused := sum(one["refused"] for one in tokens):
        yield (
            f"{_about(refused, tokens)} of the questions cannot be asked of this model and would become "
            f"{pluralize(refused, 'an error,errors')}: {tokens[0]['problem']}"
        )


def _too_long(rows: Sequence[ForecastRow]) -> Iterator[str]:
    tokens = [row["tokens"] for row in rows if "undefined" not in row["tokens"]]
    if too_long := sum(one["too_long"] for one in tokens):
        yield (
            f"{_about(too_long, tokens)} of the prompts {pluralize(too_long, 'is,are')} longer than the "
            f"{tokens[0]['limit']:,} tokens that the model takes, and would become "
            f"{pluralize(too_long, 'an error,errors')}"
        )
    elif written := max((_risky_written_tokens(row) for row in rows), default=0):
        yield (
            f"with up to {written:,} tokens of reasoning and criteria, the longest prompts may exceed the "
            f"{tokens[0]['limit']:,} tokens that the model takes; these would become errors"
        )


def _risky_written_tokens(row: ForecastRow) -> int:
    """Return the tokens of reasoning and criteria if they may make a prompt too long; else 0."""
    tokens, written = row["tokens"], _most_written_tokens(row)
    limit = None if "undefined" in tokens else tokens["limit"]
    return written if limit is not None and tokens["longest"] + written > limit else 0


def _unusual(rows: Sequence[ForecastRow]) -> Iterator[str]:
    tokens = [row["tokens"] for row in rows if row["tokens"].get("usual")]
    if unusual := sum(one["unusual"] for one in tokens):
        yield (
            f"{_about(unusual, tokens)} of the prompts {pluralize(unusual, 'is,are')} longer than the "
            f"{tokens[0]['usual']:,} tokens that the model's files give: they are not truncated and get answers, "
            "but the model may not be trained on such long texts"
        )


def _without_answer(rows: Sequence[ForecastRow]) -> Iterator[str]:
    pilots = [row["pilot"] for row in rows if row["pilot"]]
    if without := sum(one["without_answer"] for one in pilots):
        asked = sum(one["asked"]["requests"] for one in pilots)
        problem = next(one["problem"] for one in pilots if one["without_answer"])
        yield f"{without} of the pilot's {asked} questions {pluralize(without, 'has,have')} no answer: {problem}"


def _too_large(memory: ForecastRow) -> Iterator[str]:
    if memory.get("machine_bytes") is None:
        return
    needed = sum(memory[name] or 0 for name in ("weight_bytes", "computed_bytes", "cache_bytes"))
    if needed > memory["machine_bytes"]:
        there = _size(memory["machine_bytes"])
        yield f"the judge needs about {_size(needed)} of memory; its machine has {there}"
