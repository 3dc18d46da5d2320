"""Tables as Markdown and HTML."""

from rankings.tables.formats import html_table, markdown_table
from rankings.tables.table import BEST_NOTE, TableStyle
from tests.rankings.tables.example_table import TABLE


def test_markdown_table_marks_the_best():
    lines = markdown_table(TABLE, TableStyle(caption="Two judges.")).splitlines()

    assert lines[:4] == [
        "Two judges.",
        "",
        "| Run | Judge | Answers | Accuracy (%) | n | Spearman raw | Spearman debiased |",
        "| --- | --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    assert lines[5] == (
        "| 1 | good & new | 1,200 | **81.4** [80.1, 82.8] | 419 | **0.500** [0.400, 0.600] | -0.250 [-0.500, 0.000] |"
    )
    assert lines[6] == "| 2 | =poor | 1,200 | 60.0 [55.0, 65.0] | 400 | 0.250 [0.100, 0.400] | – |"
    assert lines[-5:] == ["A note.", "", BEST_NOTE, "", "Check run 2."]


def test_markdown_table_escapes_a_pipe_in_a_name():
    row = TABLE.rows[1].__class__((1, "a|b*"), TABLE.rows[1].figures)
    table = TABLE.__class__(TABLE.name_titles, TABLE.columns, (row,), headline="Judge")

    assert "| a\\|b\\* | 1,200 |" in markdown_table(table, TableStyle())


def test_note_says_what_plus_minus_is():
    assert "\n\n± is half the width of the interval.\n\n" in markdown_table(TABLE, TableStyle(interval="plus-minus"))


def test_html_table_marks_best_and_escapes_names():
    html = html_table(TABLE, TableStyle(caption="<b>", interval="subscript"))

    assert "<caption>&lt;b&gt;</caption>" in html
    assert (
        "<tr><td>1</td><td>good &amp; new</td><td>1,200</td><td><strong>81.4</strong><sub>[80.1, 82.8]</sub></td>"
        in html
    )
    assert "<td>60.0<sub>[55.0, 65.0]</sub></td>" in html
    assert html.endswith(f"<p>A note.</p>\n<p>{BEST_NOTE}</p>\n<p>Check run 2.</p>\n")
