import krippendorff
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from evenhand.numerics.agreement.kappa import cohen_kappa, fleiss_kappa, kappa_with_people, percent_agreement
from evenhand.numerics.agreement.krippendorff import krippendorff_alpha, order_free_alpha
from evenhand.numerics.agreement.rating_tables import HIGHER, LOWER, MISSING_RATING, TIE, RatingTable, split_by_rater
from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.exceptions import InvalidComparisons
from evenhand.numerics.intervals import TOO_FEW_CONTEXTS, TOO_FEW_TO_DRAW
from evenhand.numerics.votes import Votes

# Fleiss, Measuring nominal scale agreement among many raters, 1971, as worked through in Wikipedia's article on the
# kappa: 14 raters put 10 units into 5 categories; kappa is 0.210.
FLEISS_COUNTS = [
    [0, 0, 0, 0, 14],
    [0, 2, 6, 4, 2],
    [0, 0, 3, 5, 6],
    [0, 3, 9, 2, 0],
    [2, 2, 8, 1, 1],
    [7, 7, 0, 0, 0],
    [3, 2, 6, 3, 0],
    [2, 5, 3, 2, 2],
    [6, 5, 2, 1, 0],
    [0, 2, 2, 3, 7],
]


def table_of_counts(unit_counts):
    codes = np.array([np.repeat(np.arange(len(row)), row) for row in unit_counts]).T
    return RatingTable(codes, np.arange(float(len(unit_counts[0]))))


def two_raters(*confusion):
    """Ratings of two raters with this confusion matrix."""
    matrix = np.array(confusion)
    one, other = (np.repeat(side, matrix[np.nonzero(matrix)]) for side in np.nonzero(matrix))
    return RatingTable(np.stack([one, other]), np.arange(float(len(matrix))))


def test_fleiss_kappa_matches_the_published_example():
    assert fleiss_kappa(table_of_counts(FLEISS_COUNTS)).value == pytest.approx(0.210, abs=5e-4)
    assert fleiss_kappa(table_of_counts(FLEISS_COUNTS)).n == 10


def test_fleiss_kappa_is_that_of_statsmodels():
    from statsmodels.stats.inter_rater import fleiss_kappa as statsmodels_fleiss

    expected = statsmodels_fleiss(np.array(FLEISS_COUNTS))

    assert fleiss_kappa(table_of_counts(FLEISS_COUNTS)).value == pytest.approx(expected)


def test_cohen_kappa_matches_the_published_example():
    """Fifty grant proposals read by two readers: 20 yes-yes, 5 and 10 disagreements, 15 no-no."""
    figure = cohen_kappa(two_raters([20, 5], [10, 15]))

    assert (figure.value, figure.n) == (pytest.approx(0.4), 50)
    assert figure.low < 0.4 < figure.high


@given(arrays(np.int64, (2, 30), elements=st.integers(0, 3)).filter(lambda a: len(np.unique(a)) > 1))
def test_cohen_kappa_is_that_of_scikit_learn(codes):
    from sklearn.metrics import cohen_kappa_score

    assert cohen_kappa(RatingTable(codes, np.arange(4.0))).value == pytest.approx(cohen_kappa_score(*codes))


# Krippendorff, Computing Krippendorff's Alpha-Reliability, 2011: 4 observers, 12 units, missing data.
CODINGS = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, np.nan, np.nan, np.nan],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, np.nan, 3],
    [np.nan, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, np.nan],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, np.nan],
]


@pytest.mark.parametrize(
    ("level", "published"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849), ("ratio", 0.797)]
)
def test_krippendorff_alpha_matches_the_published_example(level, published):
    figure = krippendorff_alpha(RatingTable.of_values(np.array(CODINGS)), level)

    assert (figure.value, figure.n) == (pytest.approx(published, abs=5e-4), 40)


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval", "ratio"])
@given(
    ratings=arrays(float, (3, 8), elements=st.sampled_from([np.nan, 1, 2, 5, 6])).filter(
        lambda a: (
            ((~np.isnan(a)).sum(axis=0) >= 2).any()
            and len(np.unique(a[:, (~np.isnan(a)).sum(axis=0) >= 2][~np.isnan(a[:, (~np.isnan(a)).sum(axis=0) >= 2])]))
            > 1
        )
    )
)
def test_krippendorff_alpha_is_that_of_the_krippendorff_package(level, ratings):
    expected = krippendorff.alpha(reliability_data=ratings, level_of_measurement=level)

    figure = krippendorff_alpha(RatingTable.of_values(ratings), level)

    assert figure.value == pytest.approx(expected, abs=1e-9)


