"""Installing what local models need."""

import os
import subprocess
import sys

import pytest

from judging.services.judges import package_installation
from judging.services.judges.package_installation import (
    Installation,
    install,
    installation_for,
    is_incomplete,
    read_installation,
    write_installation,
)
from tests.factories import make_judge

INSTALLED = ["--no-index", "--no-deps", "pytest"]  # pip only says that it is there
UNKNOWN = ["--no-index", "--no-deps", "evenhand-needs-no-such-package"]


def test_other_processes_see_the_steps_of_an_installation_which_leaves_no_state_behind(tmp_path):
    seen = []

    error = install([INSTALLED, INSTALLED], data=tmp_path, on_line=lambda _: seen.append(read_installation(tmp_path)))

    assert {(one.step, one.steps, one.is_running) for one in seen} == {(1, 2, True), (2, 2, True)}
    assert sum(one.doing.startswith("Requirement already satisfied: pytest") for one in seen) == 2
    assert (error, read_installation(tmp_path), is_incomplete(tmp_path)) == ("", None, False)


def test_a_failed_installation_keeps_its_reason_and_says_what_to_do(tmp_path):
    error = install([UNKNOWN, INSTALLED], data=tmp_path, on_line=str)

    state = read_installation(tmp_path)
    assert "No matching distribution found for evenhand-needs-no-such-package" in error
    assert (state.step, state.error, state.is_running) == (1, f"{error}; add them with: evenhand install_judge", False)
    assert is_incomplete(tmp_path)


def test_an_installation_whose_process_has_died_was_interrupted(tmp_path):
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    write_installation(tmp_path, Installation(1, 2, "Downloading", ended.pid))

    assert read_installation(tmp_path).error == "it was interrupted; add them with: evenhand install_judge"


def test_missing_packages_are_found(monkeypatch):
    monkeypatch.setattr(package_installation, "PACKAGES", ("json", "evenhand_needs_no_such_package"))

    assert package_installation.missing_packages() == ["evenhand_needs_no_such_package"]


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("settings", "waits"),
    [
        ({"backend": "transformers"}, True),
        ({"backend": "metric", "model": "bleu"}, True),
        ({"backend": "openai", "base_url": "http://localhost/v1"}, False),
        ({"backend": "recorded"}, False),
    ],
)
def test_only_judges_that_compute_here_wait_for_an_installation(tmp_path, settings, waits):
    write_installation(tmp_path, Installation(1, 2, "Downloading", os.getpid()))

    assert (installation_for(make_judge(**settings), data=tmp_path) is not None) == waits
