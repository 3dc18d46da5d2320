"""Pivot tables: every number is one of the report, and means are of the numbers of the report."""

from itertools import product
from statistics import fmean, stdev

import pytest

from evenhand.numerics import RANKING_TITLES, Figure
from evenhand.report_json import as_json
from judging.services.studies.study_changes import create_study
from rankings.report.report_choice import ReportChoice, SubsetGroup
from rankings.report.report_columns import CORRELATIONS
from rankings.studies.pivots.pivot import cell_of, pivot_of
from rankings.studies.pivots.pivot_choice import PivotChoice
from rankings.studies.pivots.pivot_figures import PIVOT_FIGURES, FigureChoice
from rankings.studies.pivots.pivot_source import parts_of_runs
from rankings.studies.study_choice import runs_of_study
from tests.commands import printed_json, refused
from tests.rankings.studies import WORKED_ANSWERS, WORKED_CONTEXTS, answers, compared, make_dataset, one_context, scored

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("forget_reports")]

SCORES = """\
context,attribute,candidate,score
c0,overall,a,3
c0,overall,b,2
c0,overall,c,1
c1,overall,a,1
c1,overall,b,2
"""
GROUP = ("--group", "Both=scored,voted")
LEVELS = ("per_context", "pooled", "system")


def of_prompt(prompt, text=WORKED_ANSWERS):
    """Return recorded answers of a prompt."""
    head, *lines = text.splitlines()
    return "\n".join([f"{head},prompt", *(f"{line},{prompt}" for line in lines)]) + "\n"


@pytest.fixture
def study():
    """Two judges, one with two prompts, a metric, and a run of a subset alone; and a run outside of the study."""
    dataset = make_dataset()
    of_one_subset = "\n".join(WORKED_ANSWERS.splitlines()[:7]) + "\n"
    runs = [
        compared(dataset, of_prompt("one"), judge="GPT"),
        compared(dataset, of_prompt("two", WORKED_ANSWERS.replace("0.9", "0.2")), judge="GPT"),
        compared(dataset, of_prompt("one", of_one_subset), judge="Llama"),
        scored(dataset, SCORES, judge="ROUGE"),
    ]
    compared(dataset, of_prompt("one", WORKED_ANSWERS.replace("0.9", "0.1")), judge="outsider")
    return create_study("Table 1", runs=runs)


def expected_of(row, name, ranking, level, *, debiased):
    """Return value, low, high, n and reason of a figure, from a row of `report --json`."""
    if name in ("comparisons", "unparsed", "errors"):
        return row[name], None, None, None, None
    if name == "n":
        return row["accuracy"]["n"], None, None, None, None
    if name not in CORRELATIONS:
        figure = row.get(name if not debiased or name.endswith("_debiased") else f"{name}_debiased") or {"value": None}
        return *(figure.get(part) for part in ("value", "low", "high", "n")), figure.get("undefined")
    by_ranking = row[name]
    both = by_ranking.get(ranking) or next(iter(by_ranking.values()))
    block = both.get("debiased" if debiased else "raw") or {level: None, "contexts": None}
    if name == "soft_pairwise_accuracy":
        return block.get("value"), None, None, block.get("pairs"), block.get("undefined")
    n = block.get(f"{level}_pairs", block["contexts"] if level == "per_context" else None)
    return block[level], block.get(f"{level}_low"), block.get(f"{level}_high"), n, block.get("undefined", {}).get(level)


def choices():
    """Yield every figure with each of its rankings, levels and debiasings."""
    for name, figure in PIVOT_FIGURES.items():
        rankings, levels = (RANKING_TITLES, LEVELS) if figure.is_ranked else (("bradley-terry",), ("per_context",))
        yield from product([name], rankings, levels, (False, True) if figure.debiased else (False,))


def test_every_number_of_a_pivot_table_is_one_of_the_report(study, capsys):
    report = printed_json(capsys, "report", "--dataset", "Study", *GROUP)
    rows = {(row["run"], row["subset"]): row for row in report["rows"]}
    answers_read = ReportChoice(groups=(SubsetGroup.parse(GROUP[1]),))
    parts = parts_of_runs(runs_of_study(study), PivotChoice(("judge",), ("subset",), answers=answers_read))
    compared_cells = 0

    for name, ranking, level, debiased in choices():
        figure = FigureChoice(name, ranking, level, debiased)
        table = as_json(pivot_of(parts, PivotChoice(("judge", "prompt"), ("subset",), figure)))

        assert table["columns"] == ["all", "scored", "voted", "Both"]
        for subset, cell in (pair for line in table["cells"] for pair in zip(table["columns"], line, strict=True)):
            [run] = cell["runs"]
            if (run, subset) not in rows:
                assert cell["undefined"] == "the run has no answer on this subset"
                continue
            *numbers, why = expected_of(rows[run, subset], name, ranking, level, debiased=debiased)
            assert [cell[part] for part in ("value", "low", "high", "n")] == numbers
            assert cell["sd"] is None
            assert cell["value"] is not None or cell["undefined"]
            assert why in (None, cell.get("undefined"))
            compared_cells += 1
    assert compared_cells > 1000


