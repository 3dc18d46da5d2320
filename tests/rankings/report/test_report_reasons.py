"""Report rows where figures do not exist, of hard answers and of scores."""

from math import sqrt

import pytest

from evenhand.numerics import RANKINGS
from tests.rankings.report.report_figures import (
    ALL_SKIPPED,
    block_of_one_context,
    no_block,
    of_few_contexts,
    report_json,
    undefined,
)
from tests.rankings.studies import answers, compared, make_dataset, one_context, scored

pytestmark = pytest.mark.django_db


def test_report_rows_of_a_dataset_without_subsets_and_votes_have_only_all():
    dataset = make_dataset(one_context(1, 2))
    compared(dataset, answers("a b 0.7"))

    [row] = report_json(dataset)

    assert row["subset"] == "all"
    assert row["accuracy_macro"] == undefined("the dataset has no subsets", n=0)
    assert row["human"] == undefined("the attribute has no votes", n=0)


def test_report_rows_have_no_threshold_where_all_answers_are_hard():
    dataset = make_dataset(one_context(3, 2, 1))
    compared(dataset, answers("a b first", "b c second", "a c tie"))

    [row] = report_json(dataset)

    reason = "every p_first is 0, 1/2 or 1, so no threshold can be set"
    assert row["threshold"] == row["alpha"] == {"value": None, "undefined": reason}
    assert row["p_first_debiased"] == row["accuracy_debiased"] == undefined(reason, n=None)
    for ranking in ("win-ratio", "average-probability", "bradley-terry", "likelihood"):
        assert row["spearman"][ranking]["debiased"] == no_block(
            skipped=1, per_context=reason, pooled=reason, system=reason
        )
    for ranking in ("poe-bt", "poe-gaussian", "poe-gaussian-hard"):
        assert row["spearman"][ranking]["debiased"]["contexts"] == 1


def test_report_rows_skip_a_context_whose_comparisons_are_not_connected_where_the_ranking_needs_it():
    dataset = make_dataset(one_context(4, 3, 2, 1))
    compared(dataset, answers("a b 0.7", "c d 0.8"))

    [row] = report_json(dataset)

    counted = {ranking: blocks["raw"]["contexts"] for ranking, blocks in row["spearman"].items()}
    assert counted == {name: 0 if ranking.needs_connection else 1 for name, ranking in RANKINGS.items()}
    assert row["spearman"]["poe-bt"]["raw"]["undefined"]["per_context"] == ALL_SKIPPED


def test_report_rows_of_a_run_without_an_answer_have_reasons_for_every_figure():
    dataset = make_dataset(one_context(1, 2))
    compared(dataset, answers("a b unparsed", "b a error"))

    [row] = report_json(dataset)

    assert (row["comparisons"], row["unparsed"], row["errors"]) == (0, 1, 1)
    assert row["p_first"] == undefined("no comparison has an answer", n=0)
    figures = [row[name] for name in ("p_first", "order_agreement", "threshold", "alpha", "accuracy", "human")]
    assert all(figure["value"] is None and figure["undefined"] for figure in figures)
    assert {blocks["raw"]["contexts"] for blocks in row["spearman"].values()} == {0}


def test_report_rows_of_scores_compare_every_unordered_pair():
    dataset = make_dataset()
    scores = "context,attribute,candidate,score\nc0,overall,a,5\nc0,overall,b,7\nc0,overall,c,1\nc1,overall,a,\n"
    run = scored(dataset, scores)

    row, *_ = report_json(dataset)

    assert (row["run"], row["method"], row["comparisons"], row["unparsed"]) == (run.pk, "scoring", 3, 1)
    assert row["accuracy"] == of_few_contexts(2 / 3, 3)
    assert row["spearman"] == {"score": {"raw": block_of_one_context(0.5, skipped=1, pooled=0.5, system=0.5)}}
    assert row["kendall"]["score"]["raw"]["per_context"] == pytest.approx(1 / 3)
    assert row["pearson"]["score"]["raw"]["per_context"] == pytest.approx(4 / sqrt(2 * 56 / 3))
    assert row["kendall_c"]["score"]["raw"]["per_context"] == pytest.approx(2 * 3 * 1 / (3**2 * 2))
    assert row["accuracy_with_ties"].keys() == {"score"}
    assert row["accuracy_with_ties"]["score"]["raw"]["per_context"] == pytest.approx(2 / 3)
    no_order = "a run that scores candidates one by one shows no pair, so it has no position bias"
    assert row["p_first"]["undefined"] == row["p_second"]["undefined"] == row["threshold"]["undefined"] == no_order
    assert row["flip_rate"] == row["order_agreement"]
    assert row["order_agreement"]["undefined"] == row["accuracy_debiased"]["undefined"] == no_order
    one_order = "a run that scores candidates one by one shows no pair in two orders"
    assert row["accuracy_both_orders"] == row["accuracy_averaged"]
    assert row["accuracy_averaged"] == {"value": None, "low": None, "high": None, "n": 0, "undefined": one_order}


def test_trust_checks_of_scores_leave_out_what_is_of_pairs():
    dataset = make_dataset()
    scored(dataset, "context,attribute,candidate,score\nc0,overall,a,5\nc0,overall,b,7\nc1,overall,a,\n")

    row, *_ = report_json(dataset)

    assert {check["check"]: check["state"] for check in row["trust"]} == {
        "varied-answers": "cannot tell",
        "better-than-constant": "cannot tell",
        "order-beyond-position": "not applicable",
        "enough-contexts": "failed",
        "connected": "not applicable",
        "both-orders": "not applicable",
        "chosen-by-answers": "not applicable",
        "unparsed": "failed",
        "errors": "passed",
        "label-mass": "not applicable",
        "human-overlap": "failed",
        "steering": "note",
    }
    assert row["trust"][4]["why"] == "a run that scores candidates one by one shows no pair"
    assert row["trust"][7]["why"] == "1 of 3 scores could not be parsed; at most 1% is good"
