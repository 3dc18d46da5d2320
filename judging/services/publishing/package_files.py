"""Files of a package, with their checksums and sizes, and the commands that recompute its tables."""

import hashlib
import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from evalsite import __version__
from judging.services.publishing.published_runs import PublishedRun

HEADER = f"""\
#!/bin/sh
# Imports this package into an empty Evenhand and prints its tables. Written by Evenhand {__version__}.
# Run it in this folder: sh recompute.sh
set -eu
"""
JSON_LINES = "application/jsonlines"


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


@dataclass(frozen=True, slots=True)
class PackageFile:
    """A file to write. lines: makes its text. columns: of a table, else empty. numbers: its numeric columns."""

    name: str
    description: str
    media_type: str
    lines: Callable[[], Iterable[str]]
    columns: Sequence[str] = ()
    numbers: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class WrittenFile:
    """A file that was written. size: bytes."""

    file: PackageFile
    sha256: str
    size: int


def written_bytes(file: PackageFile, written: list[WrittenFile]) -> Iterator[bytes]:
    """Yield the bytes of a file. Appends its checksum and size to `written` at the end."""
    digest, size = hashlib.sha256(), 0
    for line in file.lines():
        part = line.encode("utf-8", "surrogatepass")
        digest.update(part)
        size += len(part)
        yield part
    written.append(WrittenFile(file, digest.hexdigest(), size))


def checksums(written: Sequence[WrittenFile]) -> str:
    """Return the lines that `sha256sum --check` reads."""
    return "".join(f"{one.sha256}  {one.file.name}\n" for one in written)
