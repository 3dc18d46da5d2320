"""Reports of a worker about itself, so that others see that it lives."""

from __future__ import annotations

import os
import socket
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from django.db.models.functions import Now
from django.utils import timezone

from judging.models import Worker

REPORT_SECONDS = 15.0

STORED_ANSWERS: Counter[str] = Counter()
"""Answers that this process has stored: outcome, or problem of an unparsed one -> number."""


def report_worker(queues: str) -> None:
    """Store that this process lives, and what it has done."""
    Worker.objects.update_or_create(
        name=f"{socket.gethostname()}:{os.getpid()}",
        defaults={
            "queues": queues,
            "memory": resident_bytes(),
            "gpus": _gpu_memory(),
            "answers": dict(STORED_ANSWERS),
            "own_clock": timezone.now(),
            "seen_at": Now(),
        },
    )


def count_answers(kinds: Iterable[str]) -> None:
    """Count stored answers. kinds: of each, its outcome, or the problem of an unparsed one."""
    STORED_ANSWERS.update(kinds)


def resident_bytes() -> int:
    """Return the resident memory of this process; 0 where the system does not say."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0


def _gpu_memory() -> list[list[int]]:
    """Return used and total bytes of each GPU, once a judge has loaded torch and uses one."""
    torch = sys.modules.get("torch")
    if torch is None or not torch.cuda.is_initialized():
        return []
    memory = (torch.cuda.mem_get_info(device) for device in range(torch.cuda.device_count()))
    return [[total - free, total] for free, total in memory]
