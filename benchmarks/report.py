"""Measure the time of a report. By default it has one run of 24,000 comparisons, all pairs of 16 candidates a context.

`python -m benchmarks.report [--comparisons 1000000] [--runs 10] [--database URL] [--repeats 5]` makes the runs in a
database, or uses those of an earlier call there again. Without --database or DATABASE_URL, the database is SQLite in a
temporary folder. Prints a table on standard error and one JSON document on standard output.

The parts are timed in this process. "command" is `report --json` as a separate process with an empty cache, from start
to end, with the processor time of all threads and the peak memory. Python may store compiled modules even if
PYTHONDONTWRITEBYTECODE is set, which would cost every command 0.2 s.
"""

import argparse
import json
import os
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from benchmarks.database import django_on
from benchmarks.machine import machine, say

CANDIDATES, SEED = 16, 0
PAIRS = CANDIDATES * (CANDIDATES - 1)
IMPORTED = 10  # runs; further ones are copied, in a fifth of the time


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--comparisons", type=int, default=24_000, help="of all runs together")
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--database", default="", metavar="URL", help="postgresql://… or sqlite:///…")
    parser.add_argument("--repeats", type=int, default=5, help="0: the command alone, once")
    options = parser.parse_args()
    contexts = -(-options.comparisons // (options.runs * PAIRS))
    with django_on(options.database):
        print_results(measured(contexts, options.runs, options.repeats))


def measured(contexts: int, runs: int, repeats: int) -> dict[str, object]:
    """Return the seconds of each part: the median, the least and the most of the repeats."""
    from django.db import connection

    seconds_to_make, dataset = timed(lambda: made(contexts, runs))
    parts = parts_of(dataset) if repeats else {}
    seconds = {name: [timed(part)[0] for _ in range(repeats)] for name, part in parts.items()}
    commands = [as_command(dataset.name) for _ in range(repeats + 1)][-repeats:]  # the first of several compiles
    for measure in ("command", "command, processor"):
        seconds[measure] = [command[measure] for command in commands]
    return {
        "comparisons": runs * contexts * PAIRS,
        "runs": runs,
        "database": connection.vendor,
        "seconds_to_make": seconds_to_make,
        "parts": {name: summary(times) for name, times in seconds.items()},
        "command_megabytes": max(command["megabytes"] for command in commands),
        "machine": machine(("django", "numpy", "psycopg", "scipy")),
    }


def parts_of(dataset: object) -> dict[str, Callable[[], object]]:
    """Return the parts of a report, the whole report with an empty cache, and the report from the cache."""
    from evenhand.numerics.shared_draws import shared_draws
    from rankings.loading import Answers, answers_of, candidate_table, people_of
    from rankings.report.preferences.length_and_family import Kin, Traits
    from rankings.report.report_choice import USUAL_CHOICE
    from rankings.report.report_rows import Sources, report_rows
    from rankings.report.rows_of_one_run import Answered, prepared_rows
    from rankings.report.run_names import RunName
    from rankings.report_cache import forget_figures

    runs = list(dataset.runs.order_by("pk"))
    table = candidate_table(dataset)
    people, loaded = people_of(table, runs[0].attribute), [answers_of(table, run) for run in runs]
    sources = Sources(dataset)
    names = [RunName.of(run) for run in runs]
    kin = [Kin.of((run.judge.model, run.judge.name), table.systems) for run in runs]
    traits = [Traits(sources.lengths, of_run, sources.steering(run)) for of_run, run in zip(kin, runs, strict=True)]

    def load() -> object:
        return [
            candidate_table(dataset),
            people_of(table, runs[0].attribute),
            *(answers_of(table, run) for run in runs),
        ]

    def rows_of_run(name: RunName, answers: Answers, traits: Traits) -> object:
        with shared_draws():
            answered = Answered.of(answers, table, USUAL_CHOICE)
            finish = prepared_rows(name, table, people, answers, answered, traits, USUAL_CHOICE)
        return finish()

    def fresh() -> object:
        forget_figures()
        return report_rows(dataset)

    return {
        "load": load,
        "compute": lambda: list(map(rows_of_run, names, loaded, traits)),
        "report": fresh,
        "report again": lambda: report_rows(dataset),
    }


def timed(part: Callable[[], object]) -> tuple[float, object]:
    started = time.perf_counter()
    result = part()
    return time.perf_counter() - started, result


def summary(times: Sequence[float]) -> dict[str, float]:
    return {"median": statistics.median(times), "low": min(times), "high": max(times)}


def as_command(dataset: str) -> dict[str, float]:
    """Measure seconds and memory of `report --json` as a separate process."""
    started = time.perf_counter()
    report = [sys.executable, "manage.py", "report", "--dataset", dataset, "--json"]
    quiet = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
    usual = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    process = os.posix_spawn(sys.executable, report, usual, file_actions=quiet)
    _, status, used = os.wait4(process, 0)
    if status:
        raise SystemExit(f"{' '.join(report)} ended with status {status}")
    return {
        "command": time.perf_counter() - started,
        "command, processor": used.ru_utime + used.ru_stime,
        "megabytes": used.ru_maxrss / 1024,
    }


def made(contexts: int, runs: int) -> object:
    """Return a dataset with runs. An earlier call's is used again if it is complete."""
    from judging.models import Dataset

    name = f"benchmark: {contexts} contexts, {runs} runs"
    there = Dataset.objects.filter(name=name).first()
    if there and there.runs.count() == runs:
        return there
    if there:
        raise SystemExit(f'"{name}" has {there.runs.count()} runs in this database; give an empty one')
    dataset = make_dataset(name, contexts)
    for number in range(min(runs, IMPORTED)):
        make_run(dataset, number, contexts)
    imported = list(dataset.runs.order_by("pk"))
    for number in range(IMPORTED, runs):
        copy_run(imported[number % IMPORTED], number)
    return dataset


def human_scores(contexts: int) -> np.ndarray:
    """(contexts, CANDIDATES), in thirds from 1 to 5."""
    return np.random.default_rng(SEED).integers(3, 16, (contexts, CANDIDATES)) / 3


def make_dataset(name: str, contexts: int) -> object:
    from evenhand.formats import AttributeRecord, CandidateRecord, ContextRecord, DatasetRecord
    from judging.services.datasets.dataset_import import import_dataset

    records = tuple(
        ContextRecord(
            f"c{context}",
            "An article.",
            candidates=tuple(
                CandidateRecord(f"M{number}", "A summary.", f"M{number}", scores={"coherence": float(score)})
                for number, score in enumerate(scores)
            ),
        )
        for context, scores in enumerate(human_scores(contexts))
    )
    record = DatasetRecord(attributes=(AttributeRecord("coherence"),), contexts=records)
    return import_dataset(record, name=name, sha256="0" * 64)


def make_run(dataset: object, number: int, contexts: int) -> None:
    from judging.services.datasets.recorded.answer_rows import COMPARISONS
    from judging.services.datasets.recorded.recorded_runs import import_judgments

    import_judgments(COMPARISONS, list(answers(number, contexts)), dataset=dataset, judge_name=f"benchmark {number}")


def copy_run(run: object, number: int) -> None:
    """Store a run of another judge, whose probabilities are powers of those of a run. The database copies the rows."""
    from django.db import connection

    from judging.models import Comparison, Judge, Run

    judge = Judge.objects.create(name=f"benchmark {number}", backend=run.judge.backend)
    copy = Run.objects.get(pk=run.pk)
    copy.pk, copy.judge, copy._state.adding = None, judge, True
    copy.save()
    columns = [field.column for field in Comparison._meta.concrete_fields]
    taken = ", ".join(column for column in columns if column not in ("id", "run_id", "p_first"))
    power = np.random.default_rng(SEED + 1 + number).uniform(0.5, 2)
    table = Comparison._meta.db_table
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO {table} (run_id, p_first, {taken}) "
            f"SELECT %s, power(p_first, %s), {taken} FROM {table} WHERE run_id = %s ORDER BY id",
            [copy.pk, power, run.pk],
        )


def answers(number: int, contexts: int) -> Iterator[object]:
    """Return answers of a judge that follows the human scores, with noise and a preference for the first candidate."""
    from evenhand.formats import ComparisonRecord

    rng = np.random.default_rng(SEED + 1 + number)
    for context, scores in enumerate(human_scores(contexts)):
        for first in range(CANDIDATES):
            for second in range(CANDIDATES):
                if first != second:
                    logit = 0.8 * (scores[first] - scores[second]) + 0.4 + rng.normal()
                    p_first = float(1 / (1 + np.exp(-logit)))
                    yield ComparisonRecord("", 0, f"c{context}", "coherence", f"M{first}", f"M{second}", p_first)


def print_results(results: dict[str, object]) -> None:
    say(f"report on {results['comparisons']} comparisons of {results['runs']} runs, {results['database']}, seconds")
    say(f"{'':20}{'median':>8}{'low':>8}{'high':>8}")
    for name, seconds in results["parts"].items():
        say(f"{name:20}" + "".join(f"{seconds[column]:8.3f}" for column in ("median", "low", "high")))
    say(f"the command held {results['command_megabytes']:.0f} MB at most")
    print(json.dumps(results, indent=2))


if __name__ == "__main__":
    main()
