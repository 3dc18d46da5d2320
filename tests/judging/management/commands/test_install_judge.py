"""The command install_judge."""

import os

import pytest
from django.core.management import CommandError, call_command

from judging.management.commands.install_judge import pip_arguments
from judging.services.judges.package_installation import Installation, write_installation
from tests.commands import printed_json


def test_install_judge_does_nothing_where_nothing_is_missing(capsys, settings, tmp_path):
    settings.DATA_DIR = tmp_path

    assert printed_json(capsys, "install_judge") == {"installed": []}


def test_torch_is_installed_first_and_alone_from_the_index_of_the_machine(monkeypatch):
    monkeypatch.setenv("TORCH_INDEX_URL", "https://index.example.org/cpu")

    torch, others = pip_arguments()

    assert torch[:2] == ["--index-url", "https://index.example.org/cpu"]
    assert [one for one in torch if one.startswith("torch==")] == torch[2:]
    assert [one.rsplit("/", 1)[-1] for one in others] == ["--requirement", "judge.txt", "--requirement", "metrics.txt"]


def test_install_judge_does_not_run_twice_at_once(settings, tmp_path):
    settings.DATA_DIR = tmp_path
    write_installation(tmp_path, Installation(1, 2, "Downloading torch", os.getpid()))

    with pytest.raises(CommandError, match=rf"running already: process {os.getpid()}, Downloading torch"):
        call_command("install_judge")
