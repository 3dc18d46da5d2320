"""Studies that choose on one part of a dataset and report on another."""

from dataclasses import replace

import pytest
from django.urls import reverse

from judging.models import Exclusion, Study
from judging.models.studies_and_reports import part_warnings
from judging.services.datasets.dataset_changes import split_dataset
from judging.services.studies.study_changes import add_runs, create_study, set_parts
from rankings.juries.stored_juries import make_jury
from rankings.studies.charts.chart_request import ChartRequest
from rankings.studies.charts.kinds.curves import chosen_curves, curves_of_runs
from tests.commands import printed_json, refused
from tests.rankings.agreement.panels import judged, voted_dataset

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def runs(rows_of_module):
    dataset = split_dataset(voted_dataset(contexts=40), seed=7)
    return [judged(dataset, "careful"), judged(dataset, "hasty")]


def warnings_of(study):
    return part_warnings(study, list(study.runs.all()))


def test_table_of_a_study_covers_its_part_only(runs, capsys):
    create_study("Test", runs=runs)

    pivot = printed_json(capsys, "study", "Test", "--part", "test", "--rows", "judge", "--figure", "accuracy")

    rows = printed_json(capsys, "report", "--dataset", "Panel", "--subsets-by", "part")["rows"]
    of_part = {row["judge"]: row["accuracy"] for row in rows if row["subset"] == "test"}
    cells = {name: line[0] for name, line in zip(pivot["rows"], pivot["cells"], strict=True)}
    assert {name: cell["value"] for name, cell in cells.items()} == {
        name: figure["value"] for name, figure in of_part.items()
    }
    assert {cell["n"] for cell in cells.values()} == {120}


def test_choice_on_development_and_report_on_test_go_together(runs):
    development, report = create_study("Choose", runs=runs), create_study("Report", runs=runs)
    set_parts(development, part="development", chosen_in=None)

    set_parts(report, part="test", chosen_in=development)

    assert warnings_of(report) == []
    assert "choose here, and report in a study of the test part" in warnings_of(development)[0]


@pytest.mark.parametrize("part", ["", "development"])
def test_report_on_contexts_of_the_choice_is_refused(runs, capsys, part):
    development = create_study("Choose", runs=runs)
    set_parts(development, part="development", chosen_in=None)
    create_study("Report", runs=runs)

    problems = refused(capsys, "study", "Report", "--part", part or "all", "--chosen-in", "Choose")

    assert "20 contexts would be in both this study" in problems[0]
    assert Study.objects.get(name="Report").chosen_in is None


def test_contexts_that_come_into_both_studies_later_are_warned_of(runs):
    other = judged(voted_dataset(contexts=5, name="Other"), "careful")
    choose, report = create_study("Choose", runs=runs), create_study("Report", runs=[other])
    set_parts(report, part="", chosen_in=choose)

    add_runs(report, runs)

    assert warnings_of(report) == [
        f"40 contexts of these figures are also in study {choose.pk}, in which its prompts and judges were chosen"
    ]


def test_study_is_not_chosen_in_itself(runs, capsys):
    create_study("Alone", runs=runs)

    assert "chosen in itself" in refused(capsys, "study", "Alone", "--chosen-in", "Alone")[0]


def test_jury_learned_on_development_is_warned_of_unless_the_study_reports_on_test(runs):
    jury = make_jury(name="panel", run=runs, by="weighted", choose_on="development").run
    study = create_study("Report", runs=[*runs, jury])

    everywhere = warnings_of(study)
    set_parts(study, part="test", chosen_in=None)

    assert f"The weights of panel (run {jury.pk}) were learned on the development part" in everywhere[0]
    assert warnings_of(study) == []


def test_dataset_without_a_split_is_warned_of_and_covered_whole(capsys):
    run = judged(voted_dataset(name="Whole"), "careful")
    study = create_study("Report", runs=[run])

    pivot = printed_json(capsys, "study", "Report", "--part", "test")

    study.refresh_from_db()
    assert "Whole is not split: figures cover all contexts" in warnings_of(study)[0]
    assert pivot["cells"][0][0]["n"] == 120


