"""The base of the commands that import recorded judgments."""

from pathlib import Path
from typing import Any, ClassVar

from django.core.management.base import CommandParser

from evenhand.refusals import Refused
from evenhand.units import counted
from judging.management.command_files import read_source_files
from judging.management.evenhand_command import EvenhandCommand
from judging.management.rows_by_name import get_dataset
from judging.management.run_rows import RunRow, describe_run, make_run_row
from judging.models import Dataset, Exclusion
from judging.services.datasets.recorded.judgment_files import (
    JUDGMENT_KINDS,
    JudgmentFiles,
    kind_of_files,
    read_judgments,
    store_judgments,
)
from judging.services.datasets.recorded.judgment_mappings import choose_judgment_mapping
from judging.services.names import row_of_name
from judging.services.runs.run_settings import SETTING_OPTIONS
from judging.web.operations.recorded_judgments import judgment_settings, options_of_kind
from judging.web.options import add_option_arguments

LEFT_OUT_OF_RUN = [one for one in SETTING_OPTIONS if one.name.startswith("without_")]


class ImportJudgmentsCommand(EvenhandCommand):
    """Reads files of recorded judgments and stores them as runs. noun: a key of JUDGMENT_KINDS."""

    noun: ClassVar[str]

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="a table, or a log of a known tool")
        self.add_dataset_option(parser)
        add_option_arguments(parser, options_of_kind(self.noun), is_once_each=True)
        if JUDGMENT_KINDS[self.noun].needs_judge:
            parser.add_argument("--model", default="", metavar="MODEL", help="its model, for its family in reports")
            add_option_arguments(parser, LEFT_OUT_OF_RUN, is_once_each=True)

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        own = options_of_kind(self.noun)
        chosen = judgment_settings(own, {one.name: options[one.name] for one in own}, user=None)
        pattern = chosen.pop("verdict_pattern", "")
        self.judge = chosen.pop("judge", "")
        kind = kind_of_files(self.noun, pattern, get_dataset(options["dataset"]) if pattern else None)
        mapping = choose_judgment_mapping(kind.columns, **chosen)
        dataset = row_of_name(Dataset.objects.all(), options["dataset"], None)
        read = read_judgments(
            kind,
            read_source_files(options["files"]),
            dataset=dataset,
            mapping=mapping,
            judge=self.judge,
        )
        try:
            dataset = dataset or get_dataset(options["dataset"])
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
            judge_name=self.judge,
            model=options["model"],
            exclusion=Exclusion.of(systems=options["without_system"] or (), contexts=options["without_context"] or ()),
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
