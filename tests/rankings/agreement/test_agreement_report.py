"""Agreement of raters on an example worked by hand, and undefined figures."""

import json

import krippendorff
import numpy as np
import pytest

from judging.models import Vote
from tests.rankings.agreement.worked_example import ANSWERS, report, vote, voted_contexts
from tests.rankings.studies import compared, make_dataset, one_context, scored

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def study(rows_of_module):
    return make_dataset(voted_contexts(), name="Voted")


def value_and_n(figure):
    return figure["value"] if figure["value"] is None else pytest.approx(figure["value"]), figure["n"]


def test_people_agree_as_worked_by_hand(study):
    people = report(study)["people"]

    assert (people["raters"], people["pairs"], people["shared_pairs"]) == (3, 4, 4)
    assert value_and_n(people["percent_agreement"]) == (5 / 10, 10)
    assert value_and_n(people["fleiss_kappa"]) == (-31 / 816, 4)
    assert value_and_n(people["krippendorff_alpha"]) == (2 / 17, 11)
    assert value_and_n(people["mean_cohen_kappa"]) == ((1 / 2 + 0 + 0) / 3, 3)
    assert value_and_n(people["human"]) == (3.5 / 7, 7)


@pytest.mark.parametrize("name", ["percent_agreement", "fleiss_kappa", "krippendorff_alpha", "order_free_alpha"])
def test_agreement_of_few_contexts_has_no_interval_and_says_so(name):
    dataset = make_dataset(voted_contexts()[:1])

    figure = report(dataset)["people"][name]

    assert figure["value"] is not None
    assert (figure["low"], figure["high"]) == (None, None)
    drawn = "an interval of this figure needs at least ten contexts"
    assert figure["undefined"] == (
        "an interval needs at least three contexts" if name == "percent_agreement" else drawn
    )


def test_every_two_raters_that_share_a_pair_have_a_kappa(study):
    compared(study, ANSWERS)

    pairs = {(row["one"], row["other"]): row for row in report(study)["pairs_of_raters"]}

    judge = report(study)["raters"][3]["name"]
    assert {pair: row["cohen_kappa"]["n"] for pair, row in pairs.items()} == {
        ("h1", "h2"): 4,
        ("h1", "h3"): 3,
        ("h2", "h3"): 3,
        ("h1", judge): 4,
        ("h2", judge): 4,
        ("h3", judge): 3,
    }
    assert value_and_n(pairs["h1", "h2"]["cohen_kappa"]) == (0.5, 4)
    assert value_and_n(pairs["h1", "h2"]["percent_agreement"]) == (3 / 4, 4)
    assert value_and_n(pairs["h3", judge]["cohen_kappa"]) == (-1 / 2, 3)


def test_judge_has_the_figures_worked_by_hand(study):
    run = compared(study, ANSWERS)

    judge = report(study)["raters"][-1]

    assert (judge["name"], judge["kind"], judge["run"]) == (f"judge (run {run.pk})", "judge", run.pk)
    assert (judge["votes"], judge["pairs"], judge["ties"], judge["unparsed"], judge["errors"]) == (5, 4, 1, 1, 0)
    assert value_and_n(judge["p_first"]) == (1.5 / 5, 5)
    assert value_and_n(judge["tie_rate"]) == (1 / 5, 5)
    assert value_and_n(judge["order_agreement"]) == (1, 1)
    assert value_and_n(judge["prefers_longer"]) == (2 / 4, 4)
    assert value_and_n(judge["accuracy"]) == (3 / 4, 4)
    assert value_and_n(judge["mean_cohen_kappa"]) == ((3 / 11 + 1 / 5 - 1 / 2) / 3, 3)


def test_person_has_the_same_figures_as_a_judge_and_accuracies_of_people_make_up_the_human_ceiling(study):
    compared(study, ANSWERS)
    row = report(study)

    *people, judge = row["raters"]
    one = people[0]

    assert list(one) == list(judge)
    assert (one["name"], one["kind"], one["votes"], one["ties"]) == ("h1", "human", 4, 0)
    assert value_and_n(one["p_first"]) == (3 / 4, 4)
    assert value_and_n(one["accuracy"]) == (1 / 2, 2)
    accuracies = [rater["accuracy"] for rater in people]
    right = sum(accuracy["value"] * accuracy["n"] for accuracy in accuracies)
    assert value_and_n(row["people"]["human"]) == (right / 7, sum(accuracy["n"] for accuracy in accuracies))


