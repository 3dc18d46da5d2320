"""Report rows, on an example worked by hand, and where figures do not exist."""

import json
from math import log, sqrt

import pytest
from django.urls import reverse

from evenhand.numerics import RANKING_TITLES, RANKINGS
from evenhand.numerics.correlation.soft_pairwise_accuracy import NO_COMMON_CONTEXTS
from judging.models import Vote
from tests.commands import printed_json
from tests.rankings.pages import read
from tests.rankings.report.report_figures import (
    ALL_SKIPPED,
    FEW_CONTEXTS,
    block_of_one_context,
    no_block,
    of_few_contexts,
    report_json,
    undefined,
)
from tests.rankings.studies import WORKED_ANSWERS, WORKED_CONTEXTS, compared, make_dataset, one_context, with_copies

pytestmark = pytest.mark.django_db

TOO_FEW = "fewer than two candidates have both a human score and a score of the ranking"
NO_SYSTEMS = "fewer than two systems have candidates with both scores"

# b and c have equal win ratios and equal mean probabilities; decided at the threshold they differ, as by likelihood.
TIED, ORDERED = {"spearman": sqrt(3) / 2, "kendall": 2 / sqrt(6)}, {"spearman": 1, "kendall": 1}
WORKED_CORRELATIONS = {
    "win-ratio": (TIED, ORDERED),
    "average-probability": (TIED, ORDERED),
    "bradley-terry": (TIED, ORDERED),
    "poe-bt": (TIED, TIED),
    "poe-gaussian": (TIED, TIED),
    "poe-gaussian-hard": (TIED, TIED),
    "likelihood": (ORDERED, ORDERED),
}


def correlations(name, *, skipped):
    """The block of a coefficient in the worked example, where only context c0 counts."""
    return {
        ranking: {
            kind: block_of_one_context(values[name], skipped=skipped, pooled=values[name], system=values[name])
            for kind, values in zip(("raw", "debiased"), both, strict=True)
        }
        for ranking, both in WORKED_CORRELATIONS.items()
    }


def worked(blocks):
    """The blocks of the rankings that the example works out."""
    return {ranking: blocks[ranking] for ranking in WORKED_CORRELATIONS}


@pytest.fixture(scope="module")
def worked_rows(rows_of_module):
    dataset = make_dataset(name="Worked")
    run = compared(dataset)
    return run, report_json(dataset)


def test_report_rows_of_all_contexts_are_those_worked_by_hand(worked_rows):
    run, [row, _, _] = worked_rows

    expected = {
        "run": run.pk,
        "judge": "judge",
        "method": "comparative",
        "prompt": "recorded",
        "attribute": "overall",
        "subset": "all",
        "comparisons": 7,
        "unparsed": 1,
        "errors": 1,
        "p_first": of_few_contexts(4.5 / 7, 7),
        "order_agreement": of_few_contexts(1 / 3, 3),
        "threshold": {"value": 0.6},
        "alpha": {"value": pytest.approx(0.4 / 0.6)},
        "p_first_debiased": of_few_contexts(3.5 / 7, 7),
        "accuracy": of_few_contexts(5.5 / 7, 7),
        "accuracy_debiased": of_few_contexts(6.5 / 7, 7),
        "accuracy_both_orders": of_few_contexts(1 / 3, 3),
        "accuracy_macro": of_few_contexts((4.5 / 6 + 1) / 2, 7) | {"undefined": f"in a subset, {FEW_CONTEXTS}"},
        "human": of_few_contexts(0, 1),
    }
    assert {name: row[name] for name in expected} == expected
    assert worked(row["spearman"]) == correlations("spearman", skipped=1)
    assert worked(row["kendall"]) == correlations("kendall", skipped=1)


def test_report_rows_have_further_figures_worked_by_hand(worked_rows):
    _, [row, _, _] = worked_rows

    assert row["p_second"] == of_few_contexts(2.5 / 7, 7)
    assert row["flip_rate"] == of_few_contexts(2 / 3, 3)
    assert row["human_p_first"] == of_few_contexts(2 / 3, 3)
    assert row["accuracy_averaged"] == of_few_contexts(1, 3)
    assert row["pearson"]["win-ratio"]["raw"]["per_context"] == pytest.approx(sqrt(3) / 2)
    assert row["kendall_c"]["win-ratio"]["raw"]["per_context"] == pytest.approx(2 * 2 * 2 / (3**2 * 1))
    with_ties = block_of_one_context(2 / 3, skipped=1, pooled=2 / 3, system=2 / 3)
    thresholds = {f"{level}_epsilon": 0 for level in ("per_context", "pooled", "system")}
    pairs = {f"{level}_pairs": 3 for level in ("per_context", "pooled", "system")}
    all_tied = {f"{level}_all_tied": 0 for level in ("per_context", "pooled", "system")}
    assert row["accuracy_with_ties"]["win-ratio"]["raw"] == with_ties | thresholds | pairs | all_tied
    assert [row[name].keys() for name in ("pearson", "kendall_c", "accuracy_with_ties")] == [row["spearman"].keys()] * 3


