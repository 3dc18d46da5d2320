"""Report rows computed in several processes at once. For commands: a web server has several processes already."""

import multiprocessing
import os
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor

from django.db import connections
from threadpoolctl import threadpool_limits

from judging.models import Run
from rankings.report.report_row import ReportRow

MOST_PROCESSES = 4
"""Each takes up to 300 MB."""

RowsOfRuns = Callable[[Sequence[Run]], dict[Run, list[ReportRow]]]


def available_processes() -> int:
    """Return the number of processes that can compute rows at once; 1 where none can be forked.

    Only Linux forks safely once numpy has started threads. No process sees the open transaction of another.
    """
    if sys.platform != "linux" or any(one.in_atomic_block for one in connections.all(initialized_only=True)):
        return 1
    return min(MOST_PROCESSES, len(os.sched_getaffinity(0)))


def rows_in_processes(rows_of: RowsOfRuns, runs: Sequence[Run], processes: int) -> dict[Run, list[ReportRow]]:
    """Return what `rows_of` returns. Each process, this one included, computes the rows of some runs.

    Closes the connections to the database, because processes cannot share one. rows_of: is pickled. Matrices are
    multiplied in one thread: the idle threads of a library would take the cores from these processes, and sums differ
    in the last digit by the number of threads.
    """
    with threadpool_limits(1):
        return _computed(rows_of, runs, min(processes, len(runs)))


def _computed(rows_of: RowsOfRuns, runs: Sequence[Run], processes: int) -> dict[Run, list[ReportRow]]:
    if processes < 2:
        return rows_of(runs)
    own, *others = [runs[at::processes] for at in range(processes)]
    connections.close_all()
    with ProcessPoolExecutor(len(others), mp_context=multiprocessing.get_context("fork")) as pool:
        parts = [pool.submit(rows_of, part) for part in others]
        rows = rows_of(own)
        for part in parts:
            rows |= part.result()
    return rows
