"""What a measurement was made with, for the results beside it."""

import os
import platform
import sys
from importlib import metadata
from pathlib import Path


def machine(packages: tuple[str, ...]) -> dict[str, object]:
    """The processor, how many cores and threads, and the versions of Python and of the packages that are installed."""
    return {
        "processor": processor(),
        "cores": os.cpu_count(),
        "threads": os.environ.get("OMP_NUM_THREADS"),
        "python": platform.python_version(),
        **{name: version(name) for name in packages},
    }


def processor() -> str:
    """The model that the system names, or the architecture where it names none."""
    listed = Path("/proc/cpuinfo")
    if listed.exists():
        for line in listed.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "not installed"


def say(line: str) -> None:
    """A line of progress or of a table, on standard error."""
    print(line, file=sys.stderr, flush=True)