def test_kappa_and_label_mass_stand_in_the_rows_of_subsets_too():
    dataset = make_dataset()
    lines = [
        "context,attribute,first,second,p_first,raw_first,raw_second,raw_tie",
        f"c0,overall,a,b,0.7,{log(0.2)},{log(0.1)},",
        f"c0,overall,b,a,0.4,{log(0.3)},{log(0.4)},{log(0.1)}",
        "c0,overall,a,c,0.7,-900,,",
        "c1,overall,a,b,0.2,,,",
    ]
    compared(dataset, "\n".join(lines) + "\n")

    whole, scored, voted = report_json(dataset)

    assert (whole["label_mass"]["value"], whole["label_mass"]["n"]) == (pytest.approx((0.3 + 0.8) / 3), 3)
    assert whole["label_mass"]["below"] == pytest.approx(2 / 3)
    assert scored["label_mass"] == whole["label_mass"]
    assert voted["label_mass"]["value"] is voted["label_mass"]["below"] is None
    assert voted["label_mass"]["undefined"] == "no answer has log-probabilities of the label words"
    assert [row["kappa"]["n"] for row in (whole, scored, voted)] == [4, 3, 1]
    checks = {check["check"]: check for check in whole["trust"]}
    assert (checks["label-mass"]["state"], checks["label-mass"]["value"]) == ("note", whole["label_mass"]["value"])


def test_report_rows_have_every_trust_check_with_its_number(worked_rows):
    _, [row, _, voted] = worked_rows

    assert [(check["check"], check["state"], check["value"], check["limit"]) for check in row["trust"]] == [
        ("varied-answers", "cannot tell", 4 / 7, 0.975),
        ("better-than-constant", "cannot tell", 1.5 / 7, 0),
        ("order-beyond-position", "cannot tell", 1 / 3, 1 / 4),
        ("enough-contexts", "failed", 2, 10),
        ("connected", "passed", 1, 1),
        ("both-orders", "note", 3 / 4, 1),
        ("chosen-by-answers", "passed", 0, 0),
        ("unparsed", "failed", 1 / 9, 0.01),
        ("errors", "failed", 1 / 9, 0.01),
        ("label-mass", "not applicable", None, 0.5),
        ("human-overlap", "passed", 3, 2),
        ("steering", "note", 2, 0),
    ]
    assert row["trust"][7]["why"] == "1 of 9 comparisons could not be parsed; at most 1% is good"
    assert [check["needed"] for check in row["trust"] if "needed" in check] == [8]
    assert [check["state"] for check in voted["trust"]] == [
        *("cannot tell", "cannot tell", "not applicable", "failed", "passed", "note", "passed"),
        *("failed", "failed", "not applicable", "passed", "passed"),
    ]


def test_null_of_contexts_needed_has_a_reason(worked_rows):
    _, [_, _, voted] = worked_rows

    check = next(one for one in voted["trust"] if one["check"] == "better-than-constant")

    assert (check["value"], check["needed"]) == (0, None)
    assert check["undefined"].startswith("on these contexts the judge is not better")


def test_null_of_contexts_needed_on_two_contexts_is_not_blamed_on_a_better_judge(capsys):
    dataset = make_dataset(
        [{**one_context(*scores)[0], "context": key} for key, scores in (("c", (2, 1)), ("d", (1, 2)))]
    )
    run = compared(dataset, "context,attribute,first,second,p_first\nc,overall,a,b,0.8\nd,overall,a,b,0.2\n")

    [row] = printed_json(capsys, "report", "--dataset", dataset.name, "--run", run.pk)["rows"]
    check = next(one for one in row["trust"] if one["check"] == "better-than-constant")

    assert (check["value"], check["low"], check["high"]) == (0.5, None, None)
    assert check["undefined"] == "an interval needs at least three contexts"


def test_report_rows_of_a_subset_use_the_threshold_of_the_run(worked_rows):
    _, [_, row, _] = worked_rows

    assert row["subset"] == "scored"
    assert (row["comparisons"], row["unparsed"], row["errors"]) == (6, 0, 0)
    assert row["p_first"] == of_few_contexts(4.5 / 6, 6)
    assert row["threshold"] == {"value": 0.6}
    assert row["p_first_debiased"] == of_few_contexts(3.5 / 6, 6)
    assert row["accuracy"] == of_few_contexts(4.5 / 6, 6)
    assert row["accuracy_debiased"] == of_few_contexts(5.5 / 6, 6)
    assert "accuracy_macro" not in row
    assert row["human"]["n"] == 0
    assert worked(row["spearman"]) == correlations("spearman", skipped=0)
    assert worked(row["kendall"]) == correlations("kendall", skipped=0)


