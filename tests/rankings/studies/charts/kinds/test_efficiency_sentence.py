"""The sentence above the curves of a study."""

from evenhand.numerics import Figure
from rankings.studies.charts.kinds.curves import efficiency_sentence
from rankings.tables.table import Column, Row, Table

COLUMNS = ("value", "comparisons", "needed_98", "share_98")


def sentence(*shares):
    """The sentence of runs that need these shares of 100 comparisons; the last run is best."""
    figures = [
        (0.5 + number / 10, 100.0, 100 * share, share) if share is not None else (0.5, 100.0, None, None)
        for number, share in enumerate(shares)
    ]
    rows = tuple(
        Row((f"run {number}",), tuple(None if value is None else Figure(value) for value in values))
        for number, values in enumerate(figures, start=1)
    )
    table = Table(("Run",), tuple(Column(name=name, title=name) for name in COLUMNS), rows)
    return efficiency_sentence(table, measure="spearman").replace("\u202f", " ")


def test_sentence_names_the_best_run_and_what_it_needs():
    assert sentence(0.2) == (
        "20.0 % of the comparisons (20 of 100 per context) reach 98 % of the correlation of run 1 (0.500)."
    )


def test_sentence_gives_the_range_of_several_runs():
    assert sentence(0.2, 0.4).endswith("of run 2 (0.600); 20.0 % to 40.0 % over all 2 runs.")


def test_sentence_says_so_if_all_runs_need_the_same_share():
    assert sentence(0.2, 0.2).endswith("; both runs need the same share.")
    assert sentence(0.2, 0.2, 0.2).endswith("; all 3 runs need the same share.")


def test_runs_that_never_reach_the_goal_are_not_in_the_sentence():
    assert sentence(None) == ""
    assert sentence(None, 0.2).endswith("of run 2 (0.600).")
