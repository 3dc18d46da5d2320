"""The pinned lists in requirements/."""

from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parent.parent
LISTS = ("web", "judge", "metrics", "test")


def pinned_lines(*names):
    """Return the lines of some lists, without the title of each."""
    return [line for name in names for line in (ROOT / "requirements" / f"{name}.txt").read_text().splitlines()[1:]]


def pinned_in(*names):
    """Return the pins of some lists, as requirements by name."""
    return {pin.name: pin for pin in map(Requirement, pinned_lines(*names))}


def version_of(pin):
    return str(pin.specifier).removeprefix("==")