def test_alpha_is_computed_with_and_without_the_judge_on_the_same_pairs_and_json_has_no_nan(study):
    compared(study, ANSWERS)

    [judge] = report(study)["judges_against_people"]

    assert judge["shared_pairs"] == 4
    assert value_and_n(judge["alpha_people"]) == (2 / 17, 11)
    assert value_and_n(judge["alpha_with_judge"]) == (5 / 68, 15)

    assert json.dumps(report(study), allow_nan=False)


def order_free_alpha(*raters):
    """By the library, which is given every pair twice, the second time with its candidates exchanged.

    It takes twice as many ratings for granted, which is put right. raters: for each pair 1 where the rater prefers the
    earlier candidate, 0 the later, 1/2 a tie, NaN no rating.
    """
    ratings = np.array(raters)
    mirrored = np.hstack([ratings, 1 - ratings])
    n = np.sum(~np.isnan(mirrored[:, (~np.isnan(mirrored)).sum(axis=0) > 1]))
    return 1 - (1 - krippendorff.alpha(mirrored, level_of_measurement="nominal")) * (n - 2) / (n - 1)


def test_alpha_in_both_orders_is_that_of_the_library(study):
    h1, h2, h3, judge = [1, 1, 0, 1], [1, 1, 0, 0], [0, 1, 0.5, np.nan], [1, 0, 0, 0.5]
    compared(study, ANSWERS)

    row = report(study)

    with_each = [order_free_alpha(judge, person) for person in (h1, h2, h3)]
    assert value_and_n(row["people"]["order_free_alpha"]) == (order_free_alpha(h1, h2, h3), 11)
    assert value_and_n(row["raters"][3]["mean_order_free_alpha"]) == (np.mean(with_each), 3)
    assert value_and_n(row["pairs_of_raters"][0]["order_free_alpha"]) == (order_free_alpha(h1, h2), 8)
    [against] = row["judges_against_people"]
    assert value_and_n(against["order_free_alpha_people"]) == (order_free_alpha(h1, h2, h3), 11)
    assert value_and_n(against["order_free_alpha_with_judge"]) == (order_free_alpha(h1, h2, h3, judge), 15)


def test_agreement_of_nobody_is_undefined_with_its_reason(study):
    Vote.objects.all().delete()

    row = report(study)

    assert (row["raters"], row["pairs"], row["pairs_of_raters"]) == ([], 0, [])
    assert row["people"]["percent_agreement"]["undefined"] == "no pair has the ratings of two of these raters"
    assert row["people"]["mean_cohen_kappa"]["undefined"] == "there are no two raters"
    assert row["people"]["human"]["undefined"] == "the attribute has no votes"


def test_judge_without_votes_of_people_says_why_figures_are_undefined():
    dataset = make_dataset(one_context(2, 1))
    compared(dataset, "context,attribute,first,second,p_first\nc0,overall,a,b,0.8\n")

    row = report(dataset)

    [judge], [against] = row["raters"], row["judges_against_people"]
    assert judge["accuracy"]["undefined"] == "the attribute has no votes"
    assert judge["mean_cohen_kappa"]["undefined"] == "the attribute has no votes"
    assert judge["order_agreement"]["undefined"] == "no pair was decided in both orders"
    assert against["alpha_with_judge"]["undefined"] == "no pair has the answers of the judge and of two people"


def reasons(figures, names=("mean_cohen_kappa", "mean_order_free_alpha")):
    return {figures[name]["undefined"] for name in names}


def test_single_person_has_nobody_to_agree_with(study):
    Vote.objects.exclude(rater="h1").delete()
    compared(study, ANSWERS)

    row = report(study)

    person, judge = row["raters"]
    assert reasons(person, ("accuracy", "mean_cohen_kappa")) == {"nobody else has voted on this attribute"}
    assert reasons(row["people"]) == {"there are no two raters"}
    assert judge["accuracy"]["n"] > 0


