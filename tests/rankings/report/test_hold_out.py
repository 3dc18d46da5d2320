"""The report of an adaptive run's held-out pairs."""

from dataclasses import replace

import pytest
from django.core.management import call_command
from django.urls import reverse

from evenhand.numerics import RANKINGS, Figure
from judging.models import Run
from judging.services.execution.chunk_execution import execute_chunk
from judging.services.plans.selection_settings import SelectionSettings
from rankings.report.report_row import HoldOut
from rankings.report.report_rows import report_rows
from rankings.report.report_table import TableChoice, report_table
from rankings.tables.latex_table import latex_table
from rankings.tables.table import TableStyle
from rankings.tables.text_table import text_table
from tests.evenhand.engine.fake_engine import FakeEngine
from tests.factories import make_run
from tests.rankings import studies
from tests.rankings.report.report_figures import diagnostics_json, report_json

pytestmark = pytest.mark.django_db

CANDIDATES = "abcdef"


@pytest.fixture(scope="module")
def dataset(rows_of_module):
    """Two contexts in two subsets, six candidates each, which people scored 1 to 6."""
    return studies.make_dataset(
        [
            {
                "context": f"c{number}",
                "text": f"Article {number}",
                "subset": f"subset-{number}",
                "candidates": [
                    {"candidate": key, "text": f"Text {key} of {number}.", "scores": {"overall": place + 1}}
                    for place, key in enumerate(CANDIDATES)
                ],
            }
            for number in range(2)
        ]
    )


def judged(dataset, choice) -> Run:
    run = make_run(dataset, selection=choice)
    for chunk in run.chunks.all():
        execute_chunk(chunk.pk, load=lambda settings: FakeEngine())
    return run


@pytest.fixture(scope="module")
def half(dataset):
    """An adaptive run that holds out half of its budget of 20 pairs a context."""
    return judged(dataset, SelectionSettings("bt-optimal", 20, hold_out=0.5))


def only_held_out(run) -> Run:
    """A recorded run with the same answers to the pairs that the run holds out, and no other."""
    pairs = [tuple(pair) for chunk in run.chunks.all() for pair in chunk.held_out]
    lines = [
        f"{context},overall,{first},{second},{p_first!r}"
        for context, first, second, p_first, *pair in run.comparisons.values_list(
            "context__key", "first__key", "second__key", "p_first", "first", "second"
        )
        if tuple(pair) in pairs
    ]
    return studies.compared(run.dataset, "\n".join(["context,attribute,first,second,p_first", *lines]) + "\n")


def test_hold_out_has_the_figures_of_the_pairs_held_out_alone_and_a_check_fails(dataset, half):
    rows = report_json(dataset, runs=[half])

    alone = report_json(dataset, runs=[only_held_out(half)])
    names = ("comparisons", "p_first", "order_agreement", "accuracy")
    assert [row["hold_out"] for row in rows] == [{name: row[name] for name in names} for row in alone]
    assert [row["hold_out"]["comparisons"] for row in rows] == [20, 10, 10]
    assert rows[0]["comparisons"] == 40
    checks = [check for row in rows for check in row["trust"] if check["check"] == "chosen-by-answers"]
    assert [(check["state"], check["value"]) for check in checks] == [("failed", 0.5)] * 3


def test_command_and_page_warn_of_the_rankings_that_an_adaptive_run_distorts(dataset, client, researcher, capsys):
    run = judged(dataset, SelectionSettings("bt-optimal", 20))
    by_command, by_page = [], []

    for ranking in RANKINGS:
        call_command("scores", run.pk, ranking=ranking, json=True)
        if "That distorts" in capsys.readouterr().err:
            by_command.append(ranking)
        if "That distorts" in client.get(reverse("run-scores", args=[run.pk]), {"ranking": ranking}).content.decode():
            by_page.append(ranking)

    assert by_command == by_page == ["win-ratio", "average-probability"]


def test_hold_out_of_nothing_is_undefined_with_the_reason_and_other_runs_have_none(dataset):
    adaptive, other = judged(dataset, SelectionSettings("bt-optimal", 20, hold_out=0)), make_run(dataset)

    hold_out = report_json(dataset, runs=[adaptive])[0]["hold_out"]

    assert hold_out["comparisons"] == 0
    missing = {"value": None, "low": None, "high": None, "n": 0, "undefined": "no comparison has an answer"}
    assert hold_out["p_first"] == missing
    assert "hold_out" not in report_json(dataset, runs=[other])[0]


def test_reliability_of_an_adaptive_run_is_that_of_the_pairs_held_out_alone(dataset):
    run = judged(dataset, SelectionSettings("bt-optimal", 24, hold_out=0.8))

    reliability = diagnostics_json(run, runs=[])["reliability"]

    assert reliability == diagnostics_json(only_held_out(run), runs=[])["reliability"]
    assert reliability["average-probability"]["split_half"]["value"] is not None


def test_pages_show_what_an_adaptive_run_holds_out_and_those_of_other_runs_nothing(dataset, half, client, researcher):
    results = client.get(reverse("run-results", args=[half.pk]))
    beside = client.get(reverse("dataset-results", args=[dataset.pk])).content.decode()

    assert [card.title for card in results.context["hold_out"]] == ["Accuracy", "P(first)", "Order agreement"]
    assert "That distorts win ratio and average probability" in results.content.decode()
    assert "Of its 40 answers, 20 are to pairs drawn at random in advance." in results.content.decode()
    assert f"Run {half.pk} chose its pairs by its own answers, so they are not a random sample;" in beside
    other = client.get(reverse("run-results", args=[make_run(dataset).pk])).content.decode()
    assert "drawn at random in advance" not in other
    assert "That distorts" not in other


def test_tables_note_what_an_adaptive_run_holds_out(dataset, half):
    row = report_rows(dataset, runs=[half])[0]
    found = HoldOut(
        comparisons=20,
        p_first=Figure(0.5, 0.25, 0.75, 20),
        order_agreement=Figure.missing("no pair is decided in both orders", n=0),
        accuracy=Figure(0.625, 0.5, 0.75, 20),
    )
    table = report_table([replace(row, hold_out=found)], TableChoice())

    note = (
        f"Run {half.pk} chose its pairs by its own answers, so they are not a random sample; on pairs drawn at random "
        "its accuracy is 62.5\u202f% (n = 20)."
    )
    assert note in text_table(table, TableStyle()).splitlines()
    assert f"% {note.replace(chr(0x202F), ' ')}" in latex_table(table, TableStyle()).splitlines()
