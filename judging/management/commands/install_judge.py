"""`install_judge`: install the packages that local models and metrics need."""

import os
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError

from judging.management.evenhand_command import EvenhandCommand
from judging.services.judges.local_models import install, is_incomplete, missing_packages, read_installation


class Command(EvenhandCommand):
    help = (
        "Install the packages that local models and metrics need into this environment, at tested versions. "
        "TORCH_INDEX_URL names the package index of torch, for machines without a GPU."
    )
    examples = ("install_judge", "install_judge --json")

    def run(self, options: dict[str, Any]) -> dict[str, list[str]]:
        running = read_installation(settings.DATA_DIR)
        if running and running.is_running:
            raise CommandError(f"the installation is running already: process {running.process}, {running.doing}")
        missing = missing_packages()
        if is_incomplete(settings.DATA_DIR) and (
            error := install(pip_arguments(), data=settings.DATA_DIR, on_line=self.stderr_line)
        ):
            raise CommandError(error)
        return {"installed": missing}

    def show(self, result: dict[str, list[str]]) -> None:
        self.stdout.write("Local models and metrics can judge." if result["installed"] else "Nothing is missing.")


def pip_arguments() -> list[list[str]]:
    """Return the arguments of each call of pip.

    torch comes first, alone and pinned: asked for by another package it may come as several GB of another build.
    """
    folder = Path(settings.BASE_DIR) / "requirements"
    (torch,) = (line for line in (folder / "judge.txt").read_text().splitlines() if line.startswith("torch=="))
    index = os.environ.get("TORCH_INDEX_URL")
    others = [part for name in ("judge", "metrics") for part in ("--requirement", str(folder / f"{name}.txt"))]
    return [[*(("--index-url", index) if index else ()), torch], others]
