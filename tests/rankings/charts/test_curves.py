"""What the pages hand to the charts."""

from rankings.charts import agreement_chart, curve_chart

POINT = {
    "ranking": "poe-bt",
    "selection": "random",
    "debiased": False,
    "average_orders": False,
    "comparisons": 10,
    "draws": 50,
    "source": "judge",
}
RANGE = {"mean": 0.5, "low": 0.4, "high": 0.6}
MISSING = {"mean": None, "low": None, "high": None, "undefined": "no human scores"}


def test_curve_has_a_line_for_each_ranking_and_selection():
    points = [POINT | RANGE, POINT | RANGE | {"comparisons": 20}, POINT | RANGE | {"selection": "symmetric"}]

    lines = curve_chart(points, measure="Spearman")["lines"]

    assert [(line["name"], line["x"], line["dash"]) for line in lines] == [
        ("PoE, Bradley-Terry, random", [10, 20], "solid"),
        ("PoE, Bradley-Terry, symmetric", [10], "dash"),
    ]


def test_curve_keeps_the_colour_of_a_ranking_whatever_else_is_drawn():
    alone = curve_chart([POINT | RANGE], measure="Spearman")["lines"]
    second = curve_chart([POINT | RANGE | {"ranking": "win-ratio"}, POINT | RANGE], measure="Spearman")["lines"]

    assert second[1]["series"] == alone[0]["series"]


def test_curve_marks_debiased_lines():
    points = [POINT | RANGE, POINT | RANGE | {"debiased": True}]

    lines = curve_chart(points, measure="Spearman")["lines"]

    assert [(line["name"], line["open"]) for line in lines] == [
        ("PoE, Bradley-Terry", False),
        ("PoE, Bradley-Terry, debiased", True),
    ]


def test_curve_marks_lines_of_averaged_orders():
    points = [POINT | RANGE, POINT | RANGE | {"average_orders": True}]

    lines = curve_chart(points, measure="Spearman")["lines"]

    assert [(line["name"], line["open"], line["dotted"]) for line in lines] == [
        ("PoE, Bradley-Terry", False, False),
        ("PoE, Bradley-Terry, orders averaged", True, True),
    ]


def test_curve_of_pairs_is_one_line_whatever_selections_are_drawn():
    pairs = POINT | RANGE | {"ranking": "pairs", "selection": "pairs"}
    points = [POINT | RANGE, POINT | RANGE | {"selection": "symmetric"}, pairs, pairs | {"comparisons": 12.5}]

    lines = curve_chart(points, measure="Spearman")["lines"]

    assert (lines[2]["name"], lines[2]["x"], lines[2]["dash"]) == ("PairS", [10, 12.5], "solid")


def test_curve_has_one_line_of_people():
    """The first ranking of which people have a curve."""
    people = [POINT | {"source": "people", "ranking": ranking} for ranking in ("win-ratio", "poe-bt", "likelihood")]

    chart = curve_chart([POINT | RANGE, people[0] | MISSING, people[1] | RANGE, people[2] | RANGE], measure="Spearman")

    assert chart["x_title"] == "Comparisons or votes per context"
    assert [line["name"] for line in chart["lines"]] == ["PoE, Bradley-Terry", "people, PoE, Bradley-Terry"]
    assert chart["lines"][1]["people"]


def test_curve_leaves_out_points_without_a_value():
    assert curve_chart([POINT | MISSING], measure="Spearman") is None


def row(human: float | None = 0.74, accuracy: float | None = 0.7) -> dict[str, object]:
    named = {"run": 3, "judge": "flan", "prompt": "comparative-1", "attribute": "coherence"}
    return named | {"accuracy": {"value": accuracy, "low": 0.65, "high": 0.75, "n": 180}, "human": {"value": human}}


def test_agreement_has_the_line_of_people_only_where_it_is_one_line():
    assert agreement_chart([row(), row()])["ceiling"] == 0.74
    assert agreement_chart([row(), row(human=0.8)])["ceiling"] is None


def test_agreement_tells_on_how_many_comparisons_each_run_rests():
    assert [dot["n"] for dot in agreement_chart([row()])["dots"]] == [180]


def test_curve_tells_of_how_many_draws_it_is():
    points = [POINT | RANGE | {"draws": 40}, POINT | RANGE | {"draws": 50}]

    note = curve_chart(points, measure="Spearman")["note"]

    assert note == "Lines: means of 50 draws of the comparisons; bands: the middle 95 % of the draws."


def test_agreement_without_an_accuracy_is_not_drawn():
    assert agreement_chart([row(accuracy=None)]) is None
