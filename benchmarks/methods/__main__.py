"""Try every cell, print the tables and write the results."""

import argparse
import json
import logging
import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks import methods
from benchmarks.database import django_on
from benchmarks.machine import machine, say
from benchmarks.methods.methods_and_datasets import AGAINST, ALONE, NATURAL, SUMMEVAL, TASKS, WAYS, Way

if TYPE_CHECKING:
    from benchmarks.methods.cells import Cell

RESULTS = Path(__file__).resolve().parents[1] / "results/methods.json"
PACKAGES = ("torch", "transformers", "django", "nltk", "rouge-score", "sacrebleu")


def main() -> None:
    parser = argparse.ArgumentParser(description=methods.__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--llmbar", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--summeval", type=Path, required=True, metavar="FILE")
    parser.add_argument("--judge", action="append", default=[], help="limit to this judge; repeatable (default: all)")
    parser.add_argument("--output", type=Path, default=RESULTS, metavar="FILE")
    options = parser.parse_args()
    started = time.monotonic()
    with django_on() as folder:
        logging.getLogger("judging").setLevel(logging.WARNING)
        cells = with_accuracies(list(measured(folder, options)))
        print_tables(cells)
    document = {
        "cells": [asdict(cell) for cell in cells],
        "seconds": time.monotonic() - started,
        "processor_seconds": sum(os.times()[:4]),
        "machine": machine(PACKAGES),
    }
    text = json.dumps(document, indent=2).replace(str(folder), "FOLDER")
    options.output.write_text(text + "\n", encoding="utf-8")


def measured(folder: Path, options: argparse.Namespace) -> Iterator["Cell"]:
    """Try every cell, and print each as soon as it is done."""
    from transformers.utils.logging import disable_progress_bar

    from benchmarks.methods.cells import must, tried
    from benchmarks.methods.judges import JudgeKind, judges, metrics

    must("import_dataset", str(options.llmbar / "Natural.json"), "--name", NATURAL)
    must("import_dataset", str(options.summeval), "--name", SUMMEVAL)
    corpus = texts()

    def cells_of(judge: JudgeKind, ways: Sequence[Way]) -> Iterator["Cell"]:
        if options.judge and judge.name not in options.judge:
            return
        if judge.arguments:
            must("add_judge", judge.name, *judge.arguments)
        for way in ways:
            for task in TASKS:
                cell = tried(judge, way, task)
                say(line(cell))
                yield cell

    disable_progress_bar()
    with judges(folder, corpus) as kinds:
        for judge in kinds:
            yield from cells_of(judge, WAYS)
    for judge in metrics(folder, corpus):
        yield from cells_of(judge, [Way("metric", against) for against in AGAINST])
    length = JudgeKind("length", ("--backend", "metric", "--model", "length"))
    yield from cells_of(length, [Way("metric", ALONE)])


def texts() -> list[str]:
    """Return texts to train the tokenizers of the tiny models on."""
    from judging.models import Context

    return list(Context.objects.order_by("pk").values_list("text", flat=True)[:150])


def with_accuracies(cells: list["Cell"]) -> list["Cell"]:
    from benchmarks.methods.cells import must

    accuracies = {}
    for task in TASKS:
        rows = json.loads(must("report", "--dataset", task.dataset, "--json").output)["rows"]
        accuracies |= {row["run"]: row["accuracy"]["value"] for row in rows if row["subset"] == "all"}
    for cell in cells:
        cell.accuracy = accuracies.get(cell.run)
    return cells


def line(cell: "Cell") -> str:
    from benchmarks.methods.tables import short

    why = "; ".join(cell.reasons) or cell.complaint
    return f"{cell.judge:20}{cell.way:45}{cell.dataset:16}{cell.seconds:6.1f} s  {short(cell)}  {why}".rstrip()


def print_tables(cells: Sequence["Cell"]) -> None:
    from benchmarks.methods.tables import tables

    for row in tables(cells):
        say(row)


if __name__ == "__main__":
    main()
