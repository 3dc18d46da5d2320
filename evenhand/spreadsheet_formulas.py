"""Escape texts that a spreadsheet would run as a formula when it opens a CSV file.

Every text column of every CSV download is escaped: an apostrophe goes before a text that starts like a formula.
A text of apostrophes followed by a formula gets one more, so removing one apostrophe always restores the text.
Numbers are not escaped.
"""

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def escape_formula(text: str) -> str:
    """Return the text with an apostrophe in front if a spreadsheet would run it."""
    return f"'{text}" if text.lstrip("'").startswith(FORMULA_STARTS) else text


def csv_cell(value: object) -> object:
    """Return a value as it stands in a CSV file: escape a text, and write true or false. Others stay unchanged."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return escape_formula(value) if isinstance(value, str) else value


def unescape_formula(cell: str) -> str:
    """Return the text from which `escape_formula` made this cell."""
    return cell[1:] if cell.startswith("'") and cell.lstrip("'").startswith(FORMULA_STARTS) else cell
