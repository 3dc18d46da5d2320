"""Text files that a command reads."""

from pathlib import Path

from evenhand.refusals import Refused


def read_text(path: Path, *, option: str, if_empty: str) -> str:
    """Read a text file in UTF-8. Raises Refused if it cannot be read, or is empty.

    option: whose value it is. if_empty: the advice for an empty file.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise Refused(f"{option}: {path} cannot be read as UTF-8 text: {error}") from error
    if not text.strip():
        raise Refused(f"{option}: {path} is empty — {if_empty}")
    return text


def read_password(path: Path | None) -> str:
    """Read the first line of a file; "" without one."""
    return "" if path is None else read_text(path, option="password-file", if_empty="give a password").split("\n")[0]
