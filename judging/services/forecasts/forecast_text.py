"""A forecast in words: of one run, or of several of one judge together. The same for commands and pages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from judging.durations import duration
from judging.prices import price
from judging.prompting.methods import CRITERIA, METHODS, Method
from judging.services.forecasts.forecast_json import Row

MEBIBYTE, GIBIBYTE = 2**20, 2**30
MINUTE = 60
MEMORY = "memory"
WRITTEN_FIRST = frozenset({"<reasoning>", "<analysis A>", "<analysis B>"})
UNCOUNTED = "; time and cost count them, the tokens below do not"


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing that a forecast tells."""

    name: str
    text: str


def forecast_facts(rows: Sequence[Row]) -> list[Fact]:
    """What runs of one judge come to, added up."""
    return [*_first_steps(rows), *_tokens(rows), _memory(rows[0]["memory"]), *_pilot(rows), _time(rows), _cost(rows)]


def forecast_warnings(rows: Sequence[Row]) -> list[str]:
    """Why not all of the runs' questions would have an answer, as far as it is known beforehand."""
    return [*_refused(rows), *_too_long(rows), *_unusual(rows), *_without_answer(rows), *_too_large(rows[0]["memory"])]


def forecast_lines(row: Row) -> Iterator[str]:
    """A run for people."""
    noun = "scores" if "scores" in row else "comparisons"
    yield (
        f"{row['judge']}, {row['method']}, {row['prompt']}, {row['attribute']}: {row[noun]:,} {noun} of "
        f"{_number(row['candidates'], 'candidate')} in {_number(row['contexts'], 'context')}; "
        f"{row['reused']:,} of them are there already"
    )
    for fact in forecast_facts([row]):
        yield f"  {fact.name}: {fact.text}"
    for warning in forecast_warnings([row]):
        yield f"  take care: {warning}"
    example = row["example"]
    method = METHODS[row["method"]]
    if method.is_metric:
        yield "  the first texts:"
        yield example["prompt_text"]
        return
    yield "  the first prompt, as the tokenizer gets it:"
    yield example["prompt_text"] + example["answer_prefix"]
    how = f"sampled {row['samples']} times, at temperature {row['temperature']:g}" if row["samples"] else "read off"
    yield _answer_line(method, how, example)


def _answer_line(method: Method, how: str, example: Row) -> str:
    first, second, tie = (example[name] for name in ("label_first", "label_second", "label_tie"))
    if method.reads_likelihood:
        return f"  read off: how likely each token of the text is, as it follows the prompt: {first!r}"
    if tie:
        return f"  {how}, the likeliest of: {first!r}, {second!r} and, for a tie, {tie!r}"
    return f"  {how}: {first!r} {'to' if method.reads_scale else 'against'} {second!r}"


def _first_steps(rows: Sequence[Row]) -> Iterator[Fact]:
    metrics, analyses = (sum(row[name] for row in rows) for name in ("metrics", "analyses"))
    if metrics:
        yield Fact("before", f"{metrics:,} lists of metrics to write, one for each context{UNCOUNTED}")
    if analyses:
        longest = max(METHODS[row["method"]].reasoning_tokens for row in rows)
        texts = "text" if analyses == 1 else "texts"
        yield Fact("before", f"{analyses:,} {texts} to write, of at most {longest} tokens{UNCOUNTED}")


def _tokens(rows: Sequence[Row]) -> Iterator[Fact]:
    tokens = [row["tokens"] for row in rows]
    if "undefined" in tokens[0]:
        yield Fact("tokens", _at_pace_of_pilot(rows) or tokens[0]["undefined"])
        return
    counted, contexts, alone, shared = (
        sum(one[name] for one in tokens) for name in ("counted", "contexts", "prompt_tokens", "shared_tokens")
    )
    is_exact = all(one["is_exact"] for one in tokens)
    how = (
        "all counted"
        if is_exact
        else f"an estimate, counted on {_number(counted, 'prompt')} of {_number(contexts, 'context')}"
    )
    if any(one.get("is_partial") for one in tokens):  # older forecasts do not say
        how += " until the time was up"
    yield Fact(
        "tokens", f"{alone:,}, and {shared:,} where what the prompts of a context share is computed once ({how})"
    )
    yield Fact("longest prompt", _longest(tokens, max(map(_most_written_first, rows))))


def _at_pace_of_pilot(rows: Sequence[Row]) -> str:
    """For an endpoint, which alone counts tokens; empty before the pilot, and where it told none."""
    about = 0.0
    for row in rows:
        asked = row["pilot"]["asked"] if row["pilot"] else {}
        if not asked.get("prompt_tokens"):
            return ""
        left = row["scores" if "scores" in row else "comparisons"] - row["reused"]
        about += left * asked["prompt_tokens"] / asked["requests"]
    return f"about {about:,.0f}, by what the endpoint counted in the pilot; only it knows its tokenizer"