def test_cell_of_several_runs_is_their_mean(study, capsys):
    report = printed_json(capsys, "report", "--dataset", "Study")
    figures = [row["accuracy"] for row in report["rows"] if row["judge"] == "GPT" and row["subset"] == "all"]

    table = printed_json(capsys, "study", "Table 1", "--rows", "judge", "--columns", "attribute")

    assert (table["rows"], table["columns"]) == (["GPT", "Llama", "ROUGE"], ["overall"])
    values = [figure["value"] for figure in figures]
    assert table["cells"][0][0] == {
        "value": fmean(values),
        "low": None,
        "high": None,
        "n": sum(figure["n"] for figure in figures),
        "sd": stdev(values),
        "runs": [row["run"] for row in report["rows"] if row["judge"] == "GPT" and row["subset"] == "all"],
    }


def test_mean_of_runs_has_no_n_where_one_of_them_has_none():
    known, unknown = Figure(0.5, n=10), Figure(0.7)

    cells = [cell_of([(1, one), (2, other)]) for one in (known, unknown) for other in (known, unknown)]

    assert [cell.n for cell in cells] == [20, None, None, None]
    assert [cell.value for cell in cells] == pytest.approx([0.5, 0.6, 0.6, 0.7])


def test_cell_with_an_undefined_figure_is_undefined(study, capsys):
    table = printed_json(
        capsys, "study", "Table 1", "--rows", "method", "--columns", "subset", "--only", "method=comparative"
    )

    [line] = table["cells"]
    voted = dict(zip(table["columns"], line, strict=True))["voted"]
    [_, _, llama] = voted["runs"]
    assert (voted["value"], voted["sd"]) == (None, None)
    assert voted["undefined"] == f"the run has no answer on this subset (run {llama})"


def test_reason_that_all_runs_of_a_cell_share_is_named_once(capsys):
    dataset = make_dataset(one_context(2, 2))  # people prefer neither
    create_study("Ties", runs=[compared(dataset, answers("a b 0.9"), judge=name) for name in ("GPT", "Llama")])

    table = printed_json(capsys, "study", "Ties", "--rows", "method", "--columns", "attribute")

    [[cell]] = table["cells"]
    assert cell["undefined"] == "people prefer no candidate of a compared pair; collect votes or scores"


def test_cell_without_a_run_says_so(capsys):
    one = compared(make_dataset(one_context(2, 1)), answers("a b 0.9"), judge="GPT")
    other = compared(make_dataset(one_context(2, 1), name="Other"), answers("a b 0.9"), judge="Llama")
    create_study("Two", runs=[one, other])

    table = printed_json(capsys, "study", "Two", "--rows", "judge", "--columns", "dataset")

    assert table["columns"] == ["Study", "Other"]
    empty = {"value": None, "low": None, "high": None, "n": None, "sd": None, "runs": [], "undefined": "no such run"}
    assert table["cells"][0][1] == empty
    assert table["cells"][1][1]["value"] == 1


def test_rows_follow_the_order_of_the_study(capsys):
    dataset = make_dataset()
    runs = [compared(dataset, judge=name) for name in ("zeta", "alpha")]
    create_study("Ordered", runs=runs)

    assert printed_json(capsys, "study", "Ordered", "--rows", "judge", "--columns", "attribute")["rows"] == [
        "zeta",
        "alpha",
    ]


def test_selections_name_their_settings_where_they_differ(capsys):
    from judging.services.plans.selection_settings import SelectionSettings
    from tests.factories import answer_run, make_run
    from tests.factories import make_dataset as make_plain_dataset

    dataset = make_plain_dataset()
    runs = [answer_run(make_run(dataset, selection=SelectionSettings("random", comparisons))) for comparisons in (2, 4)]
    create_study("K", runs=[*runs, answer_run(make_run(dataset))])

    table = printed_json(capsys, "study", "K", "--rows", "selection", "--columns", "attribute", "--figure", "p_first")

    assert table["rows"] == ["random, 2 comparisons", "random, 4 comparisons", "full"]


def test_groups_of_a_study_are_columns(study, capsys):
    study.groups = ["Pooled=scored,voted", "Stale=gone"]
    study.save()

    table = printed_json(capsys, "study", "Table 1", "--rows", "judge", "--columns", "subset")

    assert table["columns"] == ["all", "scored", "voted", "Pooled"]


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (("--rows", "juge"), 'rows: there is no dimension "juge" (did you mean "judge"?)'),
        (("--rows", "judge", "--columns", "judge"), 'columns: "judge" is used twice; use it once, in rows or columns'),
        (("--figure", "acuracy"), 'figure: "acuracy" is unknown (did you mean "accuracy"?)'),
        (("--figure", "threshold", "--debias"), 'debias: "threshold" has no debiased form'),
        (("--only", "judge=Nobody"), 'only: no run has the judge "Nobody"; there are: GPT, Llama, ROUGE'),
        (("--only", "judge"), 'only: "judge" — write DIMENSION=NAME, for example attribute=coherence'),
        (("--columns", "subset", "--group", "Hard=nothing"), 'group: there is no subset "nothing" for "Hard"'),
        (("--preset", "tabel"), 'preset: "tabel" is unknown; choose one of: llmbar'),
    ],
)
def test_choices_that_do_not_exist_are_refused(study, capsys, options, problem):
    [line] = refused(capsys, "study", "Table 1", *options)

    assert problem in line


def test_mean_over_subsets_is_undefined_for_one_subset(study, capsys):
    table = printed_json(capsys, "study", "Table 1", "--rows", "judge,prompt", "--figure", "accuracy_macro")

    by_column = dict(zip(table["columns"], table["cells"][0], strict=True))
    assert by_column["scored"]["undefined"].startswith("the mean over subsets")
    assert WORKED_CONTEXTS[0]["subset"] == "scored"
