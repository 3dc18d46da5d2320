"""`publish`: write a dataset, its votes and the judgments of runs as a package that others can recompute."""

import shutil
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from evenhand.refusals import Refused
from evenhand.units import counted
from judging.management.command_files import replace_when_complete
from judging.management.evenhand_command import EvenhandCommand
from judging.management.rows_by_name import get_dataset
from judging.models import Run
from judging.models.activity_and_looks import Act
from judging.services.activity import noted
from judging.services.publishing.croissant import Publication
from judging.services.publishing.package import Package, write_folder, zip_parts
from judging.services.publishing.published_runs import published_runs


class Command(EvenhandCommand):
    help = "Write a package to publish: the dataset, votes under pseudonyms, judgments, a data card and metadata."
    examples = (
        "publish --dataset SummEval --output summeval.zip",
        'publish --dataset SummEval --run 7 --run 8 --creator "Ada Lovelace" --output package',
    )

    def add_arguments(self, parser: CommandParser) -> None:
        self.add_dataset_option(parser)
        self.add_runs_option(parser, default="all of reports that have ended")
        parser.add_argument(
            "--output", required=True, type=Path, metavar="FOLDER|FILE.zip", help="a new or empty folder, or a .zip"
        )
        parser.add_argument(
            "--creator",
            action="append",
            default=[],
            dest="creators",
            metavar="NAME",
            help="who made the dataset; may be repeated",
        )
        parser.add_argument("--url", default="", metavar="URL", help="page of the dataset, for its metadata")

    def run(self, options: dict[str, Any]) -> dict[str, object]:
        dataset = get_dataset(options["dataset"])
        runs = published_runs(Run.objects.filter(dataset=dataset), options["runs"] or None)
        package = Package(dataset, runs, Publication(tuple(options["creators"]), options["url"]))
        _write(package, options["output"])
        for warning in package.warnings:
            self.note(f"warning: {warning}")
        return {
            "dataset": dataset.name,
            "output": str(options["output"]),
            "runs": [run.run.pk for run in runs],
            "files": [*(one.file.name for one in package.written), "SHA256SUMS"],
            "warnings": package.warnings,
        }

    def show(self, result: dict[str, Any]) -> None:
        files, runs = (counted(len(result[name]), name[:-1]) for name in ("files", "runs"))
        self.stdout.write(f"{files} with {runs} written to {result['output']}; read README.md before you publish")


@noted(Act.DOWNLOAD, on="dataset", what="package")
def _write(package: Package, output: Path) -> None:
    """Write a ZIP file or a folder, which appears once it is complete. Raises Refused for a folder in use."""
    is_zip = output.suffix == ".zip"
    if not is_zip and output.is_dir() and not any(output.iterdir()):
        output.rmdir()
    if not is_zip and output.exists():
        raise Refused(f"output: {output} exists already; give a new or empty folder, or a name that ends in .zip")
    with replace_when_complete(output) as part:
        if is_zip:
            with part.open("wb") as file:
                file.writelines(zip_parts(package, folder=output.stem))
        else:
            _write_folder(package, part)


def _write_folder(package: Package, folder: Path) -> None:
    """Write a folder, or nothing if an error occurs."""
    try:
        write_folder(package, folder)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
