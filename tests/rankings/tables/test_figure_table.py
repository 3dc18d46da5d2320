"""The table of figures of pages: what a cell, a heading and a footnote say."""

from dataclasses import replace

from django.http import QueryDict
from django.template.loader import render_to_string

from evenhand.numerics import Figure
from rankings.tables.figure_table import figure_table
from rankings.tables.sorting import Sort
from rankings.tables.table import TIES_NOTE, Column, Row, Table
from tests.rankings.tables.example_table import COLUMNS, GOOD, PEOPLE, POOR, TABLE


def drawn(table=TABLE, **options):
    return figure_table(table, label="Runs", **options)


def cells(table, row):
    """Return the cells of a row by the name of their column."""
    rows = [row for section in table.sections for row in section.rows]
    return {cell.column.name: cell for cell in rows[row].cells}


def test_cell_has_the_number_half_the_interval_and_both_ends_on_hover():
    cell = cells(drawn(), 1)["accuracy"]

    assert (cell.number, cell.interval, cell.mark) == ("81.4", "±1.4", "best")
    assert cell.details == "95 % CI 80.1 to 82.8 %, n = 419"
    assert cell.plot is not None


def test_negative_number_has_a_true_minus_sign():
    cell = cells(drawn(), 1)["spearman_debiased"]

    assert cell.number == "−0.250"
    assert cell.details == "95 % CI −0.500 to 0.000, n = 30"


def test_missing_figure_is_a_dash_with_a_footnote():
    table = drawn()

    cell = cells(table, 2)["spearman_debiased"]

    assert (cell.number, cell.reason) == ("–", "every p is 1/2")
    assert table.reasons[cell.note - 1] == "every p is 1/2"


def test_footnotes_list_each_reason_once():
    missing = replace(POOR, figures=(Figure(1), *(Figure.missing(why) for why in ("no votes", "no order", "no votes"))))

    table = drawn(replace(TABLE, rows=(GOOD, missing)))

    assert table.reasons == ("no votes", "no order")
    assert [cells(table, 1)[column.name].note for column in COLUMNS[1:]] == [1, 2, 1]


def test_n_stands_once_where_all_figures_share_it():
    rows = (Row(("a",), (Figure(0.5, n=30),)), Row(("b",), (Figure(0.7, n=30),)))
    table = drawn(Table(("Judge",), COLUMNS[1:2], rows))

    assert table.shared == "n = 30"
    assert table.headings[0].n == ""
    assert cells(table, 0)["accuracy"].own_n == ""


def test_n_stands_in_the_heading_of_a_column_and_in_cells_that_differ():
    table = drawn()

    assert [heading.n for heading in table.headings] == ["", "n = 100–419", "n = 30", "n = 30"]
    assert cells(table, 1)["accuracy"].own_n == "n = 419"
    assert cells(table, 1)["spearman"].own_n == ""


def test_column_without_a_value_is_not_drawn_but_named_with_its_reason():
    rows = tuple(replace(row, figures=(*row.figures[:3], Figure.missing("nobody voted"))) for row in (GOOD, POOR))

    table = drawn(replace(TABLE, rows=rows))

    assert [heading.column.name for heading in table.headings] == ["answers", "accuracy", "spearman"]
    assert "Not available: Spearman debiased (nobody voted)." in table.notes


def test_names_that_all_rows_share_stand_once_above_the_table():
    rows = tuple(
        replace(row, names=(*row.names, "comparative")) if row.of == "judge" else replace(row, names=("", "People", ""))
        for row in (PEOPLE, GOOD, POOR)
    )

    table = drawn(Table(("Run", "Judge", "Method"), COLUMNS, rows, headline="Judge"))

    assert table.shared == "method comparative"
    assert [name.title for name in table.names] == ["Judge", "Run"]
    assert [(row.name, row.more_names) for row in table.sections[0].rows] == [
        ("People", ""),
        ("good & new", "run 1"),
        ("=poor", "run 2"),
    ]


def test_rows_stand_below_the_title_of_their_section():
    rows = (replace(GOOD, section="coherence"), replace(POOR, section="fluency"))

    sections = drawn(replace(TABLE, rows=rows)).sections

    assert [(section.title, len(section.rows)) for section in sections] == [("coherence", 1), ("fluency", 1)]


def test_heading_sorts_by_its_column_and_keeps_the_other_parameters():
    table = drawn(address=QueryDict("attribute=fluency&sort=accuracy"), sort=Sort("accuracy"))

    accuracy, spearman = table.headings[1].sort, table.headings[2].sort

    assert (accuracy.href, accuracy.direction) == ("?attribute=fluency&sort=-accuracy", "descending")
    assert (spearman.href, spearman.direction) == ("?attribute=fluency&sort=spearman", "")
    assert table.headline == "accuracy"


