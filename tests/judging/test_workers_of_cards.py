"""`worker --gpu`: one real worker process for each card. The program nvidia-smi is played; no test needs a GPU."""

import os
import signal
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from judging.models import Worker
from judging.services.execution.worker_reports import GraphicsCard, read_cards
from tests.commands import refused
from tests.judging.workers import wait_until, worker

SAYS = """#!/bin/sh
for option in "$@"; do last=$option; done
printf '0, 100, 81920, 41\\n1, 200, [N/A], [N/A]\\n' | case $last in [01]) grep "^$last," ;; *) cat ;; esac
"""
FIRST, SECOND = GraphicsCard(0, 100 * 2**20, 81920 * 2**20, 41), GraphicsCard(1, 200 * 2**20, None, None)


@pytest.fixture
def _two_cards(tmp_path, monkeypatch):
    program = tmp_path / "nvidia-smi"
    program.write_text(SAYS)
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")


@contextmanager
def workers_of(cards, said=None):
    """Start the command, and yield its process and card -> process id of the worker, once all have reported.

    said: a file for its standard error.
    """
    Worker.objects.all().delete()
    with worker("manage.py", "worker", "--gpu", cards, stderr=said) as process:
        wait_until(lambda: Worker.objects.count() == len(cards.split(",")), what="each worker reports itself")
        numbers = {row.gpus[0]["number"]: int(row.name.rpartition(":")[2]) for row in Worker.objects.all()}
        try:
            yield process, numbers
        finally:
            for number in numbers.values():
                with suppress(ProcessLookupError):
                    os.kill(number, signal.SIGKILL)


def environment(process):
    lines = Path(f"/proc/{process}/environ").read_text().split("\0")
    return dict(line.split("=", 1) for line in lines if line)


def lives(process):
    return Path(f"/proc/{process}").exists()


@pytest.mark.worker
@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("_two_cards")
def test_each_card_has_a_worker_that_sees_it_alone_and_all_end_together():
    with workers_of("0,1") as (command, workers):
        seen = {card: environment(process) for card, process in workers.items()}
        command.terminate()
        status = command.wait()

    assert {card: one["CUDA_VISIBLE_DEVICES"] for card, one in seen.items()} == {0: "0", 1: "1"}
    assert {one["CUDA_DEVICE_ORDER"] for one in seen.values()} == {"PCI_BUS_ID"}
    assert (status, [one for one in workers.values() if lives(one)]) == (0, [])


@pytest.mark.worker
@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("_two_cards")
def test_a_worker_that_dies_is_named_and_ends_the_command_with_its_status(tmp_path):
    with (tmp_path / "said").open("w+") as said, workers_of("0,1", said) as (command, workers):
        os.kill(workers[1], signal.SIGKILL)
        command.wait()

    assert "the worker of GPU 1 ended with status 137, so the others were ended too" in (tmp_path / "said").read_text()
    assert (command.returncode, lives(workers[0])) == (137, False)


@pytest.mark.usefixtures("_two_cards")
@pytest.mark.django_db
def test_a_card_that_nvidia_smi_does_not_list_is_refused(capsys):
    assert refused(capsys, "worker", "--gpu", "1,7,x") == [
        'gpu: there is no GPU "7"; nvidia-smi lists: 0, 1',
        'gpu: there is no GPU "x"; nvidia-smi lists: 0, 1',
    ]


def test_without_nvidia_smi_no_card_is_found(capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))

    assert refused(capsys, "worker", "--gpu", "0") == [
        "gpu: nvidia-smi lists no GPU on this machine; start a worker without --gpu"
    ]


@pytest.mark.usefixtures("_two_cards")
def test_cards_have_memory_and_temperature_where_they_say_so_and_only_those_in_use(monkeypatch):
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    assert read_cards() == [FIRST, SECOND]

    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "1")
    assert read_cards() == [SECOND]
