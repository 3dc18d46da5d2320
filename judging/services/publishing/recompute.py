"""The commands that import a package into an empty Evenhand and print its tables."""

import shlex
from collections.abc import Sequence

from evalsite import __version__
from judging.services.publishing.published_runs import PublishedRun

HEADER = f"""\
#!/bin/sh
# Imports this package into an empty Evenhand and prints its tables. Written by Evenhand {__version__}.
# Run it in this folder: sh recompute.sh
set -eu
"""


def recompute_script(dataset: str, runs: Sequence[PublishedRun]) -> str:
    """Return a shell script. dataset: its name."""
    return HEADER + "".join(f"{line}\n" for line in recompute_commands(dataset, runs))


def recompute_commands(dataset: str, runs: Sequence[PublishedRun]) -> list[str]:
    """Return one command a line, quoted for a shell."""
    commands: list[tuple[str, ...]] = [
        ("sha256sum", "--check", "--quiet", "SHA256SUMS"),
        ("evenhand", "migrate", "--verbosity=0"),
        ("evenhand", "import_dataset", "dataset.jsonl", f"--name={dataset}"),
        *(_import_command(dataset, run) for run in runs),
        ("evenhand", "agreement", f"--dataset={dataset}"),
    ]
    if runs:
        commands.append(("evenhand", "report", f"--dataset={dataset}"))
    return [shlex.join(command) for command in commands]


def _import_command(dataset: str, run: PublishedRun) -> tuple[str, ...]:
    model = (f"--model={run.model}",) if run.model else ()
    names = (f"--dataset={dataset}", f"--judge={run.judge}", *model, *run.exclusion_options)
    return ("evenhand", f"import_{run.noun}", run.file, *names)
