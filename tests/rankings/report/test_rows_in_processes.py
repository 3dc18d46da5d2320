"""Report rows that several processes or threads compute, on a database that they can all reach."""

import os
from threading import current_thread, main_thread

import pytest

from evenhand.refusals import Refused
from rankings.report import report_rows
from rankings.report.report_rows import available_processes, rows_in_processes
from tests.rankings.report.report_figures import report_json
from tests.rankings.studies import WORKED_ANSWERS, compared, make_dataset

pytestmark = pytest.mark.django_db(transaction=True)


def process_of_each(runs):
    return {run: [os.getpid()] for run in runs}


def refused_second(runs):
    if "run 1" in runs:
        raise Refused("run 1 is refused")
    return {run: [] for run in runs}


def make_three_runs():
    dataset = make_dataset()
    answers = WORKED_ANSWERS.replace("0.9", "0.2").replace("0.7", "0.1")
    return dataset, [compared(dataset), compared(dataset, judge="another"), compared(dataset, answers, judge="third")]


def test_rows_of_two_processes_equal_those_of_one():
    dataset, runs = make_three_runs()

    rows = report_json(dataset, runs=reversed(runs), use_cache=False, processes=2)

    assert rows == report_json(dataset, runs=reversed(runs), use_cache=False)


def test_rows_of_long_datasets_are_computed_in_threads_and_equal_those_of_one(monkeypatch):
    monkeypatch.setattr("rankings.report.report_rows.CONTEXTS_WORTH_THREADS", 0)
    computed_in, prepare = set(), report_rows.prepared_rows
    monkeypatch.setattr(
        "rankings.report.report_rows.prepared_rows",
        lambda *args, **options: computed_in.add(current_thread()) or prepare(*args, **options),
    )
    dataset, runs = make_three_runs()

    rows = report_json(dataset, runs=runs)

    assert computed_in
    assert main_thread() not in computed_in
    assert rows == report_json(dataset, runs=runs, use_cache=False)


def test_rows_of_each_share_come_from_a_process_of_its_own():
    runs = [f"run {number}" for number in range(5)]

    processes = rows_in_processes(process_of_each, runs, 2)

    assert processes["run 0"] == processes["run 2"] == processes["run 4"] == [os.getpid()]
    assert processes["run 1"] == processes["run 3"] != [os.getpid()]


def test_a_refusal_of_another_process_reaches_the_caller():
    with pytest.raises(Refused, match="run 1 is refused"):
        rows_in_processes(refused_second, ["run 0", "run 1"], 2)


@pytest.mark.django_db(transaction=False)
def test_rows_in_a_transaction_have_one_process():
    assert available_processes() == 1