def test_owner_chooses_the_part_by_page_and_the_table_says_so(runs, client, researcher):
    choose = create_study("Choose", runs=runs, owner=researcher)
    set_parts(choose, part="development", chosen_in=None)
    study = create_study("Report", runs=runs, owner=researcher)
    address = reverse("study-edit", args=[study.pk])
    values = {"name": "Report", "description": "", "groups": "", "chosen_in": choose.pk}

    wrong = client.post(address, values | {"part": ""}).content.decode()
    client.post(address, values | {"part": "test"})

    assert "20 contexts would be in both" in wrong
    page = client.get(reverse("study", args=[study.pk])).content.decode()
    assert "This study reports on the test part" in page
    assert "n = 120" in page


def test_agreement_reads_the_part_of_the_study(runs, client, researcher, capsys):
    study = create_study("Report", runs=runs, owner=researcher)
    set_parts(study, part="test", chosen_in=None)
    development = runs[0].dataset.contexts.filter(fields__part="development").values_list("key", flat=True)
    left_out = [word for key in development for word in ("--without-context", key)]

    file = client.get(reverse("study-agreement", args=[study.pk]), {"measure": "percent_agreement", "table": "csv"})
    of_part, of_all = (
        printed_json(capsys, "agreement", "--dataset", "Panel", *words)["attributes"][0]["pairs_of_raters"]
        for words in (left_out, [])
    )

    written = b"".join(file.streaming_content).decode()
    values = [
        next(one for one in rows if "careful" in one["one"] and "hasty" in one["other"]) for rows in (of_part, of_all)
    ]
    assert f",{values[0]['percent_agreement']['value']}," in written
    assert f",{values[1]['percent_agreement']['value']}," not in written


def test_curves_and_chart_tabs_read_the_part_of_the_study(runs, client, researcher):
    study = create_study("Report", runs=runs, owner=researcher)
    set_parts(study, part="test", chosen_in=None)
    chosen = ChartRequest.of("curves", {"measure": "accuracy"}, study, runs).chosen
    of_part = chosen_curves(chosen, rankings=("bradley-terry",), measure="accuracy")

    others = runs[0].dataset.contexts.exclude(fields__part="test").values_list("key", flat=True)
    whole = replace(of_part, subsets=None)
    choices = {
        "part": of_part,
        "whole": whole,
        "without others": replace(whole, exclusion=Exclusion.of(contexts=others)),
    }
    ends = {
        name: [curve.drawn[-1].mean for curve in curves_of_runs(runs, chosen.names, choice)]
        for name, choice in choices.items()
    }

    assert ends["part"] == ends["without others"]
    assert ends["part"] != ends["whole"]
    assert client.get(reverse("study-curves", args=[study.pk])).status_code == 200
    assert "n = 120" in client.get(reverse("study-coverage", args=[study.pk])).content.decode()


@pytest.mark.parametrize("name", ["curves", "agreement"])
def test_curves_and_agreement_read_the_chosen_subset(runs, client, researcher, name):
    study = create_study("Report", runs=runs, owner=researcher)
    runs[0].dataset.contexts.filter(fields__part="test").update(subset="half")
    address = reverse(f"study-{name}", args=[study.pk])

    tables = {
        subset: client.get(address, {"subset": subset, "measure": "accuracy"}).context["tab"].table.rows
        for subset in ("all", "half")
    }

    assert tables["all"] != tables["half"]


def test_owner_chooses_the_part_by_api(runs, client, researcher):
    choose = create_study("Choose", runs=runs, owner=researcher)
    study = create_study("Report", runs=runs, owner=researcher)
    address = f"/api/studies/{study.pk}/"

    wrong = client.patch(address, {"chosen_in": choose.pk}, content_type="application/json")
    set_parts(choose, part="development", chosen_in=None)
    right = client.patch(address, {"part": "test", "chosen_in": choose.pk}, content_type="application/json").json()

    assert wrong.status_code == 400
    assert (right["part"], right["chosen_in"], right["warnings"]) == ("test", choose.pk, [])


def test_jury_stands_among_the_judges_and_simple_judges(runs, client, researcher):
    jury = make_jury(name="panel", run=runs, by="mean").run
    study = create_study("Report", runs=[*runs, jury], owner=researcher)

    answer = client.get(f"/api/studies/{study.pk}/table/", {"rows": "judge", "table": "md"})

    table = b"".join(answer.streaming_content).decode()
    names = [line.split("|")[1].strip() for line in table.splitlines() if line.startswith("|")]
    assert {"panel", "careful", "hasty", "Always first", "Longer text"} <= set(names)
