"""The command `study`: collecting runs, presets, and the formats of its table."""

import csv
import io

import pytest

from judging.models import Study
from judging.services.studies.study_changes import create_study
from rankings.studies.presets import PRESETS
from rankings.studies.study_choice import study_choice
from tests.commands import printed, printed_json, refused
from tests.rankings.agreement.panels import judged, voted_dataset
from tests.rankings.studies import WORKED_ANSWERS, compared, make_dataset

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("forget_reports")]


@pytest.fixture
def runs():
    dataset = make_dataset()
    second = WORKED_ANSWERS.replace("0.9", "0.2")
    return [compared(dataset, judge="GPT"), compared(dataset, second, judge="Llama")]


def test_adding_runs_begins_a_study_and_prints_its_table(runs, capsys):
    table = printed_json(capsys, "study", "Mine", "--add-run", runs[1].pk, "--add-run", runs[0].pk)

    study = Study.objects.get(name="Mine")
    assert (study.owner, list(study.memberships.values_list("run", flat=True))) == (None, [runs[1].pk, runs[0].pk])
    assert (table["rows"], table["columns"]) == (["Llama", "GPT"], ["all", "scored", "voted"])


def test_adding_a_run_again_changes_nothing(runs, capsys):
    create_study("Mine", runs=runs)

    printed(capsys, "study", "Mine", "--add-run", runs[0].pk)

    assert Study.objects.get().memberships.count() == 2


def test_refused_table_stores_no_study(runs, capsys):
    refused(capsys, "study", "Mine", "--add-run", runs[0].pk, "--rows", "nothing")

    assert not Study.objects.exists()


def test_unknown_study_is_refused_with_a_suggestion(runs, capsys):
    create_study("SummEval", runs=runs)

    [line] = refused(capsys, "study", "Sumeval")

    assert line == 'study: there is no "Sumeval" (did you mean "SummEval"?); there are: SummEval'


def test_study_without_runs_is_an_empty_table(capsys):
    create_study("Empty")

    table = printed_json(capsys, "study", "Empty")

    assert (table["rows"], table["columns"], table["cells"]) == ([], [], [])


def test_csv_has_full_precision(capsys):
    dataset = voted_dataset(contexts=8)
    create_study("Mine", runs=[judged(dataset, "careful"), judged(dataset, "hasty")])

    line, *_ = csv.DictReader(io.StringIO(printed(capsys, "study", "Mine", "--csv")))
    table = printed_json(capsys, "study", "Mine")

    cell = table["cells"][0][0]
    assert line["judge"] == "careful"
    assert [float(line[f"overall.{part}"]) for part in ("value", "low", "high", "n")] == [
        cell[part] for part in ("value", "low", "high", "n")
    ]


@pytest.mark.parametrize("option", ["--latex", "--markdown"])
def test_tables_for_papers_have_reference_rows_unless_they_are_left_out(runs, capsys, option):
    create_study("Mine", runs=runs)

    assert "Always first" in printed(capsys, "study", "Mine", option)
    assert "Always first" not in printed(capsys, "study", "Mine", option, "--no-references")


@pytest.mark.parametrize("option", ["--latex", "--markdown"])
def test_means_are_printed_with_their_standard_deviation(runs, capsys, option):
    create_study("Mine", runs=runs)

    table = ("study", "Mine", "--rows", "method", "--columns", "attribute")
    [[cell]] = printed_json(capsys, *table)["cells"]

    text = printed(capsys, *table, option).replace("$\\pm$", "±")

    assert f"{100 * cell['value']:.1f} (sd {100 * cell['sd']:.1f})" in text
    assert "Means, with the standard deviation (sd), over 2 runs, which differ in: judge." in text


def test_groups_without_a_place_are_named(runs, capsys):
    create_study("Mine", runs=runs)

    from django.core.management import call_command

    call_command("study", "Mine", "--rows", "judge", "--columns", "attribute", "--group", "Both=scored,voted")

    assert "group: no row or column shows it" in capsys.readouterr().err


def test_presets_are_tables_that_exist(runs):
    study = create_study("Mine", runs=runs)

    for name, preset in PRESETS.items():
        choice = study_choice(study, runs, preset=name)
        assert (choice.rows, choice.columns, choice.figure.name) == (preset.rows, preset.columns, preset.figure)
        assert choice.figure.debiased == preset.debiased, name


def test_preset_reads_the_answers_that_its_paper_reads(runs, capsys):
    create_study("Mine", runs=runs)
    options = ("--rows", "judge,method,prompt", "--columns", "subset", "--order", "given")

    by_preset = printed_json(capsys, "study", "Mine", "--preset", "prepair-llmbar")

    assert by_preset == printed_json(capsys, "study", "Mine", *options)
    assert by_preset != printed_json(capsys, "study", "Mine", *options[:-1], "both")