def test_report_rows_of_a_subset_without_human_scores_take_the_majority_of_votes(worked_rows):
    _, [_, _, row] = worked_rows

    assert row["subset"] == "voted"
    assert (row["comparisons"], row["unparsed"], row["errors"]) == (1, 1, 1)
    assert row["accuracy"] == of_few_contexts(1, 1)
    assert row["order_agreement"] == undefined("no pair was decided in both orders", n=0)
    assert row["human"] == of_few_contexts(0, 1)
    assert row["spearman"]["win-ratio"]["raw"] == no_block(
        skipped=1, per_context=ALL_SKIPPED, pooled=TOO_FEW, system=NO_SYSTEMS
    )


def test_report_rows_put_all_first_and_subsets_in_order_of_appearance():
    dataset = make_dataset(list(reversed(WORKED_CONTEXTS)))
    runs = [compared(dataset, judge=name) for name in ("one", "two")]

    rows = report_json(dataset)

    assert [(row["run"], row["subset"]) for row in rows] == [
        (run.pk, subset) for run in runs for subset in ("all", "voted", "scored")
    ]


def test_report_rows_are_json_without_nan(worked_rows):
    _, rows = worked_rows

    assert json.loads(json.dumps(rows, allow_nan=False)) == rows


def test_report_rows_of_chosen_runs_keep_their_order():
    dataset = make_dataset()
    runs = [compared(dataset, judge=name) for name in ("one", "two", "three")]

    rows = report_json(dataset, runs=[runs[2], runs[0]])

    assert [row["judge"] for row in rows if row["subset"] == "all"] == ["three", "one"]


@pytest.mark.parametrize("n_runs", [1, 4])
def test_report_rows_that_were_computed_before_need_the_same_queries_for_any_number_of_runs(
    n_runs, django_assert_num_queries
):
    dataset = make_dataset()
    for number in range(n_runs):
        compared(dataset, judge=f"judge {number}")
    before = report_json(dataset)

    with django_assert_num_queries(5):  # runs, judges, attributes; state of answers and votes
        again = report_json(dataset)

    assert again == before


def test_report_rows_follow_a_vote_that_is_changed():
    dataset = make_dataset()
    compared(dataset)
    before = report_json(dataset)[0]

    Vote.objects.filter(rater="h2").delete()

    after = report_json(dataset)[0]
    assert (before["accuracy"]["n"], after["accuracy"]["n"]) == (7, 6)


def test_every_ranking_is_reported(worked_rows):
    _, [row, *_] = worked_rows

    assert list(row["spearman"]) == list(row["kendall"]) == list(RANKINGS)


def test_rows_of_a_run_are_the_same_beside_another_of_the_same_pairs():
    dataset = make_dataset()
    answers = WORKED_ANSWERS.replace("0.9", "0.2").replace("0.7", "0.1").replace("unparsed", "tie")
    runs = [compared(dataset), compared(dataset, judge="another"), compared(dataset, answers, judge="third")]

    together = report_json(dataset, use_cache=False)

    assert together == [row for run in runs for row in report_json(dataset, runs=[run], use_cache=False)]
    assert together == report_json(dataset)


def test_soft_pairwise_accuracy_has_its_pairs_of_systems_and_contexts_or_why_there_is_none():
    contexts, worked = with_copies(WORKED_CONTEXTS, WORKED_ANSWERS)
    dataset, alone = make_dataset(contexts), make_dataset(name="one context with scores")
    compared(dataset, worked)
    compared(alone, WORKED_ANSWERS)

    [row, *_], [lone, *_] = report_json(dataset), report_json(alone)

    both = row["soft_pairwise_accuracy"]["win-ratio"]
    assert both["raw"].keys() == both["debiased"].keys() == {"value", "pairs", "contexts"}
    assert 0 <= both["raw"]["value"] <= 1
    assert (both["raw"]["pairs"], both["raw"]["contexts"]) == (3, 3)
    none = {"value": None, "pairs": 0, "contexts": 0, "undefined": NO_COMMON_CONTEXTS}
    assert lone["soft_pairwise_accuracy"]["win-ratio"]["raw"] == none


def test_page_of_a_run_shows_soft_pairwise_accuracy_of_every_ranking_or_why_there_is_none(client, researcher):
    client.force_login(researcher)
    contexts, worked = with_copies(WORKED_CONTEXTS, WORKED_ANSWERS)
    run = compared(make_dataset(contexts), worked)
    alone = compared(make_dataset(name="one context with scores"), WORKED_ANSWERS)

    shown = client.get(reverse("run-results", args=[run.pk])).context["soft_pairwise"]

    [row, *_] = report_json(run.dataset)
    cells = {line.name: line.cells for section in shown.sections for line in section.rows}
    expected = [row["soft_pairwise_accuracy"][name]["raw"]["value"] for name in RANKINGS]
    assert [float(cells[RANKING_TITLES[name]][0].sort_value) for name in RANKINGS] == pytest.approx(expected)
    page = read(client, "run-results", run)
    assert "reference/report/#soft_pairwise_accuracy" in page
    assert NO_COMMON_CONTEXTS not in page
    assert NO_COMMON_CONTEXTS in read(client, "run-results", alone)
