"""All runs of an attribute compared: figures of each pair, adjusted p-values, and letters of groups."""

import json
from itertools import combinations

import numpy as np
import pytest

from evenhand.numerics import benjamini_hochberg_adjusted, holm_adjusted
from evenhand.numerics.significance.families import EQUAL_EVERYWHERE, NOT_VARIED, TOO_FEW_TO_TEST
from evenhand.refusals import Refused
from evenhand.report_json import as_json
from judging.models import Run
from rankings.compare import all_runs
from rankings.compare.all_runs import MOST_RUNS, compare_groups
from rankings.compare.all_runs_page import groups_table
from tests.factories import make_judge, make_run
from tests.rankings.report.report_figures import differences_json, groups_json, report_json
from tests.rankings.studies import compared, make_dataset, one_context, scored

pytestmark = pytest.mark.django_db

KEYS = [f"c{number}" for number in range(10)]
PAIRS_SORT = ("a,b", "c,a", "b,c")
PILOT_AND_OTHERS = (("pilot", (), KEYS[:6]), ("bad", KEYS[:7], KEYS), ("worse", KEYS[:8], KEYS))


def contexts(*scores):
    return [one_context(*scores)[0] | {"context": key} for key in KEYS]


def answered(dataset, judge, *, wrong=(), keys=KEYS, pairs=PAIRS_SORT):
    """A run that answers every pair right, but those of some contexts wrong; a is better than b, b than c."""
    lines = [
        f"{key},overall,{pair},{0.8 if (pair[0] < pair[-1]) != (key in wrong) else 0.2}\n"
        for key in keys
        for pair in pairs
    ]
    return compared(dataset, "context,attribute,first,second,p_first\n" + "".join(lines), judge=judge)


def metric(dataset, judge, *, keys=KEYS):
    lines = [f"{key},overall,{candidate},{score}\n" for key in keys for score, candidate in enumerate("cba")]
    return scored(dataset, "context,attribute,candidate,score\n" + "".join(lines), judge=judge)


@pytest.fixture
def study():
    return make_dataset(contexts(3, 2, 1))


@pytest.fixture
def runs(study):
    """Good, nearly as good, and bad; the last was asked less."""
    return (
        answered(study, "good"),
        answered(study, "nearly", wrong=KEYS[:2]),
        answered(study, "bad", wrong=KEYS, keys=KEYS[:9]),
    )


def block(result, name):
    [found] = [found for found in result["figures"] if found["figure"] == name]
    return found


def letters_of(found, runs):
    letters = {row["run"]: row["letters"] for row in found["runs"]}
    return [letters[run.pk] for run in runs]


@pytest.mark.parametrize(("name", "ranking"), [("accuracy", None), ("spearman", "bradley-terry")])
def test_pairs_of_runs_have_the_differences_of_two_runs_alone(runs, name, ranking):
    pairs = block(groups_json(runs), name)["pairs"]

    assert [(row["one"], row["other"]) for row in pairs] == [(one.pk, other.pk) for one, other in combinations(runs, 2)]
    for row, (one, other) in zip(pairs, combinations(runs, 2), strict=True):
        alone = differences_json(one, other)
        [difference] = [d for d in alone["differences"] if (d["figure"], d["ranking"]) == (name, ranking)]
        assert row["ranking"] == ranking
        assert row["comparisons"] == alone["comparisons"]
        for field in ("difference", "low", "high", "p_value", "contexts"):
            assert row[field] == pytest.approx(difference[field])
        assert row["perm_both"] == difference["perm_both"]


def test_p_values_are_adjusted_for_all_pairs_that_can_be_tested(runs):
    pairs = block(groups_json(runs), "accuracy")["pairs"]

    p_values = np.array([row["p_value"] for row in pairs])
    assert p_values.tolist() == [2 / 2**2, 2 / 2**9, 2 / 2**7]  # all signs of the contexts that differ
    assert [row["p_value_holm"] for row in pairs] == [None, *holm_adjusted(p_values[1:])]
    assert [row["p_value_benjamini_hochberg"] for row in pairs] == [None, *benjamini_hochberg_adjusted(p_values[1:])]
    assert [row.get("undefined") for row in pairs] == [TOO_FEW_TO_TEST, None, None]


