"""A replaced judge by command, page and API."""

import pytest
from django.core.management import call_command

from judging.models import Run
from rankings.compare.judge_replaced import NO_MARGIN, replace_judge
from tests.commands import printed_json, refused
from tests.factories import make_user
from tests.rankings.agreement.panels import judged, voted_dataset
from tests.rankings.pages import hide, read
from tests.rankings.report.report_figures import differences_json
from tests.rankings.studies import answers, compared, make_dataset, one_context

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("forget_reports")]


@pytest.fixture
def careful_and_hasty():
    panel = voted_dataset(contexts=30)
    return judged(panel, "careful"), judged(panel, "hasty")


def status_of(*command):
    """Return the exit status of a command."""
    try:
        call_command(*map(str, command))
    except SystemExit as ended:
        return ended.code
    return 0


def test_difference_is_new_minus_old_with_the_interval_of_two_runs(capsys, careful_and_hasty):
    old, new = careful_and_hasty

    with pytest.raises(SystemExit):
        printed_json(capsys, "replaced", old.pk, new.pk, "--margin", 0.05)
    result = replace_judge(old, new, margin=0.05)

    row = differences_json(new, old)["differences"][0]
    assert (result.difference, result.low, result.high) == (row["difference"], row["low"], row["high"])
    assert (result.old.value, result.new.value) == (row["other"], row["one"])
    assert result.difference < -0.1
    assert (result.old.name.run, result.new.name.run) == (old.pk, new.pk)


def test_exit_status_says_not_worse_worse_or_undecided(careful_and_hasty):
    old, new = careful_and_hasty
    lost = -replace_judge(old, new, margin=0.5).difference

    assert status_of("replaced", old.pk, new.pk, "--margin", 0.05) == 1
    assert status_of("replaced", old.pk, new.pk, "--margin", lost) == 3
    assert status_of("replaced", old.pk, new.pk, "--margin", 0.6) == 0
    assert status_of("replaced", new.pk, old.pk, "--margin", 0.01, "--json") == 0


def test_correlations_are_compared_by_the_named_ranking(capsys, careful_and_hasty):
    old, new = careful_and_hasty

    result = replace_judge(new, old, margin=0.05, figure="spearman", ranking="win-ratio")

    rows = {row["ranking"]: row for row in differences_json(old, new)["differences"]}
    assert result.difference == rows["win-ratio"]["difference"]
    assert (result.figure, result.ranking, result.verdict) == ("spearman", "win-ratio", "better")


@pytest.mark.parametrize(
    ("margin", "problem"),
    [
        (0, f"margin: 0 — {NO_MARGIN}"),
        (-0.1, "margin: -0.1 — give a number above 0 and below 1; 2 percentage points are 0.02"),
        (2, "margin: 2 — give a number above 0 and below 1; 2 percentage points are 0.02"),
        ("nan", "margin: nan — give a number above 0 and below 1; 2 percentage points are 0.02"),
    ],
)
def test_impossible_margins_are_refused(capsys, careful_and_hasty, margin, problem):
    old, new = careful_and_hasty

    assert refused(capsys, "replaced", old.pk, new.pk, f"--margin={margin}") == [problem]


def test_unknown_figures_and_runs_of_other_questions_are_refused(capsys, careful_and_hasty):
    old, _ = careful_and_hasty
    stranger = compared(make_dataset(one_context(3, 2, 1)), answers("a b 0.9"))

    [problem] = refused(capsys, "replaced", old.pk, stranger.pk, "--margin", 0.1, "--figure", "pearson")
    assert problem.startswith('figure: "pearson" is unknown')
    [problem] = refused(capsys, "replaced", old.pk, stranger.pk, "--margin", 0.1)
    assert "only runs of one dataset can be compared" in problem


def test_one_context_leaves_the_verdict_open():
    dataset = make_dataset(one_context(3, 2, 1))
    one, other = compared(dataset, answers("a b 0.9"), judge="one"), compared(dataset, answers("a b 0.1"), judge="two")

    alone = replace_judge(one, other, margin=0.1)

    assert (alone.verdict, alone.low, alone.undefined) == (
        "undecided",
        None,
        "an interval needs at least three contexts",
    )


@pytest.mark.usefixtures("researcher")
def test_page_begins_with_the_verdict(client, careful_and_hasty):
    old, new = careful_and_hasty

    page = read(client, "dataset-replaced", old.dataset, old=old.pk, new=new.pk, margin=0.05)

    assert "Worse by more than the margin. Accuracy of run" in page
    assert f"evenhand replaced {old.pk} {new.pk} --margin 0.05" in page
    other_way = read(client, "dataset-replaced", old.dataset, old=new.pk, new=old.pk, margin=0.05, figure="spearman")
    assert "Better by more than the margin. Spearman per context (Bradley-Terry) of run" in other_way


@pytest.mark.usefixtures("researcher")
def test_page_asks_for_a_margin_and_refuses_zero(client, careful_and_hasty):
    old, new = careful_and_hasty
    chosen = {"old": old.pk, "new": new.pk}

    assert "Choose the margin before you look" in read(client, "dataset-replaced", old.dataset, **chosen)
    assert "margin: 0 — no number" in read(client, "dataset-replaced", old.dataset, **chosen, margin=0)
    assert "margin: x is not a number" in read(client, "dataset-replaced", old.dataset, **chosen, margin="x")


@pytest.mark.usefixtures("researcher")
def test_api_returns_what_the_command_prints(client, capsys, careful_and_hasty):
    old, new = careful_and_hasty
    address = f"/api/runs/{new.pk}/replaced/{old.pk}/"

    shown = client.get(address, {"margin": 0.05})

    assert shown.json() == printed_json(capsys, "replaced", new.pk, old.pk, "--margin", 0.05)
    assert shown.json()["verdict"] == "better"
    assert client.get(address).status_code == 400
    assert client.get(address, {"margin": 0}).status_code == 400


@pytest.mark.usefixtures("researcher")
def test_runs_of_somebody_else_are_not_found(client, careful_and_hasty):
    old, new = careful_and_hasty
    Run.objects.filter(pk=old.pk).update(owner=make_user("olga", "researcher"))

    assert client.get(f"/api/runs/{old.pk}/replaced/{new.pk}/", {"margin": 0.1}).status_code == 404
    hide(new)
    assert client.get(f"/api/runs/{new.pk}/replaced/{old.pk}/", {"margin": 0.1}).status_code == 404
