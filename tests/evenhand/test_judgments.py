"""Figures from a notebook equal those of the program to the last digit, and wrong input is refused in words."""

import json
import math

import numpy as np
import pytest

import evenhand
from evenhand import InvalidComparisons, Judgments, NotConnected, UnknownRanking, UnknownSelection
from evenhand.file_problems import InvalidFile
from evenhand.numerics import RANKINGS
from judging.models import Run
from tests.commands import printed, printed_json
from tests.evenhand.recorded_runs import made_contexts, stored_run

LEVELS = ("per_context", "pooled", "system")
ONE_CONTEXT = {"context": ["c"] * 3, "first": ["a", "b", "c"], "second": ["b", "c", "a"]}


def made_run(folder, *, in_order=False):
    contexts = made_contexts()
    dataset = folder / "dataset.jsonl"
    dataset.write_text("".join(json.dumps(context) + "\n" for context in contexts))
    return stored_run(folder, dataset, contexts, judged=11, in_order=in_order)


@pytest.fixture
def stored(db, tmp_path, capsys):
    run = made_run(tmp_path)
    capsys.readouterr()
    return run


def figure_json(figure):
    return {name: getattr(figure, name) for name in ("value", "low", "high")}


def figure_in(row, name):
    return {end: row[name].get(end) for end in ("value", "low", "high")}


def level_in(block, level):
    return {"value": block[level], "low": block.get(f"{level}_low"), "high": block.get(f"{level}_high")}


def assert_equal_to_report(judgments, human, row):
    """Compare every figure with a row of the JSON of a report."""
    own = {
        "p_first": judgments.p_first(),
        "order_agreement": judgments.order_agreement(),
        "threshold": judgments.threshold(),
        "accuracy": judgments.accuracy(human),
        "accuracy_debiased": judgments.accuracy(human, debias=True),
    }
    assert {name: figure_json(figure) for name, figure in own.items()} == {name: figure_in(row, name) for name in own}
    assert own["accuracy"].n == row["accuracy"]["n"]
    for ranking in RANKINGS:
        for kind in ("raw", "debiased"):
            block = row["spearman"][ranking][kind]
            figures = [judgments.spearman(human, ranking, level, debias=kind == "debiased") for level in LEVELS]
            assert [figure_json(figure) for figure in figures] == [level_in(block, level) for level in LEVELS], ranking
            assert figures[0].n == block["contexts"]


def assert_equal_curve(capsys, stored, judgments, *options, **chosen):
    program = printed_json(capsys, "curve", stored.run.pk, "--draws", 5, "--seed", 3, *options)["points"]
    own = judgments.curve(stored.human, draws=5, seed=3, **chosen)

    assert [(one.comparisons, one.value, one.low, one.high, one.n) for one in own] == [
        tuple(point[name] for name in ("comparisons", "mean", "low", "high", "draws")) for point in program
    ]
    assert len(own) > 3


def test_figures_equal_those_of_the_report(stored, capsys):
    [row] = printed_json(capsys, "report", "--dataset", "Stored", "--run", stored.run.pk)["rows"]

    assert_equal_to_report(Judgments(**stored.columns), stored.human, row)


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_figures_of_an_exported_file_equal_those_of_the_report(stored, capsys, tmp_path, ending):
    path = tmp_path / f"exported.{ending}"
    printed(capsys, "export_comparisons", stored.run.pk, "--output", path)
    [row] = printed_json(capsys, "report", "--dataset", "Stored", "--run", stored.run.pk)["rows"]

    assert_equal_to_report(Judgments.read(path), stored.human, row)


@pytest.mark.django_db
def test_scores_equal_those_of_the_program(tmp_path, capsys):
    stored = made_run(tmp_path, in_order=True)
    judgments = Judgments(**stored.columns)
    capsys.readouterr()

    for ranking in RANKINGS:
        for options in ([], ["--debias"]):
            program = printed_json(capsys, "scores", stored.run.pk, "--ranking", ranking, *options)["scores"]
            own = judgments.scores(ranking, debias=bool(options))

            names = ("context", "candidate", "score", "standard_error", "rank")
            assert [{name: getattr(one, name) for name in names} for one in own] == [
                {name: row[name] for name in names} for row in program
            ], ranking


def test_scores_of_comparisons_in_another_order_are_the_same_to_nine_decimals(stored, capsys):
    program = printed_json(capsys, "scores", stored.run.pk, "--ranking", "poe-bt")["scores"]
    own = {(one.context, one.candidate): one for one in Judgments(**stored.columns).scores("poe-bt")}

    assert len(own) == len(program) == 55
    for row in program:
        one = own[row["context"], row["candidate"]]
        assert (one.score, one.standard_error) == pytest.approx((row["score"], row["standard_error"]), abs=1e-9)
        assert one.rank == row["rank"]