def _number(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _most_written_first(row: Row) -> int:
    """Tokens that are put into a question where its first steps, and metrics, are as long as they may be."""
    method = METHODS[row["method"]]
    steps = len(method.template & WRITTEN_FIRST) * method.reasoning_tokens
    return steps + (CRITERIA.reasoning_tokens if row["metrics"] else 0)


def _longest(tokens: Sequence[Row], written: int) -> str:
    limit, too_long = tokens[0]["limit"], sum(one["too_long"] for one in tokens)
    usual = f"; its own files speak of {tokens[0]['usual']:,}" if tokens[0].get("usual") else ""
    takes = f"takes any number{usual}" if limit is None else f"takes {limit:,}"
    refused = f"; {too_long:,} prompts would be refused as too long" if too_long else ""
    more = f", and up to {written:,} more that are written first" if written else ""
    return f"{max(one['longest'] for one in tokens):,} tokens{more}; the model {takes}{refused}"


def _memory(memory: Row) -> Fact:
    if "undefined" in memory:
        return Fact(MEMORY, memory["undefined"])
    weights = f"estimated: weights {_size(memory['weight_bytes'])}"
    there = f" (of {_size(memory['machine_bytes'])} there are)" if memory["machine_bytes"] else ""
    if memory["computed_bytes"] is None:
        return Fact(MEMORY, f"{weights}; what is computed comes on top, and is not known{there}")
    computed = f"{_size(memory['computed_bytes'])} for {memory['batch_tokens']:,} tokens at once"
    held = f"keys and values {_size(memory['cache_bytes'])}"
    return Fact(MEMORY, f"{weights}, {computed}, {held}{there}")


def _size(number: float) -> str:
    """Bytes, as people read them."""
    return f"{number / GIBIBYTE:.2f} GiB" if number >= GIBIBYTE / 10 else f"{number / MEBIBYTE:.3g} MiB"


def _pilot(rows: Sequence[Row]) -> Iterator[Fact]:
    asked = [row["pilot"]["asked"] for row in rows if row["pilot"]]
    if asked:
        requests, tokens = (sum(one[name] for one in asked) for name in ("requests", "prompt_tokens"))
        seconds = sum(one["seconds"] for one in asked)
        questions = "question" if requests == 1 else "questions"
        yield Fact("pilot", f"{requests:,} {questions} with {tokens:,} tokens in all, answered in {seconds:,.2f} s")


def _time(rows: Sequence[Row]) -> Fact:
    value, undefined = _sum([row["seconds"] for row in rows])
    if value is None:
        return Fact("time", undefined)
    return Fact("time", f"about {duration(value) if value >= MINUTE else f'{value:.2g} s'}")


def _cost(rows: Sequence[Row]) -> Fact:
    value, undefined = _sum([row["cost"] for row in rows])
    if value is None:
        return Fact("cost", undefined)
    return Fact("cost", f"about {price(value)} at the judge's prices")


def _sum(figures: Sequence[Row]) -> tuple[float | None, str]:
    """Of all of them, or None and why one of them has no value."""
    undefined = next((figure["undefined"] for figure in figures if figure["value"] is None), "")
    return (None, undefined) if undefined else (sum(figure["value"] for figure in figures), "")


def _refused(rows: Sequence[Row]) -> Iterator[str]:
    tokens = [row["tokens"] for row in rows if row["tokens"].get("refused")]  # older forecasts do not say
    if tokens:
        refused = sum(one["refused"] for one in tokens)
        about = "" if all(one["is_exact"] for one in tokens) else "about "
        yield (
            f"{about}{refused:,} of the questions cannot be put to this model, and would be "
            f"{'an error' if refused == 1 else 'errors'} without an answer: {tokens[0]['problem']}"
        )


def _too_long(rows: Sequence[Row]) -> Iterator[str]:
    tokens = [row["tokens"] for row in rows if "undefined" not in row["tokens"]]
    if too_long := sum(one["too_long"] for one in tokens):
        about = "" if all(one["is_exact"] for one in tokens) else "about "
        them = "is longer" if too_long == 1 else "are longer"
        end = "an error" if too_long == 1 else "errors"
        limit = tokens[0]["limit"]
        yield (
            f"{about}{too_long:,} of the prompts {them} than the {limit:,} tokens that the model takes, "
            f"and would be {end} without an answer"
        )
    elif written := max((_may_grow_by(row) for row in rows), default=0):
        yield (
            f"with up to {written:,} tokens that are written first, the longest prompts may be longer than the "
            f"{tokens[0]['limit']:,} that the model takes; these would be errors without an answer"
        )


def _may_grow_by(row: Row) -> int:
    """What is written first, where that may make a prompt too long; else 0."""
    tokens, written = row["tokens"], _most_written_first(row)
    limit = None if "undefined" in tokens else tokens["limit"]
    return written if limit is not None and tokens["longest"] + written > limit else 0


def _unusual(rows: Sequence[Row]) -> Iterator[str]:
    tokens = [row["tokens"] for row in rows if row["tokens"].get("usual")]  # older forecasts do not say
    if unusual := sum(one["unusual"] for one in tokens):
        about = "" if all(one["is_exact"] for one in tokens) else "about "
        yield (
            f"{about}{unusual:,} of the prompts {'is' if unusual == 1 else 'are'} longer than the "
            f"{tokens[0]['usual']:,} tokens that the model's own files speak of: nothing is cut off and each has an "
            "answer, but the model may not have learned from texts so long"
        )


def _without_answer(rows: Sequence[Row]) -> Iterator[str]:
    pilots = [row["pilot"] for row in rows if row["pilot"]]
    if without := sum(one["without_answer"] for one in pilots):
        asked = sum(one["asked"]["requests"] for one in pilots)
        problem = next(one["problem"] for one in pilots if one["without_answer"])
        yield f"{without} of the pilot's {asked} questions {'has' if without == 1 else 'have'} no answer: {problem}"


def _too_large(memory: Row) -> Iterator[str]:
    if memory.get("machine_bytes") is None:
        return
    needed = sum(memory[name] or 0 for name in ("weight_bytes", "computed_bytes", "cache_bytes"))
    if needed > memory["machine_bytes"]:
        there = _size(memory["machine_bytes"])
        yield f"the judge would need {_size(needed)} of memory; where it runs there are {there}"
