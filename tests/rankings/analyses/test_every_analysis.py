"""Every analysis by page, API and command: the same report, the same refusals, and nobody else's run."""

import csv
import html
import json
import re
from itertools import product

import pyarrow.parquet
import pytest
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from evenhand.report_json import as_json
from judging.models import Candidate, Context, Run, User
from rankings.analyses.record import analyses
from rankings.report_cache import computed_again
from rankings.tables.figure_table import figure_table
from rankings.tables.sorting import Sort, sorted_table
from tests.commands import printed, printed_json, refused
from tests.docs.shown_commands import DOCS
from tests.factories import make_user
from tests.rankings.analyses.worlds import NEEDED, SYSTEMS, api, arguments, command, judged, page, two_runs
from tests.rankings.repeats.repeated_judging import repeat

pytestmark = pytest.mark.django_db

RECORDS = analyses()
EVERY = pytest.mark.parametrize("analysis", RECORDS.values(), ids=RECORDS)
LONG, WITH_FILE = (
    pytest.mark.parametrize("analysis", [one for one in RECORDS.values() if has(one)], ids=lambda one: one.name)
    for has in (lambda one: one.long_form, lambda one: one.file)
)
QUERIES = {
    **{"looks": 8, "abstaining": 7, "anchors": 7, "stopping": 7, "cascade": 8, "kinds": 8, "scores": 8, "steering": 9},
    **{"style": 8, "curve": 9, "diagnostics": 9, "gate": 9, "shift": 9, "ready": 10, "repeatability": 10},
    **{"separation": 10, "agreement": 11, "groups": 12, "planner": 12, "compare": 15, "replaced": 15},
}
"""name of an analysis -> the queries of its page, exactly."""
OF_TEXTS = ("kinds", "ready", "shift", "steering")
SILENT = "Silent"
MOST_QUERIES = 16
"""A page that QUERIES lacks needs at most this many queries."""


def tables(answer):
    """Return name -> table, as the page draws it."""
    return {shown.name: shown.table for shown in answer.context["blocks"] if shown.table}


def impossible(option):
    """Return a value that the option cannot have."""
    return "0.123x" if option.kind in (int, float) else "no such name"


@EVERY
def test_page_api_and_command_give_the_same_report_sentences_and_cells(client, capsys, shown, analysis, run):
    answered = api(client, analysis, run)
    text = printed(capsys, *command(analysis, run))

    assert answered.status_code == 200
    assert answered.json() == printed_json(capsys, *command(analysis, run))
    assert answered.json() == json.loads(json.dumps(as_json(shown.context["report"])))
    sentences = [one.block.text for one in shown.context["blocks"] if not one.name]
    assert sentences
    drawn = html.unescape(shown.content.decode())
    assert [one for one in sentences if one not in text or one not in drawn] == []
    lines = text.replace("-", "−").splitlines()
    for name, table in tables(shown).items():
        for row in rows_of_judges(table):
            numbers = [cell.number.replace("-", "−") for cell in row.cells if cell.sort_value]
            assert any(follow_each_other(numbers, line) for line in lines), (name, row)


def rows_of_judges(table):
    return [row for section in table.sections for row in section.rows if not row.is_people]


@EVERY
def test_chosen_answers_reach_every_door(client, capsys, analysis, run):
    if "without_system" not in analysis.answers:
        pytest.skip("takes no choice of answers")
    query = {"without_system": "Bold"}
    shown, answered = page(client, analysis, run, query), api(client, analysis, run, query)

    assert answered.json() == printed_json(capsys, *command(analysis, run), *arguments(query))
    assert answered.json() == json.loads(json.dumps(as_json(shown.context["report"])))
    assert answered.json() != api(client, analysis, run).json()
    if "without" in answered.json():
        for text in (shown.content.decode(), printed(capsys, *command(analysis, run), *arguments(query))):
            assert "All figures are without system Bold." in text


@EVERY
def test_every_impossible_or_unknown_option_is_refused_in_the_same_words(client, capsys, analysis, run):
    wrong = {option.name: impossible(option) for option in analysis.options}
    for option in analysis.options:
        query = {option.name: wrong[option.name]}
        [problem] = api(client, analysis, run, query).json()["problems"]

        assert problem.startswith((f"{option.name}: ", f"{option.name.replace('_', '-')}: "))
        if option.kind is not bool:  # a switch takes no value
            assert refused(capsys, *command(analysis, run), *arguments(query)) == [problem]

    for query in ({"colour": "red"} | wrong, dict([*wrong.items()][-1:])):  # the last one is read after the others
        problems = api(client, analysis, run, query).json().get("problems", [])
        text = html.unescape(page(client, analysis, run, query).content.decode())
        assert [one for one in problems if one.partition(": ")[2] not in text] == []
        assert "colour" not in query or problems[0].startswith("colour: unknown")