@pytest.mark.parametrize("selection", ["random", "no-repeat", "symmetric", "d-optimal", "bt-optimal"])
def test_curves_equal_those_of_the_program(stored, capsys, selection):
    options = ("--ranking", "poe-bt", "--selection", selection, "--debias")

    assert_equal_curve(
        capsys, stored, Judgments(**stored.columns), *options, ranking="poe-bt", selection=selection, debias=True
    )


@pytest.mark.realdata
@pytest.mark.django_db
def test_figures_on_summeval_equal_those_of_the_program(shared_data, tmp_path, capsys):
    path = shared_data / "data" / "summeval" / "summeval_16sys.jsonl"
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    contexts = [
        {"context": line["id"], "candidates": [one | {"candidate": one["system"]} for one in line["candidates"]]}
        for line in lines
    ]
    stored = stored_run(tmp_path, path, contexts, judged=20)
    judgments = Judgments(**stored.columns)
    capsys.readouterr()
    [row] = printed_json(capsys, "report", "--dataset", "Stored", "--run", stored.run.pk)["rows"]

    assert len(judgments) > 4_000
    assert_equal_to_report(judgments, stored.human, row)
    assert_equal_curve(capsys, stored, judgments, "--ranking", "poe-bt", ranking="poe-bt")


def test_frame_gives_the_same_judgments_as_its_columns(stored):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(stored.columns | {"note": "x"})

    own, judgments = Judgments.from_frame(frame), Judgments(**stored.columns)

    assert own.scores("win-ratio") == judgments.scores("win-ratio")
    assert own.accuracy(pandas.Series(stored.human, dtype=float)) == judgments.accuracy(stored.human)


def test_scores_are_records_with_names_and_reasons():
    judgments = Judgments(context=["c"] * 3, first=["a", "b", "d"], second=["b", "a", "a"], p_first=[0.9, 0.2, None])

    a, b, d = judgments.scores("win-ratio")

    assert (a.context, a.candidate, a.score, a.rank) == ("c", "a", 1.0, 1.0)
    assert (b.standard_error, b.undefined) == (None, {"standard_error": "this ranking has no standard error"})
    assert (d.candidate, d.score, d.rank) == ("d", None, None)
    assert d.undefined["score"] == "the candidate has no answered comparison"


def test_choice_counts_where_there_is_no_probability():
    mixed = Judgments(**ONE_CONTEXT, p_first=[0.7, None, None], choice=["second", "first", None])

    assert mixed.p_first().value == 1.0
    assert mixed.p_first().n == 2
    assert len(mixed) == 3


def test_unparsed_answers_are_none_or_not_a_number():
    with_none = Judgments(**ONE_CONTEXT, p_first=[0.7, None, 0.4])
    assert with_none.p_first() == Judgments(**ONE_CONTEXT, p_first=[0.7, math.nan, 0.4]).p_first()
    assert with_none.p_first().n == 2


def test_undefined_figures_say_why():
    choices = Judgments(**ONE_CONTEXT, choice=["first", "tie", "second"])

    assert choices.threshold().undefined == "every p_first is 0, 1/2 or 1, so no threshold can be set"
    assert choices.accuracy({("c", "a"): 2, ("c", "b"): 1}, debias=True).value is None
    assert choices.spearman({("c", "a"): 1, ("c", "b"): 1}, "win-ratio").undefined is not None
    assert choices.scores("average-probability", debias=True)[0].undefined["score"] == choices.threshold().undefined


def test_unconnected_contexts_can_be_left_without_scores_also_by_an_expert():
    judgments = Judgments(list("ccdd"), list("acab"), list("bdba"), [0.9, 0.8, 0.7, 0.4])

    scores = judgments.scores("poe-bt", skip_unconnected=True)

    assert [one.score is None for one in scores] == [True] * 4 + [False] * 2
    assert "do not connect" in scores[0].undefined["score"]

    log_density = np.vectorize(lambda d, p: -((d - p + 0.5) ** 2))

    with pytest.raises(NotConnected, match="log_density: a product of experts needs comparisons that connect"):
        evenhand.expert_scores(judgments, log_density)
    scores = evenhand.expert_scores(judgments, log_density, skip_unconnected=True)
    assert [one.score is None for one in scores] == [True] * 4 + [False] * 2


