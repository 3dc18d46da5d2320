"""How long the report on one run of 24,000 comparisons takes: 100 contexts of 16 candidates, every ordered pair.

`python -m benchmarks.report [--repeats 5]` makes the run in a database of its own (DATA in a temporary folder, or
DATABASE_URL), prints a table on standard error and one JSON document on standard output.
"""

import argparse
import json
import os
import platform
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator

import numpy as np

CONTEXTS, CANDIDATES, SEED = 100, 16, 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=5)
    repeats = parser.parse_args().repeats
    with tempfile.TemporaryDirectory(prefix="evenhand-benchmark-") as folder:
        os.environ |= {"EVENHAND_DATA": folder, "DJANGO_SETTINGS_MODULE": "evalsite.settings"}
        start_django()
        print_results(measured(repeats))


def start_django() -> None:
    import django
    from django.core.management import call_command

    django.setup()
    call_command("migrate", verbosity=0)


def measured(repeats: int) -> dict[str, object]:
    """Seconds of each part: the median, and the fastest and slowest of the repeats."""
    from django.core.cache import cache

    from rankings.loading import answers_of, candidate_table, people_of
    from rankings.reports import report_rows
    from rankings.rows import rows_of_run

    dataset_seconds, dataset = timed(make_dataset)
    import_seconds, run = timed(lambda: make_run(dataset))
    table = candidate_table(dataset)
    people, answers = people_of(table, run.attribute), answers_of(table, run)

    def fresh() -> object:
        cache.clear()
        return report_rows(dataset, runs=[run])

    parts: dict[str, Callable[[], object]] = {
        "load": lambda: (candidate_table(dataset), people_of(table, run.attribute), answers_of(table, run)),
        "compute": lambda: rows_of_run(table, people, answers),
        "report": fresh,
        "report again": lambda: report_rows(dataset, runs=[run]),
    }
    seconds = {name: [timed(part)[0] for _ in range(repeats)] for name, part in parts.items()}
    return {
        "comparisons": len(answers.comparisons),
        "import_dataset_seconds": dataset_seconds,
        "import_comparisons_seconds": import_seconds,
        "parts": {
            name: {"median": statistics.median(times), "low": min(times), "high": max(times)}
            for name, times in seconds.items()
        },
        "machine": {"python": platform.python_version(), "numpy": np.__version__, "cores": os.cpu_count()},
    }


def timed(part: Callable[[], object]) -> tuple[float, object]:
    started = time.perf_counter()
    made = part()
    return time.perf_counter() - started, made


def human_scores() -> np.ndarray:
    """(CONTEXTS, CANDIDATES), in thirds from 1 to 5."""
    return np.random.default_rng(SEED).integers(3, 16, (CONTEXTS, CANDIDATES)) / 3


def make_dataset() -> object:
    from judging.formats import AttributeRecord, CandidateRecord, ContextRecord, DatasetRecord
    from judging.services.datasets import import_dataset

    contexts = tuple(
        ContextRecord(
            f"c{context}",
            "An article.",
            candidates=tuple(
                CandidateRecord(f"M{number}", "A summary.", f"M{number}", scores={"coherence": float(score)})
                for number, score in enumerate(scores)
            ),
        )
        for context, scores in enumerate(human_scores())
    )
    record = DatasetRecord(attributes=(AttributeRecord("coherence"),), contexts=contexts)
    return import_dataset(record, name="benchmark", sha256="0" * 64)


def make_run(dataset: object) -> object:
    from judging.services.recorded import import_comparisons

    [run] = import_comparisons(list(answers()), dataset=dataset, judge_name="benchmark")
    return run


def answers() -> Iterator[object]:
    """A judge that follows the human scores, with noise, and prefers what is shown first."""
    from judging.formats import ComparisonRecord

    rng = np.random.default_rng(SEED + 1)
    for context, scores in enumerate(human_scores()):
        for first in range(CANDIDATES):
            for second in range(CANDIDATES):
                if first != second:
                    logit = 0.8 * (scores[first] - scores[second]) + 0.4 + rng.normal()
                    p_first = float(1 / (1 + np.exp(-logit)))
                    yield ComparisonRecord("", 0, f"c{context}", "coherence", f"M{first}", f"M{second}", p_first)


def print_results(results: dict[str, object]) -> None:
    print(f"report on {results['comparisons']} comparisons, seconds", file=sys.stderr)
    print(f"{'':14}{'median':>8}{'low':>8}{'high':>8}", file=sys.stderr)
    for name, seconds in results["parts"].items():
        cells = "".join(f"{seconds[column]:8.3f}" for column in ("median", "low", "high"))
        print(f"{name:14}{cells}", file=sys.stderr)
    print(json.dumps(results, indent=2))


if __name__ == "__main__":
    main()