def test_runs_that_can_be_tested_against_the_best_are_worse_or_not(study, runs):
    """A pilot shares six contexts with the best, and differs in each: enough for one test, too few for two."""
    pilot = answered(study, "pilot", wrong=KEYS, keys=KEYS[:6])

    alone, with_others = (block(groups_json(some), "accuracy") for some in ([runs[0], pilot], [*runs, pilot]))

    assert [row["against_best"] for row in alone["runs"]] == ["best", "worse"]
    assert {row["run"]: row["against_best"] for row in with_others["runs"]} == {
        runs[0].pk: "best",
        runs[1].pk: "not tested",
        runs[2].pk: "worse",
        pilot.pk: "not tested",
    }


def test_pilot_that_leads_is_tested_where_its_contexts_are_enough(study):
    pilot, bad, worse = (answered(study, name, wrong=wrong, keys=keys) for name, wrong, keys in PILOT_AND_OTHERS)

    one, two = (block(groups_json(some), "accuracy") for some in ([pilot, bad], [pilot, bad, worse]))

    assert [(row["p_value_holm"], row["different"]) for row in one["pairs"]] == [(2 / 2**6, True)]
    assert [row["against_best"] for row in two["runs"]] == ["best", "worse", "not tested"]


def test_judge_with_one_answer_is_neither_best_nor_tested(study):
    """It has the highest accuracy, because the first text is better in all but one of the comparisons."""
    good, nearly, bad = (answered(study, f"wrong in {n}", wrong=KEYS[:n]) for n in (1, 3, 10))
    keys = [f"{key},overall,{pair}" for key in KEYS for pair in ("a,b", "b,c", "a,c")]
    lines = "".join(f"{key},0.9\n" for key in [*keys, "c0,overall,c,a"])
    always = compared(study, "context,attribute,first,second,p_first\n" + lines, judge="always first")

    found = block(groups_json([good, nearly, bad, always]), "accuracy")

    assert {row["run"]: row["against_best"] for row in found["runs"]} == {
        good.pk: "best",
        nearly.pk: "not tested",
        bad.pk: "worse",
        always.pk: "not tested",
    }
    of_always = [row for row in found["pairs"] if always.pk in (row["one"], row["other"])]
    assert [(row["p_value_holm"], row["undefined"]) for row in of_always] == [(None, NOT_VARIED)] * 3


def test_twin_of_the_best_needs_no_test(study):
    one, other = answered(study, "one"), answered(study, "twin")

    found = block(groups_json([one, other]), "accuracy")

    assert [row["against_best"] for row in found["runs"]] == ["best", "not worse"]
    assert [(row["p_value_holm"], row["undefined"]) for row in found["pairs"]] == [(None, EQUAL_EVERYWHERE)]


def test_runs_that_do_not_differ_share_a_letter(runs):
    result = groups_json(runs)

    assert result == groups_json(runs[::-1])
    assert letters_of(block(result, "accuracy"), runs) == [["a"], ["a"], ["b"]]
    assert block(result, "accuracy")["groups"] == [
        {"letter": "a", "runs": [runs[0].pk, runs[1].pk]},
        {"letter": "b", "runs": [runs[2].pk]},
    ]
    assert [row["different"] for row in block(result, "accuracy")["pairs"]] == [None, True, True]


def test_run_between_two_that_differ_has_the_letters_of_both(study):
    good, between, bad = (answered(study, f"judge {n}", wrong=KEYS[:n]) for n in (0, 4, 8))

    found = block(groups_json([bad, good, between]), "accuracy")

    assert [row["run"] for row in found["runs"]] == [good.pk, between.pk, bad.pk]
    assert letters_of(found, (good, between, bad)) == [["a"], ["a", "b"], ["b"]]


