"""Judgments that others recorded on LLMBar, against the figures that are published of them."""

from collections import Counter

import pytest

from evenhand.formats import SourceFile, read_dataset
from judging.services.datasets.dataset_import import import_dataset
from judging.services.datasets.recorded.recorded_judgments import import_judgments
from judging.services.datasets.recorded.recorded_rows import COMPARISONS
from rankings.report.report_choice import ReportChoice, SubsetGroup
from tests.llmbar import PUBLISHED, comparisons_of, read_verdicts, subset_of
from tests.rankings.report.report_figures import report_json

pytestmark = [pytest.mark.django_db, pytest.mark.realdata]


@pytest.fixture(scope="module")
def verdicts(shared_data):
    return read_verdicts(shared_data)


@pytest.fixture
def llmbar(shared_data):
    folder = shared_data / "data" / "llmbar"
    paths = [folder / "Natural.json", folder / "Adversarial" / "Neighbor.json"]
    record = read_dataset([SourceFile(path.name, path.read_bytes()) for path in paths])
    return import_dataset(record, name="LLMBar", sha256="0" * 64)


def rows_of(llmbar, verdicts, judge, strategy, **choice):
    records = list(comparisons_of(verdicts, judge, strategy))
    [run] = import_judgments(COMPARISONS, records, dataset=llmbar, judge_name=f"{judge}-{strategy}")
    return {row["subset"]: row for row in report_json(llmbar, runs=[run], choice=ReportChoice(**choice))}


@pytest.mark.parametrize(
    ("judge", "strategy", "natural", "neighbor"),
    [
        ("GPT-4", "Vanilla", 0.955, 0.787),
        ("GPT-4", "Vanilla_NoRules", 0.935, 0.642),
        ("GPT-4", "CoT", 0.945, 0.750),
        ("ChatGPT", "Vanilla", 0.815, 0.194),
        ("LLaMA2", "Vanilla", 0.805, 0.246),
        ("Falcon", "Vanilla", 0.740, 0.504),
    ],
)
def test_accuracy_over_both_orders_is_the_published_one(llmbar, verdicts, judge, strategy, natural, neighbor):
    rows = rows_of(llmbar, verdicts, judge, strategy)

    assert (round(rows["Natural"]["accuracy"]["value"], 3), round(rows["Neighbor"]["accuracy"]["value"], 3)) == (
        natural,
        neighbor,
    )


@pytest.mark.parametrize(("judge", "strategy", "published"), [("ChatGPT", "CoT", 0.740), ("PaLM2", "Vanilla", 0.830)])
def test_accuracy_leaves_out_the_verdicts_that_the_published_one_counts_as_wrong(
    llmbar, verdicts, judge, strategy, published
):
    row = rows_of(llmbar, verdicts, judge, strategy)["Natural"]

    right = row["accuracy"]["value"] * row["accuracy"]["n"]
    assert row["unparsed"] == 200 - row["accuracy"]["n"] > 0
    assert round(right / 200, 3) == published


def test_bias_figures_are_those_counted_from_the_verdicts(llmbar, verdicts):
    of_judge = [
        verdict
        for verdict in verdicts
        if (verdict["judge"], verdict["strategy"], subset_of(verdict)) == ("ChatGPT", "Vanilla", "Neighbor")
    ]
    both = Counter((str(verdict["winner_ab"]), str(verdict["winner_ba"])) for verdict in of_judge)

    row = rows_of(llmbar, verdicts, "ChatGPT", "Vanilla")["Neighbor"]

    firsts = 2 * both["1", "2"] + both["1", "1"] + both["2", "2"]
    assert sum(both.values()) == 134
    assert (row["p_first"]["value"], row["p_first"]["n"]) == (firsts / 268, 268)
    agreement = row["order_agreement"]
    assert (agreement["value"], agreement["n"]) == ((both["1", "1"] + both["2", "2"]) / 134, 134)


@pytest.mark.parametrize(("judge", "strategy"), PUBLISHED)
def test_accuracy_with_unparsed_verdicts_as_wrong_is_the_published_one(llmbar, verdicts, judge, strategy):
    rows = rows_of(llmbar, verdicts, judge, strategy, unparsed="wrong")

    accuracies = [rows[subset]["accuracy"] for subset in ("Natural", "Neighbor")]
    assert tuple(round(100 * one["value"], 1) for one in accuracies) == PUBLISHED[judge, strategy]
    assert [one["n"] for one in accuracies] == [200, 268]


def test_accuracy_in_the_given_order_is_that_counted_from_the_verdicts_of_every_judge(llmbar, verdicts):
    for judge, strategy in dict.fromkeys((verdict["judge"], verdict["strategy"]) for verdict in verdicts):
        rows = rows_of(llmbar, verdicts, judge, strategy, order="given", unparsed="wrong")
        for subset, items in (("Natural", 100), ("Neighbor", 134)):
            right = sum(
                verdict["winner_ab"] == verdict["label"]
                for verdict in verdicts
                if (verdict["judge"], verdict["strategy"], subset_of(verdict)) == (judge, strategy, subset)
            )
            figure = rows[subset]["accuracy"]
            assert (figure["value"], figure["n"]) == (pytest.approx(right / items), items), (judge, strategy, subset)


def test_group_is_pooled_and_has_the_mean_of_its_subsets(llmbar, verdicts):
    group = SubsetGroup("Both sets", ("Natural", "Neighbor"))

    rows = rows_of(llmbar, verdicts, "GPT-4", "Vanilla", unparsed="wrong", groups=(group,))

    natural, neighbor = (rows[subset]["accuracy"]["value"] for subset in group.subsets)
    assert rows["Both sets"]["accuracy"]["value"] == pytest.approx((200 * natural + 268 * neighbor) / 468)
    assert rows["Both sets"]["accuracy_macro"]["value"] == pytest.approx((natural + neighbor) / 2)
    assert round(100 * rows["Both sets"]["accuracy_macro"]["value"], 1) == 87.1
