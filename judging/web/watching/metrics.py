"""Figures for Prometheus: requests of the web processes, and what the rows say when they are read.

With `serve`, each web process writes its numbers into files of one folder, and any of them answers for all. Threads
share the numbers of their process. Workers, and commands that judge, add theirs to the database.
"""

import os
import shutil
import time
from collections.abc import Callable, Iterator
from math import nan
from pathlib import Path

from django.conf import settings
from django.db import models
from django.http import HttpRequest, HttpResponseBase
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead
from prometheus_client.registry import Collector

from judging.models import AnswerCount, Run, Worker
from judging.services.execution.worker_reports import resident_bytes
from judging.web.watching.readiness import OK, readiness
from judging.web.watching.workers import waiting_by_queue

SECONDS = (0.05, 0.1, 0.2, 0.3, 0.5, 1, 2.5, 10)
NO_VIEW = "other"

OWN = CollectorRegistry()
REQUESTS = Counter("evenhand_requests", "Answers by view and status.", ["view", "status"], registry=OWN)
LATENCY = Histogram(
    "evenhand_request_seconds", "Seconds until an answer began.", ["view"], buckets=SECONDS, registry=OWN
)
WEB_MEMORY = Gauge(
    "evenhand_web_memory_bytes", "Memory of the web processes.", registry=OWN, multiprocess_mode="livesum"
)


def measure_requests(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Middleware: count requests and time them by view. Views are few; addresses, which anybody invents, are not."""

    def measured(request: HttpRequest) -> HttpResponseBase:
        started = time.perf_counter()
        response = get_response(request)
        view = (request.resolver_match and request.resolver_match.url_name) or NO_VIEW
        LATENCY.labels(view).observe(time.perf_counter() - started)
        REQUESTS.labels(view, response.status_code).inc()
        WEB_MEMORY.set(resident_bytes())
        return response

    return measured


def prometheus_text() -> bytes:
    """Return all figures in the text format of Prometheus."""
    registry = CollectorRegistry()
    registry.register(StoredFigures())
    if folder := os.environ.get(settings.METRICS_FOLDER_VARIABLE):
        _forget_ended_processes(Path(folder))
        MultiProcessCollector(registry, folder)
        return generate_latest(registry)
    return generate_latest(OWN) + generate_latest(registry)


def _forget_ended_processes(folder: Path) -> None:
    """Remove the memory of web processes that have ended. Their counts stay."""
    for file in folder.glob("gauge_live*.db"):
        process = file.stem.rpartition("_")[2]
        if not Path("/proc", process).exists():
            mark_process_dead(process, str(folder))


class StoredFigures(Collector):
    """Figures that the database and the disk hold, read for each answer. Without a database: only readiness."""

    def collect(self) -> Iterator[Metric]:
        parts = readiness()
        yield _gauge("evenhand_ready", "1 where /readyz says ok.", "part", {n: int(p == OK) for n, p in parts.items()})
        yield GaugeMetricFamily(
            "evenhand_free_bytes", "Free bytes of the data folder.", shutil.disk_usage(settings.DATA_DIR).free
        )
        if parts["database"] == OK == parts["schema"]:
            numbers = Run.objects.order_by().values_list("status").annotate(models.Count("pk"))
            yield _gauge("evenhand_runs", "Runs.", "status", (dict.fromkeys(Run.Status.values, 0) | dict(numbers)))
            yield _gauge("evenhand_waiting_chunks", "Chunks that wait for a worker.", "queue", waiting_by_queue())
            answers = CounterMetricFamily("evenhand_answers", "Answers stored.", labels=["kind"])
            for one in AnswerCount.objects.order_by("kind"):
                answers.add_metric([one.kind], one.number)
            yield answers
            yield from _figures_of_workers()


def _figures_of_workers() -> Iterator[Metric]:
    workers = list(Worker.objects.seen_lately())
    gpus = GaugeMetricFamily("evenhand_gpu_bytes", "Memory of GPUs.", labels=["worker", "gpu", "which"])
    temperatures = GaugeMetricFamily("evenhand_gpu_celsius", "Temperature of GPUs.", labels=["worker", "gpu"])
    for worker in workers:
        for card in worker.gpus:
            names, heat = [worker.name, str(card["number"])], card["celsius"]
            for which in ("used", "total"):
                gpus.add_metric([*names, which], nan if card[which] is None else card[which])
            temperatures.add_metric(names, nan if heat is None else heat)
    memory = {worker.name: worker.memory for worker in workers}
    yield from (
        gpus,
        temperatures,
        _gauge("evenhand_worker_memory_bytes", "Memory of each worker.", "worker", memory),
    )


def _gauge(name: str, help_text: str, label: str, values: dict[str, int]) -> GaugeMetricFamily:
    gauge = GaugeMetricFamily(name, help_text, labels=[label])
    for value, number in values.items():
        gauge.add_metric([value], number)
    return gauge
