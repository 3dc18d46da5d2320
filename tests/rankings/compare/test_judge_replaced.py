"""A replaced judge by command, page and API."""

import pytest
from django.core.management import call_command
from django.urls import reverse

from rankings.compare.judge_replaced import replace_judge
from rankings.compare.judge_replaced_page import replaced_sentence
from tests.commands import printed, printed_json, refused
from tests.rankings.agreement.panels import judged, voted_dataset
from tests.rankings.pages import hide, read
from tests.rankings.report.report_figures import differences_json
from tests.rankings.studies import answers, compared, make_dataset, one_context

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def careful_and_hasty(rows_of_module):
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


@pytest.mark.parametrize("margin", [0, -0.1, 2, "nan"])
def test_margins_that_mean_nothing_are_refused(capsys, careful_and_hasty, margin):
    old, new = careful_and_hasty

    problem = f"margin: {margin} — give a number above 0 and below 2"
    assert refused(capsys, "replaced", old.pk, new.pk, f"--margin={margin}") == [problem]


def test_margin_of_accuracy_is_below_one(capsys, careful_and_hasty):
    old, new = careful_and_hasty

    problem = "margin: 1 — give a number below 1; 2 percentage points are 0.02"
    assert refused(capsys, "replaced", old.pk, new.pk, "--margin=1") == [problem]
    assert status_of("replaced", old.pk, new.pk, "--margin=1", "--figure", "spearman") in (0, 3)


def test_runs_of_other_questions_are_refused(capsys, careful_and_hasty):
    old, _ = careful_and_hasty
    stranger = compared(make_dataset(one_context(3, 2, 1)), answers("a b 0.9"))

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


def test_report_begins_with_the_verdict(careful_and_hasty):
    old, new = careful_and_hasty

    worse, better = replace_judge(old, new, margin=0.05), replace_judge(new, old, margin=0.05, figure="spearman")

    assert replaced_sentence(worse).startswith("Worse by more than the margin. Accuracy of run")
    begin = "Better by more than the margin. Spearman per context (Bradley-Terry) of run"
    assert replaced_sentence(better).startswith(begin)


def test_report_names_the_command_that_tests_it(capsys, careful_and_hasty):
    old, new = careful_and_hasty

    for options in ("--margin 0.6", "--margin 0.6 --figure spearman"):
        text = printed(capsys, "replaced", old.pk, new.pk, *options.split())
        assert f"“evenhand replaced {old.pk} {new.pk} {options}”" in text


@pytest.mark.usefixtures("researcher")
def test_page_asks_for_a_margin_between_the_first_two_runs(client, careful_and_hasty):
    old, new = careful_and_hasty

    answer = client.get(f"/datasets/{old.dataset_id}/replaced/")

    assert "Choose it before you look at the difference" in answer.content.decode()
    assert 'role="alert"' not in answer.content.decode()
    assert [answer.context["form"][name].value() for name in ("old", "new")] == [str(old.pk), str(new.pk)]


@pytest.mark.usefixtures("researcher")
def test_page_without_two_runs_leads_to_a_new_run(client, careful_and_hasty):
    old, new = careful_and_hasty
    hide(new)

    page = read(client, "dataset-replaced", old.dataset)

    assert "This needs two runs of one attribute." in page
    assert f'<a href="{reverse("run-new", args=[old.dataset_id])}">Start a run</a>' in page