WRONG_COLUMNS = {
    "lengths": ({"second": ["b"]}, "context has 3, first has 3, second has 1, p_first has 3 — give one value"),
    "no answers": ({"p_first": None}, "p_first: missing — give p_first, or choice"),
    "above one": ({"p_first": [0.5, 1.2, 0.5]}, r"p_first\[1\]: 1.2 — expected a probability from 0 to 1"),
    "below zero": ({"p_first": [-0.1, 1, 0]}, r"p_first\[0\]: -0.1 — expected a probability from 0 to 1"),
    "a text": ({"p_first": [0.5, "0.5", 0.5]}, r"p_first\[1\]: '0.5' — expected a probability from 0 to 1"),
    "a decision": ({"p_first": [0.5, 0.5, True]}, r"p_first\[2\]: True — expected a probability from 0 to 1"),
    "a word": ({"p_first": [0.5, 0.5, "high"]}, r"p_first\[2\]: 'high' — expected a probability from 0 to 1"),
    "choice": (
        {"p_first": None, "choice": ["first", "frist", None]},
        r'choice\[1\]: \'frist\' \(did you mean "first"\?\) — expected first, second or tie',
    ),
    "itself": ({"second": ["b", "b", "a"]}, r"second\[1\]: 'b' — expected a candidate other than first"),
    "no name": ({"context": ["c", None, "c"]}, r"context\[1\]: None — expected a name"),
    "a list": ({"first": ["a", ["b"], "c"]}, r"first\[1\]: \['b'\] — expected a name"),
    "one text": ({"first": "abc"}, "first: 'abc' — expected a list"),
}


@pytest.mark.parametrize(("changed", "problem"), WRONG_COLUMNS.values(), ids=WRONG_COLUMNS)
def test_wrong_columns_are_refused_with_name_value_and_what_would_work(changed, problem):
    with pytest.raises(InvalidComparisons, match=problem):
        Judgments(**(ONE_CONTEXT | {"p_first": [0.5, 0.6, 0.7]} | changed))


WRONG_CALLS = {
    "ranking": (lambda own: own.scores("poe_bt"), UnknownRanking, r'ranking: "poe_bt" .*did you mean "poe-bt"'),
    "ranking of a curve": (lambda own: own.curve({}, "bradley"), UnknownRanking, 'ranking: "bradley" is unknown'),
    "selection": (lambda own: own.curve({}, "poe-bt", "randm"), UnknownSelection, r'"randm" .*did you mean "random"'),
    "draws": (
        lambda own: own.curve({}, "poe-bt", draws=0),
        InvalidComparisons,
        "draws: 0 — expected a whole number, 1 or more",
    ),
    "seed": (
        lambda own: own.curve({}, "poe-bt", seed="1"),
        InvalidComparisons,
        "seed: '1' — expected a whole number, 0",
    ),
    "no ranking": (
        lambda own: own.scores(None),
        UnknownRanking,
        'ranking: "None" is unknown; choose one of: win-ratio',
    ),
    "level": (lambda own: own.spearman({}, "poe-bt", "systems"), InvalidComparisons, 'did you mean "system"'),
    "human": (lambda own: own.accuracy([1, 2]), InvalidComparisons, "human: list — expected a dictionary"),
    "key of human": (
        lambda own: own.accuracy({"a": 1}),
        InvalidComparisons,
        r"human: the key 'a' — expected \(context",
    ),
    "other names": (lambda own: own.accuracy({(1, "a"): 1}), InvalidComparisons, r"it has \(1, 'a'\), .* \('c', 'a'\)"),
    "score": (lambda own: own.accuracy({("c", "a"): "good"}), InvalidComparisons, "'good' — expected a number"),
}


@pytest.mark.parametrize(("call", "error", "problem"), WRONG_CALLS.values(), ids=WRONG_CALLS)
def test_wrong_arguments_are_refused_with_name_value_and_what_would_work(call, error, problem):
    with pytest.raises(error, match=problem):
        call(Judgments(**ONE_CONTEXT, p_first=[0.5, 0.6, 0.7]))


def test_scores_refuse_comparisons_that_do_not_connect():
    judgments = Judgments(list("ccdd"), list("abac"), list("babd"), [0.9, 0.8, 0.7, 0.4])

    with pytest.raises(NotConnected, match=r"of 'd' leave a, b from c, d apart — add a comparison .* win-ratio"):
        judgments.scores("bradley-terry")
    assert all(one.score is not None for one in judgments.scores("win-ratio"))