@EVERY
def test_a_run_of_somebody_else_changes_nothing_and_is_neither_offered_nor_taken(client, shown, analysis, run):
    before = api(client, analysis, run).json()

    repeat(run.dataset, seed=3, owner=make_user("sam", "researcher"))
    foreign = judged(run.dataset, seed=1, owner=make_user("sue", "researcher"))

    assert api(client, analysis, run).json() == before
    assert runs_offered(page(client, analysis, run), analysis) == runs_offered(shown, analysis)
    assert_refused(client, analysis, run, foreign)
    for one in analysis.two_runs:
        first, second = (two_runs(analysis, run) | {one.name: foreign.pk}).values()
        address = f"/api/runs/{first}/{analysis.name}/{second}/"
        assert client.get(address, NEEDED.get(analysis.name, {})).status_code == 404


@EVERY
def test_a_system_and_a_context_without_answers_change_no_figure_of_answers(client, analysis, run):
    if analysis.name in OF_TEXTS:
        pytest.skip("is about texts, or draws among them, answered or not")
    before = api(client, analysis, run).json()
    contexts = run.dataset.contexts.all()

    Candidate.objects.bulk_create(
        Candidate(context=one, key=SILENT, system=SILENT, text="nobody asked about it", position=9) for one in contexts
    )

    alone = Context.objects.create(dataset=run.dataset, key=SILENT, text="nobody read it", position=99)
    Candidate.objects.bulk_create(
        Candidate(context=alone, key=system, system=system, text=system, position=at)
        for at, system in enumerate(SYSTEMS)
    )

    with computed_again():
        assert without_silent(api(client, analysis, run).json()) == before


def without_silent(report):
    """Return a report without what it says of the system without answers."""
    if isinstance(report, dict):
        return {name: without_silent(value) for name, value in report.items()}
    if isinstance(report, list):
        return [
            without_silent(one) for one in report if SILENT not in (one.values() if isinstance(one, dict) else [one])
        ]
    return report


def runs_offered(page, analysis):
    """Return the runs that the page offers: option -> numbers."""
    fields = page.context["form"].fields
    names = [one.name for one in (*analysis.options, *analysis.two_runs) if one.row == "run"]
    numbers = {name: {str(value) for value, _ in fields[name].choices} for name in names if name in fields}
    assert all(numbers.values())
    return numbers


def assert_refused(client, analysis, run, foreign):
    """Page and API refuse a foreign run as any option. Returns option -> the problem that they name."""
    problem = f"there is no run {foreign.pk} on {run.dataset.name} that you may see"
    named = {one.name: f"{one.name}: {problem}" for one in analysis.options if one.row == "run"}
    for name, expected in named.items():
        assert api(client, analysis, run, {name: foreign.pk}).json()["problems"] == [expected]
    for name in [*named, *(one.name for one in analysis.two_runs)]:
        assert problem in page(client, analysis, run, {name: foreign.pk}).content.decode()
    return named


@EVERY
def test_a_run_of_another_dataset_and_what_is_not_there_are_refused(client, capsys, world, analysis, run):
    foreign = Run.objects.get(pk=world["elsewhere"])
    for name, problem in assert_refused(client, analysis, run, foreign).items():
        assert refused(capsys, *command(analysis, run), f"--{name}", str(foreign.pk)) == [problem]

    about = ["--dataset", "Nothing"] if analysis.of == "dataset" else [99_999] * (2 if analysis.two_runs else 1)
    [problem, *_] = refused(capsys, analysis.examples[0].split()[0], *about, *arguments(NEEDED.get(analysis.name, {})))
    assert "there is no" in problem


@EVERY
def test_every_column_sorts_each_table_that_has_it(client, shown, analysis, run):
    titled = [one.block for one in shown.context["blocks"] if one.table]
    names = {heading.sort.name for table in tables(shown).values() for heading in table.headings}
    for name, block in product(names, titled):
        assert_sorted(figure_table(sorted_table(block.table, Sort(name)), label=block.label), name)

    for name in [*names][:1]:
        for table in tables(page(client, analysis, run, {"sort": name})).values():
            assert_sorted(table, name)


def assert_sorted(table, name):
    places = [place for place, one in enumerate(table.headings) if one.sort.name == name]
    for place, section in product(places, table.sections):
        values = [row.cells[place].sort_value for row in section.rows if not row.is_people]
        known = [float(value) for value in values if value]
        assert known in (sorted(known), sorted(known, reverse=True)), (name, table.label)


