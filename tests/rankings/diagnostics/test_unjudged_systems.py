"""Win rates of systems that no person judged, by page, API and command."""

from itertools import permutations

import numpy as np
import pytest

from tests.commands import printed_json
from tests.rankings.pages import read
from tests.rankings.studies import answers, compared, make_dataset, one_context, scored

HEADER = "context,attribute,first,second,p_first,choice"
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("researcher")]


def judged_run(judged, *, judge="judge", choices=False):
    """Three contexts with `judged` systems that have scores, and one more, "new"; a judge of all ordered pairs."""
    rng, systems = np.random.default_rng(judged), [*(f"s{number}" for number in range(judged)), "new"]
    contexts, lines = [], [HEADER]
    for context in ("c0", "c1", "c2"):
        values = {
            name: round(float(value), 2) for name, value in zip(systems, rng.normal(size=judged + 1), strict=True)
        }
        candidates = [
            {"candidate": name, "system": name, "text": name}
            | ({} if name == "new" else {"scores": {"overall": values[name]}})
            for name in systems
        ]
        contexts.append({"context": context, "text": context, "candidates": candidates})
        for first, second in permutations(systems, 2):
            p = 1 / (1 + np.exp(2 * (values[second] - values[first]) + rng.normal()))
            answer = f",{'first' if p > 0.5 else 'second'}" if choices else f"{p:.3f},"
            lines.append(f"{context},overall,{first},{second},{answer}")
    return compared(make_dataset(contexts), "\n".join(lines) + "\n", judge=judge)


def test_interval_of_a_new_system_has_the_half_width(capsys, client):
    run = judged_run(19)

    found = printed_json(capsys, "diagnostics", run.pk)["unjudged_systems"]

    [new] = found["systems"]
    half, rate = found["half_width"], new["win_rate"]
    assert (found["level"]["value"], half["n"], new["system"], rate["n"]) == (0.95, 19, "new", 114)
    assert rate["high"] - rate["value"] == pytest.approx(half["value"])
    assert rate["value"] - rate["low"] == pytest.approx(half["value"])
    assert client.get(f"/api/runs/{run.pk}/diagnostics/").json()["unjudged_systems"] == found
    page = read(client, "run-diagnostics", run)
    assert "People judged 19 systems." in page
    assert "Systems that no person judged" in page


def test_few_systems_have_no_interval_and_the_level_that_they_allow(capsys, client):
    run = judged_run(4)

    found = printed_json(capsys, "diagnostics", run.pk)["unjudged_systems"]

    [new] = found["systems"]
    assert found["level"]["value"] == pytest.approx(4 / 5)
    assert (new["win_rate"]["low"], new["win_rate"]["undefined"]) == (
        None,
        "a 95 % interval needs 19 systems that people judged, not 4",
    )
    assert "in 80.0\u202f% of cases. People judged 4 systems. A 95 % interval needs 19 of them." in read(
        client, "run-diagnostics", run
    )


def test_calibrated_run_has_the_figures_of_its_judge_and_a_jury_of_two_has_none(capsys):
    run = judged_run(4)
    rows = run.comparisons.values_list("context__key", "first__key", "second__key", "p_first")
    lines = [f"{context},overall,{first},{second},{1 - p:.3f}," for context, first, second, p in rows]
    other = compared(run.dataset, "\n".join([HEADER, *lines]) + "\n", judge="other")
    words = ("--dataset", run.dataset.name, "--by", "weighted", "--run")

    calibrated, jury = (
        printed_json(capsys, "jury", f"of {len(members)}", *words, *members)["run"]
        for members in ([run.pk], [run.pk, other.pk])
    )

    of_judge, of_calibrated, of_jury = (
        printed_json(capsys, "diagnostics", number)["unjudged_systems"] for number in (run.pk, calibrated, jury)
    )
    assert of_calibrated == of_judge
    assert of_judge["half_width"]["value"] > 0
    assert of_jury["half_width"]["undefined"].startswith("the jury’s weights were learned from people’s answers")


@pytest.mark.parametrize(
    ("run", "why"),
    [
        (lambda: judged_run(4, choices=True), "every answer is a choice, 0, 1/2 or 1, and no probability"),
        (lambda: judged_run(2), "people judged 2 of the systems; residuals need 3"),
        (
            lambda: compared(make_dataset(one_context(3, 2)), answers("a b 0.7", "b a 0.4")),
            "the run compares fewer than two known systems",
        ),
        (
            lambda: scored(make_dataset(), "context,attribute,candidate,score\nc0,overall,a,3\nc0,overall,b,1\n"),
            "a run that scores candidates one by one gives no probability",
        ),
    ],
)
def test_page_and_command_say_why_there_is_none(capsys, client, run, why):
    run = run()

    found = printed_json(capsys, "diagnostics", run.pk)["unjudged_systems"]

    assert (found["half_width"]["value"], found["half_width"]["undefined"], found["systems"]) == (None, why, [])
    assert f"Win rates of systems that no person judged: – {why}." in read(client, "run-diagnostics", run)
