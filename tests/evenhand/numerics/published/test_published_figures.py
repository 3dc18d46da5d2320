"""Published figures recomputed from recorded judgments; where a published rule differs, the test says so.

PRD and PandaLM have files of their own. Some published figures are not recomputed.
LLMBar: GPTInst, GPTOut, Manual and ratings of single outputs, because their verdicts are not recorded.
Evalica: Elo, eigenvector, PageRank, Newman's scores and the mean of win rates over opponents, because we do not rank by
them.
"""

import csv
from collections import defaultdict

import numpy as np
import pytest

from evenhand.numerics.accuracy import accuracy, first_share, human_preferences, order_agreement
from evenhand.numerics.agreement.krippendorff import krippendorff_alpha
from evenhand.numerics.agreement.rating_tables import RatingTable
from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.correlation.correlations import correlate
from evenhand.numerics.correlation.human_scores import HumanScores, MatchedScores
from evenhand.numerics.fitting.logistic_scores import logistic_scores
from evenhand.numerics.rankings.mean_wins import win_ratio
from evenhand.numerics.scores import Scores
from tests.evenhand.numerics.published.published import expected_of, read_csv
from tests.llmbar import PUBLISHED, read_verdicts, subset_of

pytestmark = pytest.mark.realdata


# LLMBar: GPT-4 and others on Natural and Neighbor, in both orders. Each item is a context of two candidates.
@pytest.fixture(scope="module")
def llmbar(shared_data):
    verdicts = defaultdict(list)
    for row in read_verdicts(shared_data):
        verdicts[row["judge"], row["strategy"], subset_of(row)].append(row)
    return verdicts


def comparisons_of_verdicts(rows):
    """Answered comparisons, and the human scores that the gold labels amount to."""
    asked = [(item, 0, row["winner_ab"]) for item, row in enumerate(rows)]
    asked += [(item, 1, row["winner_ba"]) for item, row in enumerate(rows)]
    answered = np.array([(2 * item, turned, winner) for item, turned, winner in asked if winner is not None])
    item, turned, winner = answered.T
    first, second = item + turned, item + 1 - turned
    p_first = (winner - 1 == turned).astype(float)
    labels = np.array([[row["label"] == 1, row["label"] == 2] for row in rows], dtype=float)
    return Comparisons(2 * len(rows), first, second, p_first, 2 * np.arange(len(rows))), labels.ravel()


@pytest.mark.parametrize(("judge", "strategy"), PUBLISHED)
@pytest.mark.parametrize("subset", ["Natural", "Neighbor"])
def test_accuracy_matches_the_llmbar_table(llmbar, judge, strategy, subset):
    rows = llmbar[judge, strategy, subset]
    comparisons, labels = comparisons_of_verdicts(rows)

    figure = accuracy(comparisons, human_preferences(comparisons, labels))

    # LLMBar counts a verdict that could not be read as wrong; ours leaves it out of n.
    theirs = figure.value * figure.n / (2 * len(rows))
    assert 100 * theirs == pytest.approx(PUBLISHED[judge, strategy][subset == "Neighbor"], abs=0.05 + 1e-9)


def test_position_bias_of_the_llmbar_judges_is_in_the_recorded_direction(llmbar):
    """On all 319 adversarial items ChatGPT's Vanilla answers have P(first) 0.660 and order agreement 0.643."""
    comparisons, _ = comparisons_of_verdicts(llmbar["ChatGPT", "Vanilla", "Neighbor"])

    assert first_share(comparisons).value > 0.55
    assert order_agreement(comparisons).value < 0.75


UNIEVAL = {
    "topical_chat": ["naturalness", "coherence", "engagingness", "groundedness", "understandability", "overall"],
    "sfres": ["naturalness", "informativeness", "overall"],
    "sfhot": ["naturalness", "informativeness", "overall"],
    "qags_xsum": ["consistency"],
    "qags_cnndm": ["consistency"],
}


@pytest.mark.parametrize(
    ("dataset", "attribute"), [(dataset, attribute) for dataset in UNIEVAL for attribute in UNIEVAL[dataset]]
)
@pytest.mark.parametrize("name", ["pearson", "spearman", "kendall"])
def test_pooled_correlations_match_those_of_unieval(shared_data, dataset, attribute, name):
    rows = read_csv(shared_data / f"cases/unieval/data/{dataset}.csv")
    published = expected_of(shared_data, "unieval")["values"][dataset][attribute][name]
    people = np.array([float(row[f"human_{attribute}"]) for row in rows])
    judged = Scores.of_values(np.array([float(row[f"judge_{attribute}"]) for row in rows]))
    human = HumanScores(people, np.zeros(len(rows), dtype=int), np.full(len(rows), -1))

    block = correlate(judged, MatchedScores.of(judged, human, np.array([True])))[name]

    assert block.pooled == pytest.approx(float(published), abs=1e-6)


@pytest.mark.parametrize("name", ["simple", "food"])
def test_bradley_terry_and_wins_match_those_of_evalica(shared_data, name):
    """Evalica's Bradley-Terry has no pseudo-wins, counts a tie as half a win each way, and prints shares of the sum."""
    folder = shared_data / "cases/evalica_small/data"
    votes = read_csv(folder / f"{name}.csv")
    golden = defaultdict(dict)
    for row in read_csv(folder / f"{name}-golden.csv"):
        golden[row["algorithm"]][row["item"]] = float(row["score"])
    items = sorted(golden["counting"])
    comparisons = Comparisons(
        len(items),
        [items.index(vote["left"]) for vote in votes],
        [items.index(vote["right"]) for vote in votes],
        [{"left": 1.0, "right": 0.0, "tie": 0.5}[vote["winner"]] for vote in votes],
    )

    ratios = win_ratio(comparisons).complete()
    strengths = np.exp(logistic_scores(comparisons).complete())

    games = np.bincount(comparisons.first) + np.bincount(comparisons.second)
    assert dict(zip(items, ratios * games, strict=True)) == pytest.approx(golden["counting"])
    shares = dict(zip(items, strengths / strengths.sum(), strict=True))
    assert shares == pytest.approx(golden["bradley_terry"], abs=2e-4)


def test_krippendorff_alpha_matches_the_tables_of_evalica(shared_data):
    folder, expected = shared_data / "cases/evalica_small/data", expected_of(shared_data, "evalica_small")
    with (folder / "codings.csv").open(encoding="utf-8") as lines:
        codings = RatingTable.of_values(
            np.array([[float(cell) if cell else np.nan for cell in row] for row in csv.reader(lines)])
        )
    with (folder / "gcl.csv").open(encoding="utf-8") as lines:
        words = {"NN": 0.0, "VBP": 1.0, "": np.nan}
        gcl = RatingTable.of_values(np.array([[words[cell] for cell in row] for row in csv.reader(lines)]))

    assert krippendorff_alpha(codings).value == pytest.approx(expected["alpha_codings_nominal_full"])
    for level, published in expected["alpha_codings"].items():
        assert krippendorff_alpha(codings, level).value == pytest.approx(float(published), abs=5e-4)
    assert krippendorff_alpha(gcl).value == pytest.approx(expected["alpha_gcl_nominal"], abs=1e-6)
