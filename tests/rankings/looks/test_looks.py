"""Looks: figures of the test part are counted by page, API and command, with the person, and nothing else is."""

import pytest

from judging.models.activity_and_looks import Look
from judging.services.datasets.dataset_changes import split_dataset
from judging.services.deletion.account_deletion import delete_account
from judging.services.studies.study_changes import add_runs, create_study, set_parts
from rankings.studies.charts.chart_request import CHART_TABS
from tests.commands import printed, printed_json
from tests.factories import make_token, make_user
from tests.rankings.studies import answers, compared, make_dataset, one_context, with_copies

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("forget_reports")]
ANSWERS = answers("a b 0.9", "b a 0.2")


@pytest.fixture
def run(researcher):
    """A run on a split dataset of the researcher, who is signed in."""
    contexts, comparisons = with_copies(one_context(2, 1), ANSWERS, times=11)
    dataset = split_dataset(make_dataset(contexts, owner=researcher), seed=7)
    run = compared(dataset, comparisons)
    run.owner = researcher
    run.save()
    return run


def looks():
    """Return who, door, run and figures of each look, oldest first."""
    return [(one.who and one.who.username, one.door, one.run, one.figures) for one in Look.objects.order_by("pk")]


def test_page_api_and_command_each_count_a_report_by_part_once(client, capsys, researcher, run):
    by_part = {"subsets_by": "part"}
    assert client.get(f"/runs/{run.pk}/results/", by_part).status_code == 200
    assert client.get(f"/api/runs/{run.pk}/report/", by_part).status_code == 200
    token = make_token(researcher)
    client.logout()
    assert (
        client.get(f"/api/runs/{run.pk}/report/", by_part, headers={"authorization": f"Token {token}"}).status_code
        == 200
    )
    printed(capsys, "report", "--dataset", run.dataset.name, "--subsets-by", "part")

    me = researcher.username
    assert looks() == [
        (me, "page", run.pk, "report"),
        (me, "API", run.pk, "report"),
        (me, "API", run.pk, "report"),
        (None, "command", run.pk, "report"),
    ]


def test_figures_without_the_test_part_are_no_look(client, capsys, run):
    for page in ("results", "diagnostics", "scores"):
        assert client.get(f"/runs/{run.pk}/{page}/").status_code == 200
    printed(capsys, "report", "--dataset", run.dataset.name)
    printed(capsys, "abstain", run.pk)
    unsplit = compared(make_dataset(one_context(2, 1), name="Unsplit"), ANSWERS)
    assert client.get(f"/api/runs/{unsplit.pk}/report/", {"subsets_by": "part"}).status_code == 400

    assert looks() == []


def test_every_figure_of_a_run_on_the_test_part_alone_is_a_look(client, capsys, run):
    development = run.dataset.contexts.filter(fields__part="development").values_list("key", flat=True)
    run.spec |= {"without": {"systems": [], "contexts": sorted(development)}}
    run.save()

    printed(capsys, "report", "--dataset", run.dataset.name)
    printed(capsys, "diagnostics", run.pk)
    for page in ("results", "curve", "scores", "answers"):
        assert client.get(f"/runs/{run.pk}/{page}/").status_code == 200

    assert [one[3] for one in looks()] == ["report", "diagnostics", "report", "curve", "scores", "answers"]


def test_kinds_and_agreement_by_part_and_a_study_of_the_test_part_are_looks_but_not_of_development(client, capsys, run):
    printed(capsys, "abstain", run.pk, "--choose-on", "development")  # no threshold, so no figure on test
    printed(capsys, "kinds", run.pk, "--by", "part")
    printed(capsys, "agreement", "--dataset", run.dataset.name, "--subsets-by", "part")
    study = create_study("Table", owner=run.owner)
    add_runs(study, [run])
    set_parts(study, part="development", chosen_in=None)
    printed(capsys, "study", "Table")
    assert [one[3] for one in looks()] == ["kinds", "agreement"]  # the development part is free to look at

    set_parts(study, part="test", chosen_in=None)
    printed(capsys, "study", "Table")
    printed(capsys, "study", "Table", "--group", "Last=test", "--only", "subset=Last")
    assert {client.get(f"/studies/{study.pk}/{tab}/").status_code for tab in CHART_TABS} == {200}
    assert [one[3] for one in looks()[2:]] == ["report", "report", *["charts of a study"] * len(CHART_TABS)]


def test_a_frozen_table_is_a_look_and_its_verification_is_none(capsys, tmp_path, run):
    study, file = create_study("Table", owner=run.owner), tmp_path / "table.html"
    add_runs(study, [run])
    set_parts(study, part="test", chosen_in=None)

    printed(capsys, "freeze", "Table", "--output", file)
    printed(capsys, "verify_report", file)

    assert looks() == [(None, "command", run.pk, "report")]


def test_a_page_counts_each_run_once_however_often_it_reads_its_figures(client, run):
    other = compared(run.dataset, "context,attribute,first,second,p_first\nc0,overall,a,b,0.7\n", judge="other")
    other.owner = run.owner
    other.save()

    assert client.get(f"/datasets/{run.dataset_id}/results/", {"subsets_by": "part"}).status_code == 200

    assert sorted(one[2] for one in looks()) == [run.pk, other.pk]


def test_report_lists_who_saw_which_run_and_outlives_run_and_account(client, capsys, researcher, run):
    client.get(f"/runs/{run.pk}/results/", {"subsets_by": "part"})
    printed(capsys, "report", "--dataset", run.dataset.name, "--subsets-by", "part")
    pk = run.pk
    run.delete()

    report = printed_json(capsys, "looks", "--dataset", run.dataset.name)

    assert (report["looks"], report["runs"], report["people"], report["test_contexts"]) == (2, 1, 2, 6)
    assert [(one["who"], one["door"], one["run"]) for one in report["shown"]] == [
        ("command", "command", pk),
        (researcher.username, "page", pk),
    ]
    run.dataset.owner = make_user("heir", "researcher")
    run.dataset.save()
    delete_account(researcher, name=researcher.username)
    assert researcher.username not in printed(capsys, "looks", "--dataset", run.dataset.name)


def test_methods_paragraph_of_a_split_dataset_says_how_often(client, capsys, run):
    assert "No figure of the test part was shown so far." in printed(capsys, "methods", "--dataset", run.dataset.name)

    client.get(f"/runs/{run.pk}/results/", {"subsets_by": "part"})
    client.get(f"/runs/{run.pk}/results/", {"subsets_by": "part"})

    text = printed(capsys, "methods", "--dataset", run.dataset.name)
    assert "Figures of the test part were shown 2 times, of 1 run, to 1 person." in text
    assert "The dataset has no test part." in printed(capsys, "looks", "--dataset", make_dataset(name="Unsplit").name)
