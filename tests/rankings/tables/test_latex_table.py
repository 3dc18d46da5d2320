"""Tables as LaTeX, and that LaTeX compiles them."""

from dataclasses import replace

import pytest

from rankings.tables.latex_table import escaped, latex_table
from rankings.tables.table import BEST_NOTE, INTERVAL_STYLES, Row, TableStyle
from tests.rankings.tables.example_table import TABLE
from tests.rankings.tables.latex_papers import compile_latex, needs_latex


def test_latex_table_is_ruled_by_booktabs():
    assert latex_table(TABLE, TableStyle(caption="Two judges.", label="tab:two")).splitlines() == [
        "% Needs \\usepackage{booktabs}",
        "% Check run 2.",
        "\\begin{table}",
        "\\centering",
        "\\caption{Two judges.}",
        "\\label{tab:two}",
        "\\begin{tabular}{llrrrrr}",
        "\\toprule",
        " &  &  &  &  & \\multicolumn{2}{c}{Spearman} \\\\",
        "\\cmidrule(lr){6-7}",
        "Run & Judge & Answers & Accuracy (\\%) & n & raw & debiased \\\\",
        "\\midrule",
        "People &  &  & 90.0 & 100 &  &  \\\\",
        "1 & good \\& new & 1,200 & \\textbf{81.4} [80.1, 82.8] & 419 & \\textbf{0.500} [0.400, 0.600] & "
        "$-$0.250 [$-$0.500, 0.000] \\\\",
        "2 & =poor & 1,200 & 60.0 [55.0, 65.0] & 400 & 0.250 [0.100, 0.400] & – \\\\",
        "\\bottomrule",
        "\\end{tabular}",
        "\\par\\smallskip",
        "{\\footnotesize A note.\\par}",
        f"{{\\footnotesize {BEST_NOTE}\\par}}",
        "\\end{table}",
    ]


def test_latex_table_explains_its_marks_once_and_only_where_it_has_some():
    explained = replace(TABLE, figure_notes=("Bold: highest.",))
    unmarked = replace(TABLE, rows=(replace(TABLE.rows[1], rivals=""),))

    assert [latex_table(one, TableStyle()).count("Bold:") for one in (explained, unmarked)] == [1, 0]


def test_long_latex_table_breaks_over_pages_with_its_headings_on_each():
    good, poor = TABLE.rows[1:]
    short, long = (replace(TABLE, rows=(good,) * (number - 1) + (poor,)) for number in (40, 41))
    style = TableStyle(caption="Many judges.", label="tab:many")

    lines = latex_table(long, style).splitlines()

    assert "longtable" not in latex_table(short, style)
    assert lines[0] == "% Needs \\usepackage{booktabs,longtable}"
    assert lines[2:4] == ["\\begin{longtable}{llrrrrr}", "\\caption{Many judges.}\\label{tab:many} \\\\"]
    assert lines[4:9] == lines[10:15]
    assert [lines[9], lines[15]] == ["\\endfirsthead", "\\endhead"]
    assert sum(line.startswith("1 & good") for line in lines) == 40
    assert lines[57:59] == ["\\bottomrule", "\\end{longtable}"]


@pytest.mark.parametrize(
    ("interval", "cell"),
    [
        ("plus-minus", "\\textbf{81.4} $\\pm$ 1.4"),
        ("subscript", "\\textbf{81.4}$_{[80.1,\\,82.8]}$"),
        ("none", "\\textbf{81.4}"),
    ],
)
def test_latex_table_writes_intervals_by_style(interval, cell):
    assert f" & {cell} & " in latex_table(TABLE, TableStyle(interval=interval))


@pytest.mark.parametrize(
    ("name", "latex"),
    [
        ("50%_& {a}^b~\\c$#", r"50\%\_\& \{a\}\textasciicircum{}b\textasciitilde{}\textbackslash{}c\$\#"),
        ("[best] judge", r"{[}best] judge"),
        ("* starred", r"{*} starred"),
        ('the "good" one', r"the {\char34}good{\char34} one"),
        ("models--t5-base---x", r"models-{-}t5-base-{-}-x"),
        ("<a|b>", r"\textless{}a\textbar{}b\textgreater{}"),
        ("Threshold τ", r"Threshold $\tau$"),
    ],
)
def test_escaped_text_compiles_and_reads_the_same(name, latex):
    assert escaped(name) == latex


@pytest.mark.slow
@needs_latex
@pytest.mark.parametrize("interval", INTERVAL_STYLES)
def test_latex_table_compiles(interval, tmp_path):
    odd = Row((3, '50%_& {a}^b~\\c$# [x] * "q" -- <a|b> ± τ − “é”'), TABLE.rows[1].figures)
    table = replace(TABLE, rows=(*TABLE.rows, odd), notes=("Kendall’s τ, 95\u202f% – see [1].",))
    tables = latex_table(table, TableStyle(interval=interval, caption="50 % & more", label="tab:a"))

    assert compile_latex(tables, folder=tmp_path).stat().st_size > 5_000