def test_people_without_a_common_pair_say_so():
    votes = [vote("a", "b", "a", "h1"), vote("a", "c", "a", "h2")]
    dataset = make_dataset(one_context(3, 2, 1, votes=votes))
    compared(dataset, "context,attribute,first,second,p_first\nc0,overall,b,c,0.8\n")

    row = report(dataset)

    *people, judge = row["raters"]
    assert [reasons(person) for person in people] == [{"no other person judged the same pairs"}] * 2
    assert reasons(judge) == {"no person judged the same pairs"}
    assert reasons(row["people"]) == {"no two raters judged the same pairs"}


def test_raters_of_one_answer_say_that_chance_explains_it():
    votes = [vote("a", "b", "=", rater) for rater in ("h1", "h2")]
    dataset = make_dataset(one_context(2, 1, votes=votes))

    row = report(dataset)

    expected = "raters gave the same answer to all their common pairs, so agreement beyond chance is undefined"
    assert reasons(row["people"]) == reasons(row["raters"][0]) == {expected}


def test_judge_that_scores_is_a_rater_without_an_order(study):
    scored(study, "context,attribute,candidate,score\nc0,overall,a,3\nc0,overall,b,1\nc0,overall,c,2\n")

    judge = report(study)["raters"][-1]

    assert (judge["votes"], judge["pairs"]) == (3, 3)
    assert value_and_n(judge["accuracy"]) == (3 / 3, 3)
    assert (judge["p_first"]["value"], judge["order_agreement"]["value"]) == (None, None)


def test_person_who_votes_again_on_a_pair_counts_each_vote_but_is_one_rating():
    votes = [vote("a", "b", preferred, "h1") for preferred in "aab"]
    dataset = make_dataset(
        one_context(None, None, votes=[*votes, vote("b", "a", "a", "h1"), vote("a", "b", "a", "h2")])
    )

    row = report(dataset)

    assert (row["raters"][0]["votes"], row["raters"][0]["pairs"]) == (4, 1)
    assert value_and_n(row["raters"][0]["order_agreement"]) == (1, 1)
    assert value_and_n(row["people"]["percent_agreement"]) == (1, 1)


def test_people_who_rated_one_by_one_agree_as_the_library_says():
    rows = {"h1": (1, 2, 3), "h2": (1, 3, 3), "h3": (2, None, 1)}
    candidates = [
        {
            "candidate": key,
            "text": key,
            "ratings": {"overall": {rater: row[place] for rater, row in rows.items() if row[place] is not None}},
        }
        for place, key in enumerate("abc")
    ]
    dataset = make_dataset([{"context": "c0", "text": "Article", "candidates": candidates}])
    data = np.array([[np.nan if value is None else value for value in row] for row in rows.values()])

    ratings = report(dataset)["ratings"]

    assert (ratings["raters"], ratings["candidates"], ratings["shared_candidates"]) == (3, 3, 3)
    for level in ("ordinal", "interval"):
        expected = krippendorff.alpha(reliability_data=data, level_of_measurement=level)
        assert value_and_n(ratings[f"krippendorff_alpha_{level}"]) == (expected, 8)


def test_ratings_that_nobody_gave_are_undefined(study):
    why = {"value": None, "low": None, "high": None, "n": 0, "undefined": "no candidate has the ratings of two people"}

    assert report(study)["ratings"] == {
        "raters": 0,
        "candidates": 0,
        "shared_candidates": 0,
        "krippendorff_alpha_ordinal": why,
        "krippendorff_alpha_interval": why,
    }


def test_kept_figures_are_forgotten_when_a_vote_changes(study):
    before = report(study)["people"]["percent_agreement"]
    Vote.objects.filter(rater="h3", first__key="a", second__key="b").delete()

    after = report(study)["people"]["percent_agreement"]

    assert (value_and_n(before), value_and_n(after)) == ((5 / 10, 10), (5 / 8, 8))
