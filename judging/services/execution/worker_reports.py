"""Reports of a worker about itself, so that others see that it lives."""

import logging
import os
import socket
import subprocess
import time
from collections import Counter, deque
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from threading import Lock

from django.db.models import F
from django.db.models.functions import Now
from django.utils import timezone

from judging.models import AnswerCount, Worker
from judging.services.execution.claimed_chunk import Heartbeat

logger = logging.getLogger(__name__)

REPORT_SECONDS = 15.0
REPORTS_OF_A_RATE = 12

STORED_ANSWERS: Counter[str] = Counter()
"""Answers that this process has stored: outcome, or problem of an unparsed one -> number."""
_clocks: deque[datetime] = deque(maxlen=1)
"""Own time of the latest report: another in our row is that of a worker with the same name."""
_reported: Counter[str] = Counter()
_reporting = Lock()
_totals: deque[tuple[float, int]] = deque(maxlen=REPORTS_OF_A_RATE)
"""time.monotonic() and number of stored answers, at the latest reports."""


@dataclass(frozen=True, slots=True)
class GraphicsCard:
    """A GPU. number: in the list of nvidia-smi. used, total: bytes. celsius: temperature. None: unknown."""

    number: int
    used: int | None
    total: int | None
    celsius: int | None


def own_name() -> str:
    return f"{socket.gethostname()}:{os.getpid()}"


def report_worker(queues: str, model: str = "") -> None:
    """Store that this process lives, what it does, and what it has done. model: the one that it holds."""
    name, now = own_name(), timezone.now()
    if _clocks and Worker.objects.filter(name=name).exclude(own_clock=_clocks[-1]).exists():
        logger.warning("another worker is called %s too; give its machine a host name of its own", name)
    _clocks.append(now)
    Worker.objects.update_or_create(
        name=name,
        defaults={
            "queues": queues,
            "model": model,
            "chunks": Heartbeat.chunks(),
            "per_second": _rate(),
            "memory": resident_bytes(),
            "gpus": [asdict(card) for card in read_cards()],
            "own_clock": now,
            "seen_at": Now(),
        },
    )
    report_answers()


def report_answers() -> None:
    """Add the answers that this process has stored since the last time to those of all processes."""
    with _reporting:
        for kind, number in (Counter(STORED_ANSWERS) - _reported).items():
            AnswerCount.objects.get_or_create(kind=kind)
            AnswerCount.objects.filter(kind=kind).update(number=F("number") + number)
            _reported[kind] += number


def _rate() -> float:
    """Return the answers per second since the earliest of the latest reports."""
    now, total = time.monotonic(), STORED_ANSWERS.total()
    _totals.append((now, total))
    then, before = _totals[0]
    return (total - before) / (now - then) if now > then else 0.0


def count_answers(kinds: Iterable[str]) -> None:
    """Count stored answers. kinds: of each, its outcome, or the problem of an unparsed one."""
    STORED_ANSWERS.update(kinds)


def resident_bytes() -> int:
    """Return the resident memory of this process; 0 where the system does not say."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0


def read_cards() -> list[GraphicsCard]:
    """Return the GPUs that this process may use, as nvidia-smi describes them; none where it does not run."""
    chosen = os.environ.get("CUDA_VISIBLE_DEVICES")
    form = ("--query-gpu=index,memory.used,memory.total,temperature.gpu", "--format=csv,noheader,nounits")
    try:
        said = subprocess.run(
            ["nvidia-smi", *form, *(("--id", chosen) if chosen else ())],
            capture_output=True,
            text=True,
            timeout=REPORT_SECONDS,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return []
    return [_read_card(line) for line in said.stdout.splitlines()]


def _read_card(line: str) -> GraphicsCard:
    """Read a line of nvidia-smi. For what a card does not say, it has words in brackets."""
    number, *mebibytes, celsius = (int(one) if one.strip().isdecimal() else None for one in line.split(","))
    used, total = (one and one * 2**20 for one in mebibytes)
    return GraphicsCard(number or 0, used, total, celsius)
