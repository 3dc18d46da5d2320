"""Texts in CSV cells that a spreadsheet would run as a formula, and their way back.

An apostrophe is put before a text that starts like a formula, and before one that starts with apostrophes and then like
a formula, so that taking one apostrophe away again is always right. Numbers are not touched.
"""

STARTS = ("=", "+", "-", "@", "\t", "\r")


def text_to_cell(text: str) -> str:
    """The text, safe to open in a spreadsheet."""
    return f"'{text}" if text.lstrip("'").startswith(STARTS) else text


def value_to_cell(value: object) -> object:
    """A value as CSV has it: a text safe to open, everything else as it is."""
    return text_to_cell(value) if isinstance(value, str) else value


def cell_to_text(cell: str) -> str:
    """What `text_to_cell` was given."""
    return cell[1:] if cell.startswith("'") and cell.lstrip("'").startswith(STARTS) else cell