def test_tie_with_the_best_is_marked_and_explained():
    table = drawn(replace(TABLE, rows=(GOOD, replace(POOR, ties=frozenset({1})))))

    assert cells(table, 1)["accuracy"].is_tied
    assert not cells(table, 1)["spearman"].is_tied
    assert TIES_NOTE in table.notes


def test_columns_of_shares_have_one_scale_and_so_have_those_of_coefficients():
    columns = (
        Column(name="first", title="Shown first"),
        Column(name="second", title="Shown second", reference=0.5),
        Column(name="raw", title="raw", kind="coefficient", reference=0),
        Column(name="debiased", title="debiased", kind="coefficient"),
        Column(name="tokens", title="Tokens", kind="number"),
        Column(name="seconds", title="Seconds", kind="number"),
    )
    large, small = Figure(9e3, 8e3, 1e4), Figure(2.0, 1.0, 3.0)
    shares, coefficients = (Figure(0.7, 0.6, 0.8), Figure(0.3, 0.2, 0.4)), (Figure(0.6, 0.4, 0.8), Figure(0, -0.2, 0.2))
    rows = tuple(Row((name,), (*shares, *coefficients, large, small)) for name in ("one", "other"))

    plots = [cell.plot for cell in cells(drawn(Table(("Judge",), columns, rows)), 0).values()]

    assert [(plot.low, plot.dot, plot.high) for plot in plots] == [
        *((65.7, 81.3, 97.0), (3.0, 18.7, 34.3)),
        *((59.4, 78.2, 97.0), (3.0, 21.8, 40.6)),
        *((3.0, 50.0, 97.0), (3.0, 50.0, 97.0)),
    ]
    assert [plot.reference for plot in plots] == [None, 50.0, 21.8, None, None, None]


def test_single_figure_without_a_reference_has_no_plot():
    column, figures = Column(name="accuracy", title="Accuracy"), (Figure(0.6, 0.5, 0.7),)

    alone = drawn(Table(("Judge",), (column,), (Row(("a",), figures),)))
    beside_chance = drawn(Table(("Judge",), (replace(column, reference=0.5),), (Row(("a",), figures),)))

    assert cells(alone, 0)["accuracy"].plot is None
    assert cells(beside_chance, 0)["accuracy"].plot is not None


def test_template_links_names_and_figures_and_draws_the_interval():
    linked = replace(GOOD, href="/runs/1/", cell_hrefs=("", "/runs/1/comparisons/", "", ""))

    html = render_to_string("rankings/_figure_table.html", {"table": drawn(replace(TABLE, rows=(linked, POOR)))})

    assert '<a href="/runs/1/">' in html
    assert '<a href="/runs/1/comparisons/"><span class="best">81.4</span></a>' in html
    assert '<a class="missing" href="#figures-note-1" title="every p is 1/2"' in html
    assert html.count('<svg class="plot"') == 5
    assert "style=" not in html


def test_heading_links_to_its_definition():
    column = Column(name="accuracy", title="Accuracy", definition="report/#accuracy")

    html = render_to_string(
        "rankings/_figure_table.html", {"table": drawn(Table(("Judge",), (column,), (Row(("a",), (Figure(0.5),)),)))}
    )

    assert 'href="/docs/reference/report/#accuracy"' in html


def test_figure_over_few_observations_carries_a_warning():
    column = Column(name="spearman", title="Spearman", kind="coefficient", observations="context")
    rows = (Row(("a",), (Figure(1.0, n=2),)), Row(("b",), (Figure(0.5, n=40),)))

    table = drawn(Table(("Judge",), (column,), rows))

    assert [cells(table, row)["spearman"].warning for row in (0, 1)] == ["rests on 2 contexts", ""]


def test_heading_of_a_column_with_the_lowest_first_says_that_it_ascends():
    p = Column(name="p", title="p", kind="p", lowest_first=True)
    table = Table(("Figure",), (p,), (Row(("accuracy",), (Figure(0.03),)),))

    ascending, descending = (
        figure_table(table, label="p", sort=Sort.parse(sort)).headings[0].sort for sort in ("p", "-p")
    )

    assert (ascending.direction, descending.direction) == ("ascending", "descending")
    assert (ascending.href, descending.href) == ("?sort=-p", "?sort=p")


def test_page_of_a_longer_table_is_left_to_the_server_to_sort():
    whole, part = (
        render_to_string("rankings/_figure_table.html", {"table": drawn(is_part=is_part)}) for is_part in (False, True)
    )

    assert "data-sort-table" in whole
    assert "data-sort-table" not in part


def test_chosen_figure_comes_first_on_cards_unless_another_column_sorts():
    chosen, sorting = drawn(first_on_cards="spearman"), drawn(first_on_cards="spearman", sort=Sort("answers"))

    assert (drawn().headline, chosen.headline, sorting.headline) == ("accuracy", "spearman", "answers")
