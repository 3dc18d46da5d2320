"""The commands that write files for other programs."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

from evenhand.engine import Renderer, load_renderer
from evenhand.formats import write_dataset
from evenhand.options import Option
from evenhand.refusals import Refused
from evenhand.units import counted
from judging.management.command_files import replace_when_complete
from judging.management.operations.record import Operation
from judging.models import Dataset, Run
from judging.models.activity_and_looks import Act
from judging.services.activity import noted
from judging.services.campaigns.campaign_history import HISTORY_COLUMNS, HISTORY_NUMBERS, history_rows
from judging.services.datasets.stored_dataset import dataset_record
from judging.services.exports.exported_answers import NUMERIC_COLUMNS, answer_columns, answer_rows, rows_with_prompts
from judging.services.exports.exported_ratings import RATING_COLUMNS, RATING_NUMBERS, every_rating
from judging.services.exports.exported_votes import (
    COLUMNS_OF_PEOPLE,
    EVERY_VOTE_COLUMNS,
    EVERY_VOTE_NUMBERS,
    WITH_CHECKS,
    WITH_JUDGES,
    WITH_SKIPS,
    every_vote,
)
from judging.services.exports.file_writers import writer_for
from judging.services.judges.judge_setup import renderer_settings
from judging.services.plans.run_spec import is_tokenizer_known

UNKNOWN_TOKENIZER = (
    "{run} has no record of its tokenizer. These prompts are rendered with the present tokenizer and chat template; "
    "the judge may have read others."
)
TABLE_FILE = Option("A .csv, .jsonl or .parquet file.")
OUTPUT = Option("File to write; an old one is replaced once the new one is complete.")


@noted(Act.DOWNLOAD)
def export_dataset(dataset: Dataset, *, output: Annotated[Path, OUTPUT]) -> str:
    """Write a dataset with its human scores, ratings and votes as JSON Lines."""
    record = dataset_record(dataset)
    with replace_when_complete(output) as part, part.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(write_dataset(record))
    return f"written: {output}"


@noted(Act.DOWNLOAD)
def export_ratings(
    dataset: Dataset,
    *,
    output: Annotated[Path, TABLE_FILE],
    skips: Annotated[bool, Option("Add the skipped texts as rows with their reasons.")] = False,
) -> str:
    """Write the ratings of a dataset, one a row, as CSV, JSON Lines or Parquet, by the ending of the file."""
    rows = every_rating(dataset, skips=skips)
    return _write(rows, output, "row", columns=RATING_COLUMNS, numbers=RATING_NUMBERS)


@noted(Act.DOWNLOAD)
def export_votes(
    dataset: Dataset,
    *,
    output: Annotated[Path, TABLE_FILE],
    judges: Annotated[bool, WITH_JUDGES] = False,
    skips: Annotated[bool, WITH_SKIPS] = False,
    checks: Annotated[bool, WITH_CHECKS] = False,
    history: Annotated[bool, Option("Write every vote, change, skip and undo of campaigns, one a row.")] = False,
) -> str:
    """Write the votes of a dataset, one a row, as CSV, JSON Lines or Parquet, by the ending of the file."""
    is_extended = judges or skips or checks
    if history and is_extended:
        raise Refused("history: has rows of its own — leave out --judges, --skips and --checks")
    if history:
        return _write(history_rows(dataset), output, "action", columns=HISTORY_COLUMNS, numbers=HISTORY_NUMBERS)
    runs = Run.objects.select_related("attribute", "judge") if judges else None
    columns, noun = (EVERY_VOTE_COLUMNS, "row") if is_extended else (COLUMNS_OF_PEOPLE, "vote")
    rows = every_vote(dataset, runs, skips=skips, checks=checks)
    return _write(rows, output, noun, columns=columns, numbers=EVERY_VOTE_NUMBERS)


@noted(Act.DOWNLOAD)
def export_comparisons(
    run: Run,
    *,
    output: Annotated[Path, TABLE_FILE],
    prompts: Annotated[bool, Option("Add the exact text that the tokenizer reads.")] = False,
) -> dict[str, str]:
    """Write the comparisons or scores of a run as CSV, JSON Lines or Parquet, by the ending of the file."""
    rows = rows_with_prompts(run, renderer=_renderer(run)) if prompts else answer_rows(run)
    columns = answer_columns(run, prompts=prompts)
    noun = "score" if run.is_scoring else "comparison"
    said = _write(rows, output, noun, columns=columns, numbers=NUMERIC_COLUMNS)
    return {"said": said, "note": "" if is_tokenizer_known(run) or not prompts else UNKNOWN_TOKENIZER.format(run=run)}


def _renderer(run: Run) -> Renderer:
    """Return the renderer of a run's judge. An endpoint reads other prompts where it is asked by scoring."""
    settings = renderer_settings(run.judge)
    return load_renderer(replace(settings, ask_by=run.environment.get("asked_by", "")))


def _write(
    rows: Iterable[Mapping[str, Any]], output: Path, noun: str, *, columns: Sequence[str], numbers: Sequence[str]
) -> str:
    """Write rows into a file by its ending, and say how many."""
    write = writer_for(output.suffix, columns=columns, numbers=numbers)
    with replace_when_complete(output) as part:
        return f"{counted(write(rows, part), noun)} written to {output}"


def _said(result: str) -> list[str]:
    return [result]


EXPORT_DATASET = Operation(
    export_dataset,
    _said,
    examples=("export_dataset SummEval --output summeval.jsonl", "export_dataset Sample --output sample.jsonl"),
    of="dataset",
    takes_json=False,
)
EXPORT_RATINGS = Operation(
    export_ratings,
    _said,
    examples=(
        "export_ratings --dataset SummEval --output ratings.csv",
        "export_ratings --dataset SummEval --skips --output ratings.parquet",
    ),
    of="dataset",
    is_named=True,
    takes_json=False,
)
EXPORT_VOTES = Operation(
    export_votes,
    _said,
    examples=(
        "export_votes --dataset SummEval --output votes.csv",
        "export_votes --dataset SummEval --output votes.parquet",
        "export_votes --dataset SummEval --judges --skips --output everything.parquet",
        "export_votes --dataset SummEval --history --output history.csv",
    ),
    of="dataset",
    is_named=True,
    takes_json=False,
)
EXPORT_COMPARISONS = Operation(
    export_comparisons,
    lambda result: [result["said"]],
    examples=(
        "export_comparisons 7 --output coherence.csv",
        "export_comparisons 7 --output coherence.parquet --prompts",
    ),
    of="run",
    notes=lambda result: [result["note"]] if result["note"] else [],
    takes_json=False,
)