def test_percent_agreement_is_over_all_pairs_of_ratings_of_a_unit():
    table = RatingTable(
        np.array([[0, 1, 0], [0, 1, MISSING_RATING], [1, MISSING_RATING, MISSING_RATING]]), np.arange(2.0)
    )

    figure = percent_agreement(table)

    assert (figure.value, figure.n) == (0.5, 4)


@pytest.mark.parametrize("measure", [percent_agreement, cohen_kappa, fleiss_kappa, krippendorff_alpha])
@given(codes=arrays(np.int64, (2, 12), elements=st.integers(0, 2)))
def test_measures_do_not_depend_on_the_order_of_raters_or_units(measure, codes):
    value = measure(RatingTable(codes, np.arange(3.0))).value

    turned = measure(RatingTable(codes[::-1, ::-1], np.arange(3.0))).value

    assert turned == (value if value is None else pytest.approx(value))


@pytest.mark.parametrize("measure", [cohen_kappa, fleiss_kappa, krippendorff_alpha])
def test_measures_of_random_ratings_are_near_zero(measure):
    codes = np.random.default_rng(0).integers(0, 3, (2, 5000))

    figure = measure(RatingTable(codes, np.arange(3.0)))

    assert abs(figure.value) < 0.03
    assert figure.low < 0 < figure.high


@pytest.mark.parametrize("measure", [cohen_kappa, fleiss_kappa, krippendorff_alpha])
def test_measures_of_one_category_are_undefined_not_one(measure):
    figure = measure(RatingTable(np.ones((2, 5), dtype=int), np.arange(3.0)))

    assert figure.value is None
    assert figure.undefined == "all ratings are of one category, so agreement by chance is certain"


@pytest.mark.parametrize("measure", [percent_agreement, cohen_kappa, fleiss_kappa, krippendorff_alpha])
def test_measures_need_a_unit_with_two_ratings(measure):
    apart = RatingTable(np.array([[0, MISSING_RATING], [MISSING_RATING, 1]]), np.arange(2.0))

    assert measure(apart).undefined == "no unit has two ratings"


def test_a_table_of_pairs_has_one_rating_a_rater_and_unordered_pair():
    people = Comparisons(3, [0, 1, 2], [1, 2, 0], [1.0, 0.5, 1.0])
    judge = Comparisons(3, [0, 1, 1], [1, 0, 2], [0.9, 0.8, 0.1])

    table = RatingTable.of_pairs([people, judge])

    assert table.codes.tolist() == [[LOWER, HIGHER, TIE], [TIE, MISSING_RATING, HIGHER]]  # pairs 01, 02, 12


def test_votes_are_split_by_rater():
    votes = Votes(Comparisons(3, [0, 1, 0], [1, 2, 1], [1.0, 0.5, 0.0]), np.array([7, 7, 3]))

    assert [one.p_first.tolist() for one in split_by_rater(votes)] == [[0.0], [1.0, 0.5]]


@pytest.mark.parametrize(("codes", "message"), [([[3]], "categories 0 to 1"), ([0], "1 dimensions")])
def test_tables_refuse_codes_that_are_no_category(codes, message):
    with pytest.raises(InvalidComparisons, match=message):
        RatingTable(np.array(codes), np.arange(2.0))


