"""Studies in which hardly any figure exists: each is null with its reason, and none is NaN or infinite."""

from itertools import permutations
from math import isfinite

import pytest

from evenhand.numerics import RANKINGS
from evenhand.report_json import as_json
from rankings.curves.curve_records import CurveChoice
from rankings.report.long_lines import every_figure_csv
from rankings.report.report_columns import COLUMNS
from rankings.report.report_rows import report_rows
from rankings.report.report_table import TableChoice, report_table
from rankings.tables.formats import csv_table
from rankings.tables.latex_table import latex_table
from rankings.tables.table import TableStyle
from rankings.tables.text_table import text_table
from tests.rankings.report.report_figures import agreement_json, curve_json, diagnostics_json, report_json, scores_json
from tests.rankings.studies import compared, make_dataset, scored

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("forget_reports")]

SCORED = {"a": 3.0, "b": 2.0, "c": 1.0}
HEADER = {"dataset": {"attributes": [{"name": "overall"}]}}


def contexts(scores, *, n=2, votes=""):
    """Contexts of the same human scores, with votes of one rater such as "ab ba", each for the first."""
    candidates = [
        {"candidate": key, "system": key, "text": key} | ({} if score is None else {"scores": {"overall": score}})
        for key, score in scores.items()
    ]
    cast = [
        {"attribute": "overall", "first": first, "second": second, "choice": "first", "rater": "h1"}
        for first, second in votes.split()
    ]
    return [{"context": f"c{number}", "text": "T", "candidates": candidates, "votes": cast} for number in range(n)]


def every_pair(answer, *, keys="abc", n=2):
    """The same answer, a p_first or a choice, to every ordered pair."""
    p_first, choice = (answer, "") if isinstance(answer, float) else ("", answer)
    pairs = [(number, *pair) for number in range(n) for pair in permutations(keys, 2)]
    lines = [f"c{number},overall,{first},{second},{p_first},{choice}" for number, first, second in pairs]
    return "\n".join(["context,attribute,first,second,p_first,choice", *lines])


STUDIES = {
    "all ties": (contexts(SCORED), every_pair("tie")),
    "all unparsed": (contexts(SCORED), every_pair("unparsed")),
    "always sure of the first": (contexts(SCORED), every_pair(1.0)),
    "never sure": (contexts(SCORED), every_pair(0.5)),
    "one word for all": (contexts(SCORED), every_pair(0.7)),
    "people without an opinion": (contexts(dict.fromkeys("abc", 2.0)), every_pair(0.7)),
    "no people": (contexts(dict.fromkeys("abc")), every_pair(0.7)),
    "one annotator": (contexts(dict.fromkeys("abc"), votes="ab bc"), every_pair(0.7)),
    "one pair": (contexts({"a": 2.0, "b": 1.0}, n=1), every_pair(0.7, keys="ab", n=1)),
}


def missing_reasons(value, path=""):
    """Return the paths of nulls without a reason and of numbers that are not finite. Names may be null."""
    if isinstance(value, float) and not isfinite(value):
        yield path
    if isinstance(value, list):
        for number, inner in enumerate(value):
            yield from missing_reasons(inner, f"{path}[{number}]")
    if isinstance(value, dict):
        why = value.get("undefined", {})
        for key, inner in value.items():
            is_told = key in why if isinstance(why, dict) else bool(why)
            if inner is None and key not in {"subset", "family", "run", "judge", "method", "prompt"} and not is_told:
                yield f"{path}.{key}"
            yield from missing_reasons(inner, f"{path}.{key}")


@pytest.mark.parametrize("study", STUDIES)
def test_figures_that_do_not_exist_are_null_with_a_reason(study):
    of_people, answers = STUDIES[study]
    dataset = make_dataset([HEADER, *of_people])
    run = compared(dataset, answers)
    choice = CurveChoice(
        selections=("random", "symmetric"), biases=("raw", "debiased", "averaged"), people=True, draws=2
    )

    rows = report_rows(dataset)
    reports = {
        "report": as_json(rows),
        "scores": [
            scores_json(run, ranking=ranking, debias=debias) for ranking in RANKINGS for debias in (False, True)
        ],
        "curve": curve_json(run, choice),
        "agreement": agreement_json(dataset, attributes=[run.attribute], runs=[run]),
        "diagnostics": diagnostics_json(run, runs=[run]),
    }

    assert list(missing_reasons(reports)) == []
    table = report_table(rows, TableChoice(columns=tuple(COLUMNS)))
    tables = [
        every_figure_csv(rows),
        csv_table(table),
        latex_table(table, TableStyle()),
        text_table(table, TableStyle()),
    ]
    assert not any(word in table for table in tables for word in ("nan", "inf,", "None"))


@pytest.mark.parametrize("score", ["5", "1e50", ""])
def test_figures_of_constant_scores_are_0_or_null_with_a_reason(score):
    dataset = make_dataset([HEADER, *contexts(SCORED)])
    lines = [f"c{number},overall,{key},{score}" for number in range(2) for key in "abc"]
    run = scored(dataset, "\n".join(["context,attribute,candidate,score", *lines]))

    [row] = report_json(dataset)

    assert list(missing_reasons([row, scores_json(run, ranking="score"), diagnostics_json(run, runs=[run])])) == []
    assert row["spearman"]["score"]["raw"]["per_context"] == (0 if score else None)
    assert row["accuracy"]["value"] == (0.5 if score else None)
