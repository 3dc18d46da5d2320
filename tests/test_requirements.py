"""The pinned lists install on each supported Python, and leave no package to chance."""

import platform
import re
import tomllib
from importlib.metadata import PackageNotFoundError, distribution

import pytest
from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.pins import LISTS, ROOT, pinned_in, pinned_lines, version_of

PYTHONS = ("3.11.2", "3.12.3", "3.13.5")  # of Debian 12, Ubuntu 24.04 and Debian 13


def holds(requirement, python, extra=""):
    versions = {"python_full_version": python, "python_version": python.rpartition(".")[0]}
    return not requirement.marker or requirement.marker.evaluate(default_environment() | versions | {"extra": extra})


def installed(name):
    """Return a distribution, or None for a pin that only other Pythons need."""
    try:
        return distribution(name)
    except PackageNotFoundError:
        return None


def needs_of_the_project(python):
    """Yield every requirement of the project on a Python, with those of its packages, each once."""
    waiting, seen = [("evenhand", extra) for extra in ("", "app", "judge", "metrics", "dev")], set()
    while waiting:
        name, extra = waiting.pop()
        package = None if name == "torch" else installed(name)  # each build of torch brings libraries of its own
        for needed in map(Requirement, (package and package.requires) or ()):
            if holds(needed, python, extra):
                yield needed
                further = {(canonicalize_name(needed.name), extra) for extra in ("", *needed.extras)} - seen
                waiting.extend(further)
                seen |= further


def test_each_line_pins_one_version():
    pattern = r"[a-z0-9-]+==[\w.]+(; python_full_version .+)?"

    assert [line for line in pinned_lines(*LISTS) if not re.fullmatch(pattern, line)] == []


@pytest.mark.parametrize("python", PYTHONS)
def test_each_pin_installs_on_a_supported_python(python):
    packages = {str(pin): installed(pin.name) for pin in pinned_in(*LISTS).values() if holds(pin, python)}

    wanted = {pin: package.metadata.get("Requires-Python", "") for pin, package in packages.items() if package}

    assert {pin: wanted[pin] for pin in wanted if python not in Requirement(f"python{wanted[pin]}").specifier} == {}


@pytest.mark.parametrize("python", PYTHONS)
def test_all_that_the_project_needs_on_a_supported_python_is_pinned(python):
    pins = {name: version_of(pin) for name, pin in pinned_in(*LISTS).items() if holds(pin, python)}

    missing = [
        str(needed)
        for needed in needs_of_the_project(python)
        if (version := pins.get(canonicalize_name(needed.name))) is None or version not in needed.specifier
    ]

    assert missing == []


def test_each_pin_is_the_installed_version():
    pins = {name: version_of(pin) for name, pin in pinned_in(*LISTS).items() if holds(pin, platform.python_version())}

    packages = {name: installed(name) for name in pins}

    assert {name: package and package.version.partition("+")[0] for name, package in packages.items()} == pins


def test_every_dependency_is_pinned_at_a_version_that_the_project_takes():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = {"": project["dependencies"]} | project["optional-dependencies"]
    lists = {"": ("web",), "app": ("web",), "judge": ("judge",), "metrics": ("metrics",), "dev": ("judge", "test")}

    refused = [
        str(requirement)
        for name, requirements in wanted.items()
        for requirement in map(Requirement, requirements)
        if version_of(pinned_in(*lists[name])[requirement.name]) not in requirement.specifier
    ]

    assert refused == []