def raters_of_contexts(contexts, pairs, *, kept):
    """Two raters who agree on all pairs of some contexts and on every second pair of the others."""
    one = np.tile([LOWER, HIGHER], contexts * pairs // 2)
    alike = np.repeat(np.arange(contexts) % 2 == 0, pairs) | (np.arange(contexts * pairs) % 4 < 2)
    codes = np.stack([one, np.where(alike, one, LOWER + HIGHER - one)])
    return RatingTable(codes, np.arange(3.0), np.repeat(np.arange(contexts), pairs) if kept else None)


MEASURES = [percent_agreement, cohen_kappa, fleiss_kappa, krippendorff_alpha, order_free_alpha]


@pytest.mark.parametrize("measure", MEASURES)
def test_intervals_are_over_contexts_and_not_over_their_pairs(measure):
    """Twenty contexts of which each half is alike: a sample of them varies as one of twenty, not of two thousand."""
    by_context, by_pair = (measure(raters_of_contexts(20, 100, kept=kept)) for kept in (True, False))

    assert by_context.value == pytest.approx(by_pair.value)
    assert by_context.n == by_pair.n
    assert by_context.high - by_context.low > 3 * (by_pair.high - by_pair.low)


@pytest.mark.parametrize("measure", MEASURES)
def test_interval_of_one_pair_a_context_is_that_over_pairs(measure):
    table = raters_of_contexts(40, 2, kept=False)

    assert measure(RatingTable(table.codes, table.values, np.arange(80))) == measure(table)


@pytest.mark.parametrize("measure", MEASURES)
def test_interval_of_few_contexts_does_not_exist_and_says_why(measure):
    """The second context has no pair that both rated."""
    codes = np.array([[LOWER, HIGHER, LOWER, LOWER], [LOWER, HIGHER, HIGHER, MISSING_RATING]])

    figure = measure(RatingTable(codes, np.arange(3.0), np.array([0, 0, 0, 1])))

    assert figure.value is not None
    assert (figure.low, figure.high) == (None, None)
    assert figure.undefined == (TOO_FEW_CONTEXTS if measure is percent_agreement else TOO_FEW_TO_DRAW)


def test_units_of_pairs_are_in_the_context_of_their_candidates():
    one = Comparisons(5, [0, 4, 2], [1, 3, 3], [1.0, 1.0, 0.0], [0, 2])
    other = Comparisons(5, [1], [0], [1.0], [0, 2])

    table = RatingTable.of_pairs([one, other])

    assert table.contexts.tolist() == [0, 1, 1]  # pairs 01, 23, 34
    assert table.part(np.array([1]), np.array([True, False, True])).contexts.tolist() == [0, 1]
    assert table.by_context(np.array([True, True, True]), np.arange(6.0).reshape(3, 2)).tolist() == [[0, 1], [6, 8]]


def test_tables_refuse_contexts_of_another_number_of_units():
    with pytest.raises(InvalidComparisons, match="2 units have 3 contexts"):
        RatingTable(np.array([[0, 1]]), np.arange(2.0), np.arange(3))


def pairs(*counts):
    """Comparisons of a pair each, and what people prefer, from (p_first, preference, how many)."""
    answers, right = (np.concatenate([np.full(n, one[place]) for *one, n in counts]) for place in (0, 1))
    starts = 2 * np.arange(len(answers))
    return Comparisons(2 * len(answers), starts, starts + 1, answers, starts), right


def test_kappa_with_people_is_that_of_the_worked_example():
    """Wikipedia's article on Cohen's kappa: 20 and 15 of 50 agree, kappa is 0.4."""
    kappa = kappa_with_people(*pairs((0.9, 1, 20), (0.9, 0, 5), (0.1, 1, 10), (0.1, 0, 15), (0.9, np.nan, 7)))

    assert (kappa.value, kappa.n) == (pytest.approx(0.4), 50)
    assert 0 < kappa.low < 0.4 < kappa.high < 0.8


def test_kappa_with_people_counts_ties_of_the_judge_as_a_third_answer():
    """8 of 12 agree; by chance (4 · 6 + 4 · 6)/144 do."""
    kappa = kappa_with_people(*pairs((0.9, 1, 4), (0.1, 0, 4), (0.5, 1, 2), (0.5, 0, 2)))

    assert kappa.value == pytest.approx((8 / 12 - 1 / 3) / (1 - 1 / 3))


def test_kappa_with_people_without_an_answer_does_not_blame_people():
    assert kappa_with_people(Comparisons(2, [], [], []), np.array([])).undefined == "no comparison has an answer"


def test_kappa_with_people_is_zero_for_a_judge_that_always_says_the_same():
    assert kappa_with_people(*pairs((0.9, 1, 8), (0.9, 0, 4))).value == 0


def test_kappa_with_people_of_fewer_than_ten_contexts_has_no_interval():
    kappa = kappa_with_people(*pairs((0.9, 1, 5), (0.1, 0, 4)))

    assert (kappa.value, kappa.low, kappa.undefined) == (1, None, TOO_FEW_TO_DRAW)


def test_kappa_with_people_needs_a_preference():
    assert kappa_with_people(*pairs((0.9, np.nan, 3))).value is None
