"""Cards of figures as a table with one row: a column for each figure, its meaning below."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils.text import slugify

from rankings.report.pages.run_page import Card
from rankings.tables.table import Column, Row, Table


def card_table(cards: Sequence[Card], *, title: str, name: str) -> Table:
    """Return the table of some cards. title, name: of its row."""
    columns = tuple(
        Column(
            name=slugify(card.title),
            title=card.title,
            kind="share" if card.is_share else "coefficient",
            definition=card.definition,
        )
        for card in cards
    )
    row = Row((name,), tuple(card.figure for card in cards))
    notes = tuple(f"{card.title}: {card.explanation}" for card in cards if card.figure.value is not None)
    return Table((title,), columns, (row,), notes=notes)
