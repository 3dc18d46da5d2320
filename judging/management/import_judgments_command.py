"""The base of the commands that import recorded judgments."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

from django.core.management.base import CommandParser

from evenhand.formats import REPLY_COLUMNS
from evenhand.prompting.named_verdicts import NAMED_VERDICTS
from evenhand.refusals import Refused
from evenhand.units import counted
from judging.management.command_files import read_source_files
from judging.management.evenhand_command import EvenhandCommand
from judging.management.exclusion_options import add_exclusion_arguments, read_exclusion
from judging.management.rows_by_name import get_dataset
from judging.management.run_rows import RunRow, describe_run, make_run_row
from judging.models import Dataset
from judging.services.datasets.recorded.judgment_files import (
    JUDGMENT_KINDS,
    JudgmentFiles,
    kind_of_files,
    read_judgments,
    store_judgments,
)
from judging.services.datasets.recorded.judgment_mappings import choose_judgment_mapping


class ImportJudgmentsCommand(EvenhandCommand):
    """Reads files of recorded judgments and stores them as runs. noun: a key of JUDGMENT_KINDS."""

    noun: ClassVar[str]

    def add_arguments(self, parser: CommandParser) -> None:
        kind = JUDGMENT_KINDS[self.noun]
        parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="a table, or a log of a known tool")
        self.add_dataset_option(parser)
        if kind.needs_judge:
            parser.add_argument(
                "--judge",
                default="",
                metavar="NAME",
                help="name of the judge in reports; of files that name several judges, only this one is read, and "
                "without the option all of them",
            )
            parser.add_argument("--model", default="", metavar="MODEL", help="its model, for its family in reports")
            add_exclusion_arguments(parser)
        parser.add_argument(
            "--map",
            action="append",
            default=[],
            metavar="FIELD=COLUMN",
            help="the column of a field, if it has another name; the other columns are then ignored",
        )
        if meanings := kind.columns.meanings:
            parser.add_argument(
                "--choice",
                action="append",
                default=[],
                metavar="MEANING=VALUE",
                help=f"a value in the column of choices, with its meaning: {', '.join(meanings)}",
            )
        parser.add_argument(
            "--mapping-of",
            metavar="DATASET",
            help=f"use the mapping of the latest {self.noun} on a dataset again",
        )
        if self.noun in REPLY_COLUMNS:
            parser.add_argument(
                "--verdict-pattern",
                default="",
                metavar="PATTERN",
                help="read the answer from the judge's whole reply, in the column reply, by a named pattern or by that "
                f"of a prompt: {', '.join(NAMED_VERDICTS)}, …",
            )

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        pattern = options.get("verdict_pattern", "")
        kind = kind_of_files(self.noun, pattern, get_dataset(options["dataset"]) if pattern else None)
        saved = get_dataset(options["mapping_of"]) if options["mapping_of"] else None
        mapping = choose_judgment_mapping(kind.columns, options["map"], options.get("choice", ()), saved=saved)
        read = read_judgments(
            kind,
            read_source_files(options["files"]),
            dataset=Dataset.objects.filter(name=options["dataset"]).first(),
            mapping=mapping,
            judge=options.get("judge", ""),
        )
        try:
            dataset = get_dataset(options["dataset"])
        except Refused as refusal:
            raise Refused(*refusal.problems, *map(str, read.problems)) from refusal
        result = self.store(read, dataset, options)
        for note in read.notes:
            self.note(note)
        return result

    def store(self, read: JudgmentFiles, dataset: Dataset, options: dict[str, Any]) -> dict[str, Any]:
        runs = store_judgments(
            read,
            dataset=dataset,
            judge_name=options["judge"],
            model=options["model"],
            exclusion=read_exclusion(options),
        )
        return {"runs": [make_run_row(run) for run in runs]}  # type: ignore[union-attr]  # judges give runs

    def show(self, result: dict[str, list[RunRow]]) -> None:
        for row in result["runs"]:
            self.stdout.write(describe_run(row))


class ImportFromPeopleCommand(ImportJudgmentsCommand):
    """Reads votes or ratings, which belong to people. Equal earlier ones are not stored again."""

    def store(self, read: JudgmentFiles, dataset: Dataset, options: dict[str, Any]) -> dict[str, Any]:
        imported: Any = store_judgments(read, dataset=dataset)
        if imported.repeated:
            one = self.noun.removesuffix("s")
            self.note(f"{counted(imported.repeated, one)} equal to an earlier {one}, not stored again")
        return {"dataset": dataset.name, self.noun: getattr(imported, self.noun), "raters": imported.raters}

    def show(self, result: dict[str, Any]) -> None:
        stored = counted(result[self.noun], self.noun.removesuffix("s"))
        self.stdout.write(f"{result['dataset']}: {stored} stored, of {counted(result['raters'], 'rater')}")
