"""A small table of two judges, with every kind of figure."""

from evenhand.numerics import Figure
from rankings.tables.table import Column, Row, Table

COLUMNS = (
    Column(name="answers", title="Answers", kind="count", parts=()),
    Column(name="accuracy", title="Accuracy", marks_best=True),
    Column(name="spearman", title="raw", group="Spearman", kind="coefficient", marks_best=True),
    Column(name="spearman_debiased", title="debiased", group="Spearman", kind="coefficient", marks_best=True),
)
GOOD = Row(
    (1, "good & new"),
    (Figure(1200), Figure(0.8142, 0.801, 0.8283, 419), Figure(0.5, 0.4, 0.6, 30), Figure(-0.25, -0.5, 0.0, 30)),
    rivals="all",
)
POOR = Row(
    (2, "=poor"),
    (Figure(1200), Figure(0.6, 0.55, 0.65, 400), Figure(0.25, 0.1, 0.4, 30), Figure.missing("every p is 1/2")),
    rivals="all",
)
PEOPLE = Row(("", "People"), (None, Figure(0.9, n=100), None, None), of="people")
TABLE = Table(("Run", "Judge"), COLUMNS, (PEOPLE, GOOD, POOR), notes=("A note.",), comments=("Check run 2.",))