def test_figure_of_each_run_is_that_of_its_report(study, runs):
    result = groups_json([*runs, metric(study, "metric")])

    rows = {row["run"]: row for row in report_json(study)}
    for found in block(result, "accuracy")["runs"]:
        assert {field: found[field] for field in ("value", "low", "high", "n")} == rows[found["run"]]["accuracy"]
    for found in block(result, "spearman")["runs"]:
        raw = rows[found["run"]]["spearman"][found["ranking"]]["raw"]
        assert (found["value"], found["n"]) == (pytest.approx(raw["per_context"]), raw["contexts"])


def test_scores_are_compared_with_scores_and_with_answers(study, runs):
    one, other = metric(study, "one"), metric(study, "other", keys=KEYS[:8])

    pairs = {(row["one"], row["other"]): row for row in block(groups_json([runs[0], one, other]), "spearman")["pairs"]}

    assert pairs[one.pk, other.pk]["ranking"] == "score"
    assert (pairs[one.pk, other.pk]["comparisons"], pairs[one.pk, other.pk]["contexts"]) == (24, 8)
    assert pairs[runs[0].pk, one.pk]["ranking"] == "bradley-terry"
    assert pairs[runs[0].pk, one.pk]["p_value"] == 1


def test_run_without_a_pair_in_common_is_left_out_and_named(study, runs):
    elsewhere = answered(study, "elsewhere", pairs=("b,a",))
    nothing = make_run(study, judge=make_judge())

    result = groups_json([*runs, elsewhere, nothing])

    names = ", ".join(f"run {run.pk}" for run in (*runs, nothing))
    assert [(run["run"], run["why"]) for run in result["left_out"]] == [
        (elsewhere.pk, f"has answers to no ordered pair in common with {names}"),
        (nothing.pk, "has no answer yet"),
    ]
    assert [run["run"] for run in result["runs"]] == [run.pk for run in runs]
    assert result["figures"] == groups_json(runs)["figures"]


def test_larger_part_of_unconnected_runs_is_compared_and_strangers_are_not(study):
    one, other, twin = (answered(study, f"judge {n}", keys=KEYS[:5] if n == 0 else KEYS[5:]) for n in range(3))

    two, three = groups_json([one, other]), groups_json([one, other, twin])

    assert [run["run"] for run in three["left_out"]] == [one.pk]
    assert [run["run"] for run in two["left_out"]] == [one.pk, other.pk]
    assert [(found["runs"], found["groups"], found["pairs"]) for found in two["figures"]] == [([], [], [])] * 2


def test_runs_without_people_have_no_figure_and_no_letter():
    dataset = make_dataset(contexts(None, None, 1))

    result = groups_json([answered(dataset, "one"), answered(dataset, "other")])

    assert [row["undefined"] for row in block(result, "accuracy")["runs"]] == [
        "people prefer no candidate of a compared pair; collect votes or scores"
    ] * 2
    assert all(row["letters"] == [] for found in result["figures"] for row in found["runs"])
    assert json.dumps(result, allow_nan=False)


def test_pair_that_shares_one_context_has_no_test_and_shares_a_letter(study):
    one, other = answered(study, "one", keys=KEYS[:6]), answered(study, "other", wrong=KEYS, keys=KEYS[5:])

    found = block(groups_json([one, other]), "accuracy")

    [row] = found["pairs"]
    assert (row["difference"], row["p_value"], row["p_value_holm"], row["different"]) == (1, None, None, None)
    assert row["undefined"] == TOO_FEW_TO_TEST
    assert letters_of(found, (one, other)) == [["a"], ["a"]]


def refusal(runs):
    with pytest.raises(Refused) as refused:
        groups_json(runs)
    return refused.value.problems


