"""Judgments that others recorded on LLMBar, against the figures that are published of them."""

from collections import Counter, defaultdict

import pytest

from evenhand.formats import SourceFile, read_dataset
from judging.services.datasets.dataset_import import import_dataset
from judging.services.datasets.recorded.answer_rows import COMPARISONS
from judging.services.datasets.recorded.recorded_runs import import_judgments
from rankings.report.report_choice import ReportChoice, SubsetGroup
from tests.llmbar import PUBLISHED, comparisons_of, read_verdicts, subset_of
from tests.rankings.report.report_figures import report_json

pytestmark = [pytest.mark.django_db, pytest.mark.realdata]


UNPARSED = {("ChatGPT", "CoT"), ("PaLM2", "Vanilla")}
"""Judges with verdicts on Natural that could not be read."""


@pytest.fixture(scope="module")
def verdicts(shared_data):
    """Return (judge, strategy) -> their verdicts on the two sets."""
    found = defaultdict(list)
    for verdict in read_verdicts(shared_data):
        if subset_of(verdict) in ("Natural", "Neighbor"):
            found[verdict["judge"], verdict["strategy"]].append(verdict)
    return found


@pytest.fixture(scope="module")
def llmbar(rows_of_module, shared_data, verdicts):
    """Two sets of LLMBar with the verdicts of every judge on them. Name of a run's judge -> run."""
    folder = shared_data / "data" / "llmbar"
    paths = [folder / "Natural.json", folder / "Adversarial" / "Neighbor.json"]
    record = read_dataset([SourceFile(path.name, path.read_bytes()) for path in paths])
    dataset = import_dataset(record, name="LLMBar", sha256="0" * 64)
    return {
        key: import_judgments(
            COMPARISONS, list(comparisons_of(of_judge, *key)), dataset=dataset, judge_name="-".join(key)
        )[0]
        for key, of_judge in verdicts.items()
    }


def rows_of(llmbar, judge, strategy, **choice):
    run = llmbar[judge, strategy]
    return {row["subset"]: row for row in report_json(run.dataset, runs=[run], choice=ReportChoice(**choice))}


@pytest.mark.parametrize(("judge", "strategy"), PUBLISHED)
def test_accuracy_is_the_published_one_which_counts_unparsed_verdicts_as_wrong(llmbar, judge, strategy):
    usual, counted = rows_of(llmbar, judge, strategy), rows_of(llmbar, judge, strategy, unparsed="wrong")

    for subset, n, published in zip(("Natural", "Neighbor"), (200, 268), PUBLISHED[judge, strategy], strict=True):
        accuracy, left_out = counted[subset]["accuracy"], usual[subset]["accuracy"]
        assert (round(100 * accuracy["value"], 1), accuracy["n"]) == (published, n)
        assert left_out["value"] * left_out["n"] == pytest.approx(accuracy["value"] * n)
        assert usual[subset]["unparsed"] == n - left_out["n"]
    assert usual["Natural"]["unparsed"] > 0 or (judge, strategy) not in UNPARSED


def test_bias_figures_are_those_counted_from_the_verdicts(llmbar, verdicts):
    of_judge = [verdict for verdict in verdicts["ChatGPT", "Vanilla"] if subset_of(verdict) == "Neighbor"]
    both = Counter((str(verdict["winner_ab"]), str(verdict["winner_ba"])) for verdict in of_judge)

    row = rows_of(llmbar, "ChatGPT", "Vanilla")["Neighbor"]

    firsts = 2 * both["1", "2"] + both["1", "1"] + both["2", "2"]
    assert sum(both.values()) == 134
    assert (row["p_first"]["value"], row["p_first"]["n"]) == (firsts / 268, 268)
    agreement = row["order_agreement"]
    assert (agreement["value"], agreement["n"]) == ((both["1", "1"] + both["2", "2"]) / 134, 134)


def test_accuracy_in_the_given_order_is_that_counted_from_the_verdicts_of_every_judge(llmbar, verdicts):
    runs, choice = list(llmbar.values()), ReportChoice(order="given", unparsed="wrong")
    rows = {
        (row["run"], row["subset"]): row["accuracy"] for row in report_json(runs[0].dataset, runs=runs, choice=choice)
    }

    for key, run in llmbar.items():
        for subset, items in (("Natural", 100), ("Neighbor", 134)):
            right = sum(one["winner_ab"] == one["label"] for one in verdicts[key] if subset_of(one) == subset)
            figure = rows[run.pk, subset]
            assert (figure["value"], figure["n"]) == (pytest.approx(right / items), items), (key, subset)


def test_group_is_pooled_and_has_the_mean_of_its_subsets(llmbar):
    group = SubsetGroup("Both sets", ("Natural", "Neighbor"))

    rows = rows_of(llmbar, "GPT-4", "Vanilla", unparsed="wrong", groups=(group,))

    natural, neighbor = (rows[subset]["accuracy"]["value"] for subset in group.subsets)
    assert rows["Both sets"]["accuracy"]["value"] == pytest.approx((200 * natural + 268 * neighbor) / 468)
    assert rows["Both sets"]["accuracy_macro"]["value"] == pytest.approx((natural + neighbor) / 2)
    assert round(100 * rows["Both sets"]["accuracy_macro"]["value"], 1) == 87.1