@EVERY
def test_every_table_is_a_file_that_the_command_prints_too(client, capsys, shown, analysis, run):
    drawn = tables(shown)
    texts = files_of_tables(client, analysis, run, drawn, "csv")

    assert printed(capsys, *command(analysis, run), "--csv").encode() == b"".join(texts.values())
    assert_cells_are_those_of_files(drawn, texts)
    assert page(client, analysis, run, {"table": "none.csv"}).status_code == 404


@pytest.mark.parametrize("analysis", [RECORDS["separation"]], ids=lambda one: one.name)
def test_tables_are_files_of_every_other_format_too(client, capsys, shown, analysis, run):
    for ending, option in {"tex": "--latex", "md": "--markdown", "html": "", "xlsx": ""}.items():
        texts = files_of_tables(client, analysis, run, tables(shown), ending)
        assert len(texts) > 1
        assert all(texts.values())
        assert not option or printed(capsys, *command(analysis, run), option).encode() == b"".join(texts.values())


def files_of_tables(client, analysis, run, names, ending):
    """Return name -> content of the file of each table."""
    files = {name: page(client, analysis, run, {"table": f"{name}.{ending}"}) for name in names}
    assert all(file["Content-Disposition"].endswith(f'{name}.{ending}"') for name, file in files.items())
    return {name: file.getvalue() for name, file in files.items()}


def assert_cells_are_those_of_files(drawn, texts):
    for name, table in drawn.items():
        rows = rows_of_judges(table)
        of_file = list(csv.DictReader(texts[name].decode().splitlines()))[: len(rows)]
        for place, heading in enumerate(table.headings):
            values = [value_in_file(line, heading.column.name) for line in of_file]
            assert [row.cells[place].sort_value for row in rows] == values, (name, heading)


def value_in_file(line, column):
    """Return the value of a column in a line of a CSV file, as a cell is sorted by it."""
    [value] = [line[name] for name in (column, f"{column}.value", f"{column}.difference") if name in line]
    return value and f"{float(value):.10g}"


def follow_each_other(texts, line):
    """Return True if the line holds all texts as words, in this order."""
    return re.search(r"(?<!\S)" + r"(?!\S).*(?<!\S)".join(map(re.escape, texts)) + r"(?!\S)", line) is not None


@LONG
def test_long_form_is_the_same_from_command_page_and_api(client, capsys, tmp_path, analysis, run):
    output = tmp_path / "long.parquet"

    rows = printed_json(capsys, *command(analysis, run), "--long")["rows"]
    text = printed(capsys, *command(analysis, run), "--long")
    printed(capsys, *command(analysis, run), "--long", "--output", output)
    lines = page(client, analysis, run, file="/long.jsonl").getvalue().decode().splitlines()
    sent = api(client, analysis, run, {"long": "csv"})

    assert rows
    assert pyarrow.parquet.read_table(output).to_pylist() == rows
    assert [json.loads(line) for line in lines] == rows
    assert (sent.getvalue().decode(), sent["Content-Type"]) == (text, "text/csv; charset=utf-8")
    assert page(client, analysis, run, file="/long.xlsx").status_code == 404
    assert page(client, analysis, run, {"colour": "red"}, file="/long.csv").status_code == 404
    assert "long: " in refused(capsys, *command(analysis, run), "--long", "--latex")[0]


@WITH_FILE
def test_file_of_an_analysis_has_the_figures_of_the_api(client, analysis, run):
    file = page(client, analysis, run, file=f".{analysis.file.ending}")

    answered = api(client, analysis, run).json()
    if analysis.file.ending == "json":
        assert json.loads(file.getvalue()) == answered
    else:
        rows = list(csv.DictReader(file.getvalue().decode().splitlines()))
        assert len(rows) == len(answered[analysis.name])


@EVERY
def test_page_needs_as_many_queries_for_any_number_of_runs(client, shown, analysis, run):
    number = queries_of(client, analysis, run)
    judged(run.dataset, seed=5, owner=run.owner)
    page(client, analysis, run)

    assert number == queries_of(client, analysis, run) == QUERIES.get(analysis.name, min(number, MOST_QUERIES))


def queries_of(client, analysis, run):
    """Return the number of queries of the page, once its figures are kept."""
    User.objects.update(last_seen=timezone.now())  # else a page may store it, five minutes after the last time
    with CaptureQueriesContext(connection) as queries:
        page(client, analysis, run)
    return len(queries)


@EVERY
def test_every_analysis_has_a_page_of_the_reference(analysis):
    assert (DOCS / "reference" / f"{analysis.reference.partition('/')[0]}.md").exists()


def test_help_of_a_recorded_command_names_its_options_with_their_defaults(capsys):
    with pytest.raises(SystemExit):
        call_command("stopping", "--help")

    text = " ".join(capsys.readouterr().out.split())
    assert "--bound NUMBER expected share of reordered pairs at which a context ends; may be repeated" in text
    assert "(default: 0.1, 0.05, 0.02)" in text
