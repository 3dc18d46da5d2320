"""Runs as the commands print them."""

from collections.abc import Iterator
from typing import Any

from evenhand.units import counted
from judging.models import Outcome, Run
from judging.services.runs.progress import count_bounded, count_cut_reasonings, count_outcomes, count_problems

RunRow = dict[str, Any]


def make_run_row(run: Run) -> RunRow:
    """Return the JSON object of a run, with the fields that every command prints."""
    outcomes, bounded = count_outcomes(run), count_bounded(run)
    return {
        "run": run.pk,
        "judge": run.judge.name,
        "method": run.method,
        "prompt": run.prompt_name,
        "attribute": run.attribute.name,
        "scores" if run.is_scoring else "comparisons": outcomes[Outcome.ANSWERED],
        "unparsed": outcomes[Outcome.UNPARSED],
        "errors": outcomes[Outcome.ERROR],
        **({"bounded": bounded} if bounded else {}),
        "problems": count_problems(run),
        "reasonings_cut": count_cut_reasonings(run),
    }


def make_judged_run_row(run: Run, *, reused: int) -> RunRow:
    """Return the JSON object of a run after judging. reused: its answers from before this command."""
    run.refresh_from_db()
    cost = {name: getattr(run, name) for name in ("seconds", "prompt_tokens", "computed_tokens")}
    return make_run_row(run) | {"reused": reused} | cost


def is_answered(row: RunRow) -> bool:
    """True if the run has an answer that could be read."""
    return bool(row.get("scores") or row.get("comparisons"))


def describe_run(row: RunRow) -> str:
    """Describe a run on one line."""
    noun = "scores" if "scores" in row else "comparisons"
    bounded = row.get("bounded")
    kinds = ", ".join(f"{number} {kind}" for kind, number in row["problems"].items())
    return (
        f"run {row['run']}: {row['judge']}, {row['method']}, {row['prompt']}, {row['attribute']}: "
        f"{row[noun]} {noun}, {row['unparsed']} unparsed, {row['errors']} errors"
        f"{f' ({kinds})' if kinds else ''}{f', {bounded} bounded' if bounded else ''}"
        f"{_describe_cut(row['reasonings_cut'])}"
    )


def _describe_cut(number: int) -> str:
    """Say how many texts before the answers reached their limit, and what to do; empty for none."""
    if not number:
        return ""
    return (
        f"; {counted(number, 'reasoning text')} reached the limit of tokens: copy the prompt, say there how long each "
        "text may be, and judge again"
    )


def describe_judged_run(row: RunRow) -> str:
    """Describe a run after judging on one line."""
    return f"{describe_run(row)}; {row['reused']} reused"


def dry_run_lines(row: RunRow) -> Iterator[str]:
    """Yield what a run asks and takes, line by line."""
    noun = "scores" if "scores" in row else "comparisons"
    yield (
        f"{row['judge']}, {row['method']}, {row['prompt']}, {row['attribute']}: {row[noun]:,} {noun} of "
        f"{counted(row['candidates'], 'candidate')} in {counted(row['contexts'], 'context')}; "
        f"{row['reused']:,} reused"
    )
    if row["reasonings"] or row["criteria"]:
        yield f"  before: {counted(row['reasonings'], 'text')} of reasoning and {row['criteria']:,} of criteria"
    yield f"  {row['sentence']}"
    yield from (f"  warning: {warning}" for warning in row["warnings"])