def test_wrong_numbers_of_runs_and_runs_of_two_datasets_are_refused(runs):
    elsewhere = answered(make_dataset(contexts(3, 2, 1), name="Other"), "judge")

    assert refusal(runs[:1]) == ("run: give 2 to 60 runs to compare, not 1",)
    assert refusal(runs[:1] * (MOST_RUNS + 1)) == ("run: give 2 to 60 runs to compare, not 61",)
    assert refusal([*runs, runs[0]]) == (f"run: {runs[0].pk} is named twice; name two runs",)
    assert refusal([*runs, elsewhere])[0].endswith("only runs of one dataset can be compared")


def with_lengths(*lengths):
    """Contexts of three texts, the first the best, of these lengths."""
    rows = contexts(3, 2, 1)
    for row in rows:
        row["candidates"] = [
            one | {"text": "x" * length} for one, length in zip(row["candidates"], lengths, strict=True)
        ]
    return rows


def simple_judges_of(runs):
    return {row["judge"]: row for row in groups_json(runs)["simple_judges"]}


def test_longer_text_is_right_as_often_as_the_longer_text_is_better():
    study = make_dataset(with_lengths(5, 9, 1))
    runs = answered(study, "one"), answered(study, "other")

    longer = simple_judges_of(runs)["Longer text"]

    assert longer["accuracy"]["value"] == pytest.approx(2 / 3)  # a and b are the wrong way round
    assert longer["accuracy"]["n"] == 3 * len(KEYS)
    assert longer["spearman"]["value"] == pytest.approx(0.5)


def test_texts_of_one_length_are_a_tie_of_the_longer_text(runs):
    longer = simple_judges_of(runs)["Longer text"]

    assert (longer["accuracy"]["value"], longer["spearman"]["value"]) == (0.5, 0)


def test_always_first_counts_each_ordered_pair_once_for_all_runs(study):
    runs = answered(study, "sorted"), answered(study, "both", pairs=(*PAIRS_SORT, "b,a", "a,c", "c,b"))

    first = simple_judges_of(runs)["Always first"]

    assert (first["accuracy"]["value"], first["accuracy"]["n"]) == (0.5, 6 * len(KEYS))
    assert first["spearman"] == {
        **dict.fromkeys(("value", "low", "high")),
        "n": None,
        "undefined": "it gives all texts the same score",
    }


def test_judges_that_read_nothing_have_rows_in_the_table(study, runs):
    rows = groups_table(all_runs.compare_all(runs)).rows

    assert [row.names[0] for row in rows[:2]] == ["Always first", "Longer text"]
    assert [row.of for row in rows] == ["people", "people", "judge", "judge", "judge"]


def test_groups_are_of_the_runs_of_one_attribute(study, runs):
    other = study.attributes.create(name="fluency", adjective="fluent", position=1)
    stranger = make_run(study, judge=make_judge(), attribute="fluency")
    mine = Run.objects.filter(dataset=study)

    def refusal_of(**options):
        with pytest.raises(Refused) as refused:
            compare_groups(study, mine, **options)
        return refused.value.problems

    assert as_json(compare_groups(study, mine, attribute=study.attributes.get(name="overall"))) == groups_json(runs)
    assert refusal_of() == ("attribute: choose one of overall, fluency",)
    assert refusal_of(attribute=other) == ("fluency has 1 run; a comparison needs two",)
    assert refusal_of(attribute=other, run=(runs[0], stranger)) == (f'run: {runs[0].pk} is not about "fluency"',)


def test_groups_are_of_the_runs_that_are_named_or_of_the_latest_of_many(study, runs, monkeypatch):
    assert as_json(compare_groups(study, Run.objects.all(), run=runs[:2])) == groups_json(runs[:2])
    monkeypatch.setattr(all_runs, "MOST_RUNS", 2)

    report = compare_groups(study, Run.objects.all())

    assert {run.name.run for run in report.runs} == {runs[1].pk, runs[2].pk}
    assert [(one.name.run, one.why) for one in report.left_out] == [(runs[0].pk, all_runs.NOT_LATEST)]
