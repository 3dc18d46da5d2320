"""Report rows as CSV and LaTeX."""

import csv
import io
import re
from dataclasses import replace

import pytest

from rankings.report.report_row import Correlations
from rankings.report.report_rows import report_rows
from rankings.report.run_names import RunName, Sampled
from rankings.report.tables.csv_table import csv_text
from rankings.report.tables.latex_table import MEANINGS, latex_table
from rankings.report.tables.text_table import text_table
from tests.rankings.studies import answers, compared, make_dataset, one_context, scored

pytestmark = pytest.mark.django_db


def test_csv_has_a_column_for_every_figure_in_full_precision():
    dataset = make_dataset()
    compared(dataset)
    rows = report_rows(dataset)

    lines = list(csv.DictReader(io.StringIO(csv_text(rows))))

    assert [line["subset"] for line in lines] == ["all", "scored", "voted"]
    assert float(lines[0]["accuracy.value"]) == rows[0].accuracy.value
    assert float(lines[0]["spearman.win-ratio.raw.per_context"]) == rows[0].spearman["win-ratio"].raw.per_context
    assert lines[2]["order_agreement.value"] == ""
    assert lines[2]["order_agreement.undefined"] == "no pair was decided in both orders"


def test_csv_keeps_a_judge_from_being_a_formula():
    dataset = make_dataset(one_context(1, 2))
    compared(dataset, answers("a b 0.7"), judge="=1+1")

    [line] = csv.DictReader(io.StringIO(csv_text(report_rows(dataset))))

    assert line["judge"] == "'=1+1"


def test_latex_table_is_ruled_by_booktabs_and_rounded():
    dataset = make_dataset()
    compared(dataset)

    lines = latex_table(report_rows(dataset)).splitlines()

    assert [line for line in lines if line.endswith("rule")] == ["\\toprule", "\\midrule", "\\bottomrule"]
    assert lines[6] == (
        "judge & recorded & overall & all & 7 & 7 & 0.786 [0.750, 1.000] & 0.643 [0.000, 0.750] & 0.333 & 0.866 & "
        "0.866 & 0.866 \\\\"
    )
    assert lines[8].split(" & ")[8:] == ["--", "--", "--", "-- \\\\"]


def test_tables_count_answers_and_those_that_people_decided():
    dataset = make_dataset(one_context(3, 3, 1))
    compared(dataset, answers("a b 0.7", "b c 0.7", "a c 0.7"))
    rows = report_rows(dataset)

    assert " & 3 & 2 & 1.000 & " in latex_table(rows)
    assert text_table(rows).splitlines()[1].split()[5:8] == ["3", "2", "1.000"]


def test_tables_give_a_correlation_its_interval():
    dataset = make_dataset()
    compared(dataset)
    rows = report_rows(dataset)
    block = replace(rows[0].spearman["win-ratio"].raw, per_context_low=0.5, per_context_high=0.9)
    rows[0] = replace(rows[0], spearman=rows[0].spearman | {"win-ratio": Correlations(block)})

    assert " & 0.866 [0.500, 0.900] & 0.866 & " in latex_table(rows).splitlines()[6]
    assert "0.866 [0.500, 0.900]" in text_table(rows).splitlines()[1]


FAILED = (
    "run {}: failed checks: few unparsed answers (1 of 9 comparisons could not be parsed; at most 1% is good); few "
    "errors (1 of 9 comparisons failed with an error; at most 1% is good); both orders present (3 of 4 compared pairs "
    "have answers in both orders)"
)


def test_tables_tell_which_checks_of_a_run_failed():
    dataset = make_dataset()
    run = compared(dataset)
    rows = report_rows(dataset)

    assert latex_table(rows).splitlines()[1] == f"% {FAILED.format(run.pk)}"
    assert text_table(rows).splitlines()[-2:] == ["", FAILED.format(run.pk)]


def test_tables_say_nothing_of_checks_that_passed():
    dataset = make_dataset(one_context(3, 2, 1))
    compared(dataset, answers("a b 0.7", "b a 0.6", "b c 0.7", "c b 0.6", "c a 0.7", "a c 0.6"))
    rows = report_rows(dataset)

    assert [line for line in latex_table(rows).splitlines() if line.startswith("%")] == [
        f"% \\usepackage{{booktabs}}; {MEANINGS}"
    ]
    assert len(text_table(rows).splitlines()) == 2


def test_csv_has_a_column_for_every_check_gap_and_list_of_systems():
    dataset = make_dataset()
    compared(dataset, judge="gpt-4")

    line = next(csv.DictReader(io.StringIO(csv_text(report_rows(dataset)))))

    assert (line["trust.both-orders.state"], line["trust.both-orders.value"]) == ("failed", "0.75")
    assert (line["length_preference.accuracy_by_gap.1.gap_to"], line["self_preference.family"]) == ("0.1", "gpt")


def test_csv_has_the_systems_of_a_family_in_one_cell():
    texts = [{"candidate": key, "system": f"gpt-{key}", "text": key, "scores": {"overall": 1}} for key in "345"]
    dataset = make_dataset([{"context": "c0", "text": "Article", "candidates": texts}])
    compared(dataset, "context,attribute,first,second,p_first\nc0,overall,3,4,0.7\n", judge="gpt-4")

    [line] = csv.DictReader(io.StringIO(csv_text(report_rows(dataset))))

    assert line["self_preference.systems"] == "gpt-3; gpt-4; gpt-5"


def test_latex_table_has_as_many_cells_as_columns():
    dataset = make_dataset()
    compared(dataset)
    scored(dataset, "context,attribute,candidate,score\nc0,overall,a,5\n")

    table = latex_table(report_rows(dataset))

    columns = re.search(r"\\begin{tabular}{([lr]+)}", table).group(1)
    assert {line.count(" & ") + 1 for line in table.splitlines() if line.endswith("\\\\")} == {len(columns)}


def test_latex_table_escapes_what_latex_would_read():
    dataset = make_dataset(one_context(1, 2))
    compared(dataset, answers("a b 0.7"), judge="50%_& {a}^b~\\c$#")

    [line] = [line for line in latex_table(report_rows(dataset)).splitlines() if line.startswith("50")]

    assert line.startswith(r"50\%\_\& \{a\}\textasciicircum{}b\textasciitilde{}\textbackslash{}c\$\# & ")


@pytest.mark.parametrize(
    ("name", "escaped"),
    [
        ("[best] judge", r"{[}best] judge"),
        ("* starred", r"{*} starred"),
        ('the "good" one', r"the {\char34}good{\char34} one"),
        ("models--t5-base---x", r"models-{-}t5-base-{-}-x"),
        ("<a|b>", r"\textless{}a\textbar{}b\textgreater{}"),
    ],
)
def test_latex_table_names_judges_so_that_it_compiles_and_reads_the_same(name, escaped):
    dataset = make_dataset(one_context(1, 2))
    compared(dataset, answers("a b 0.7"), judge=name)

    table = latex_table(report_rows(dataset))

    assert f"\\midrule\n{escaped} & recorded & overall & all & 1 & 1 & " in table


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({}, ""),
        ({"sampled": Sampled(None, 0.7)}, ", temperature 0.7"),
        ({"sampled": Sampled(20, 1.0), "own_metrics": "metrics-1"}, ", 20 samples at temperature 1, after metrics-1"),
    ],
)
def test_settings_tell_what_method_and_prompt_do_not(settings, told):
    assert RunName(1, "judge", "comparative", "comparative-1", "overall", **settings).settings == told