def test_expert_scores_of_a_known_expert_are_those_of_its_ranking():
    answers = [0.9, 0.8, 0.3, 0.4, 0.7, 0.6]
    judgments = Judgments(list("cccccc"), list("abcabc"), list("bcacab"), answers)

    for debias in (False, True):
        own = evenhand.expert_scores(judgments, lambda d, p: p * d - np.logaddexp(0, d), debias)
        known = judgments.scores("poe-bt", debias)

        assert [one.candidate for one in own] == ["a", "b", "c"]
        assert [one.score for one in own] == pytest.approx([one.score for one in known], abs=1e-5)
        assert [one.rank for one in own] == [one.rank for one in known]


def test_order_agreement_refuses_a_pair_asked_twice():
    judgments = Judgments(["c", "c"], ["a", "a"], ["b", "b"], [0.9, 0.8])

    with pytest.raises(InvalidComparisons, match="an ordered pair is compared twice"):
        judgments.order_agreement()


def test_frame_without_a_column_is_refused_with_the_nearest_name_and_one_of_several_runs_needs_a_choice():
    pandas = pytest.importorskip("pandas")

    with pytest.raises(
        InvalidComparisons, match=r'no column "context" \(did you mean "contexts"\?\); it has: contexts'
    ):
        Judgments.from_frame(pandas.DataFrame({"contexts": ["c"], "first": ["a"], "second": ["b"], "p_first": [1]}))

    frame = pandas.DataFrame(ONE_CONTEXT | {"p_first": [0.9, 0.2, 0.4], "judge": ["one", "other", "other"]})

    with pytest.raises(InvalidComparisons, match='judge: there are one, other — give one of them, judge="one"'):
        Judgments.from_frame(frame)
    with pytest.raises(InvalidComparisons, match=r'run: "judges" is unknown \(did you mean "judge"\?\)'):
        Judgments.from_frame(frame, judges="one")
    assert Judgments.from_frame(frame, judge="other").p_first().n == 2


def test_no_comparisons_have_figures_that_say_so():
    nothing = Judgments([], [], [], [])

    assert (len(nothing), nothing.scores("poe-bt")) == (0, [])
    assert nothing.p_first().undefined == nothing.threshold().undefined == "no comparison has an answer"


def test_file_of_several_runs_needs_a_choice(tmp_path):
    path = tmp_path / "both.csv"
    path.write_text("context,attribute,first,second,p_first\nc,fluency,a,b,0.9\nc,coherence,a,b,0.2\n")

    with pytest.raises(InvalidComparisons, match="attribute: there are fluency, coherence — give one of them"):
        Judgments.read(path)
    with pytest.raises(InvalidComparisons, match=r'attribute: "fluent" is unknown \(did you mean "fluency"'):
        Judgments.read(path, attribute="fluent")
    assert Judgments.read(path, attribute="coherence").p_first().value == 0.0


def test_file_without_attribute_is_one_run(tmp_path):
    path = tmp_path / "own.csv"
    path.write_text("context,first,second,choice\nc,a,b,first\nc,b,a,\n")

    judgments = Judgments.read(path)

    assert (len(judgments), judgments.p_first().n) == (2, 1)


def test_file_with_a_wrong_value_is_refused_with_its_line(tmp_path):
    path = tmp_path / "wrong.csv"
    path.write_text("context,first,second,p_first\nc,a,b,1.5\n")

    with pytest.raises(InvalidFile, match=r"wrong\.csv:2: p_first"):
        Judgments.read(path)


def test_answers_of_which_only_the_decision_is_known_count_as_in_the_program(stored, capsys, tmp_path):
    path = tmp_path / "bounded.csv"
    rows = [
        ["c0", "coherence", "s0", "s1", "", "first", "-0.1", ""],
        ["c0", "coherence", "s1", "s0", "0.3", "", "", ""],
        ["c1", "coherence", "s0", "s1", "0.8", "", "", ""],
    ]
    header = ["context", "attribute", "first", "second", "p_first", "choice", "raw_first", "raw_second"]
    path.write_text("".join(",".join(row) + "\n" for row in [header, *rows]))
    printed(capsys, "import_comparisons", path, "--dataset", "Stored", "--judge", "bounded")
    run = Run.objects.get(judge__name="bounded")
    [row] = printed_json(capsys, "report", "--dataset", "Stored", "--run", run.pk)["rows"]

    judgments = Judgments.read(path)

    assert judgments.threshold().value == row["threshold"]["value"] == 0.55
    assert judgments.p_first().value == row["p_first"]["value"]


def test_figures_are_frozen():
    figure = Judgments(**ONE_CONTEXT, p_first=[0.5, 0.6, 0.7]).p_first()

    with pytest.raises(AttributeError):
        figure.value = 1.0
    assert isinstance(figure, evenhand.Figure)
