"""Bounds that the figures of a run must clear: states, contexts needed and exit statuses."""

import json

import pytest
from django.core.management import call_command
from scipy.stats import t

from tests.commands import printed_json, refused
from tests.rankings.studies import compared, make_dataset, one_context

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("forget_reports")]


def judged(*, contexts, wrong):
    """A run that orders a pair as people do in all contexts but the last ones."""
    dataset = make_dataset([{**one_context(2, 1)[0], "context": f"c{number}"} for number in range(contexts)])
    lines = [f"c{number},overall,a,b,{0.2 if number >= contexts - wrong else 0.8}" for number in range(contexts)]
    return compared(dataset, "\n".join(["context,attribute,first,second,p_first", *lines]) + "\n")


def gate(capsys, run, *bounds):
    """Return the exit status and the report."""
    try:
        return 0, printed_json(capsys, "gate", run.pk, *bounds)
    except SystemExit as ended:
        return ended.code, json.loads(capsys.readouterr().out)


def test_state_and_exit_status_follow_the_whole_interval_and_a_failed_bound_outweighs_others(capsys):
    run, states = judged(contexts=40, wrong=4), {0: "passed", 1: "failed", 3: "undecided"}
    bounds = {
        ("--at-least", "accuracy=0.5"): 0,
        ("--at-least", "accuracy=0.999"): 1,
        ("--at-least", "accuracy=0.85"): 3,
        ("--at-most", "accuracy=0.999"): 0,
        ("--at-most", "accuracy=0.5"): 1,
        ("--at-most", "accuracy=0.95"): 3,
    }

    for bound, status in bounds.items():
        ended, report = gate(capsys, run, *bound)
        [one] = report["bounds"]
        assert (ended, report["state"], one["state"]) == (status, states[status], states[status]), bound
        assert one["observed"]["value"] == pytest.approx(0.9)
    ended, report = gate(capsys, run, "--at-least", "accuracy=0.5", "accuracy=0.85", "accuracy=0.999")
    assert [one["state"] for one in report["bounds"]] == ["passed", "undecided", "failed"]
    assert (ended, report["state"]) == (1, "failed")


def test_contexts_needed_are_the_least_whose_interval_would_leave_out_the_limit(capsys):
    _, report = gate(capsys, judged(contexts=40, wrong=4), "--at-least", "accuracy=0.85", "accuracy=0.9")

    one, on_its_limit = report["bounds"]
    half = one["observed"]["value"] - one["observed"]["low"]
    deviation = half / t.ppf(0.975, 39) * 40**0.5
    needed = next(m for m in range(3, 10_000) if t.ppf(0.975, m - 1) * deviation / m**0.5 < 0.05)
    assert one["needed"] == needed > 40
    assert (on_its_limit["state"], on_its_limit["needed"]) == ("undecided", None)


def test_too_few_contexts_leave_a_bound_undecided_and_say_why(capsys):
    ended, report = gate(capsys, judged(contexts=2, wrong=0), "--at-least", "accuracy=0.5")

    [one] = report["bounds"]
    assert (ended, one["state"], one["observed"]["low"]) == (3, "undecided", None)
    assert "contexts" in one["why"]


def test_a_trust_check_whose_interval_is_missing_here_is_undecided(capsys):
    bounds = ("trust.better-than-constant=0.1", "trust.label-mass=0.1")
    ended, report = gate(capsys, judged(contexts=2, wrong=0), "--at-least", *bounds)

    assert (ended, [one["observed"]["value"] for one in report["bounds"]]) == (3, [0.0, None])
    assert [one["why"] for one in report["bounds"]] == [
        "on these contexts the judge is not better, so no number of them would show that it is; "
        "an interval needs at least three contexts",
        "no answer has log-probabilities of the label words",
    ]


def test_a_bound_that_cannot_be_decided_is_bad_input(capsys):
    run = judged(contexts=3, wrong=0)
    problems = {
        (): "give a bound, such as at least accuracy=0.8",
        ("--at-least", "accuracy"): 'at_least: "accuracy" — write FIGURE=VALUE, such as accuracy=0.8',
        ("--at-least", "acuracy=0.5"): 'at_least: there is no figure "acuracy" (did you mean "accuracy"?)',
        ("--at-most", "comparisons=5"): "at_most: comparisons never has an interval",
        ("--at-most", "accuracy=nan"): "at_most: nan is no limit",
    }

    for bound, problem in problems.items():
        assert refused(capsys, "gate", run.pk, *bound)[0].startswith(problem)


def test_bounds_of_one_command_are_all_reported_at_once(capsys):
    run = judged(contexts=3, wrong=0)

    with pytest.raises(SystemExit):
        call_command("gate", str(run.pk), "--at-least", "accuracy=0.1", "--at-most", "p_first=0.99")

    assert capsys.readouterr().out.count("accuracy") == 1
