"""Read a table of people to invite, by name or e-mail address."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from evenhand.file_problems import ProblemLog, describe_value
from evenhand.formats.checked_rows import MAX_NAME_LENGTH, CheckedRow, FileRows
from evenhand.formats.source_files import SourceFile
from evenhand.formats.tables.opening import open_files

MAX_PEOPLE = 1_000  # of a campaign, an invitation or a shared dataset too
MAX_PEOPLE_BYTES = 2**20
PEOPLE_COLUMNS = ("name", "email")
_EMAIL = re.compile(r"[^@\s]+@[^@\s.]+\.[^@\s]+")


@dataclass(frozen=True, slots=True)
class InvitedPerson:
    """A person of a file. name or email may be empty, but not both."""

    file: str
    line: int
    name: str
    email: str

    @property
    def label(self) -> str:
        """The e-mail address; without one, the name."""
        return self.email or self.name

    @property
    def full_name(self) -> str:
        """The name and the e-mail address, as in "Ann <ann@example.org>", or the one that there is."""
        return f"{self.name} <{self.email}>" if self.name and self.email else self.label


def read_people(file: SourceFile) -> list[InvitedPerson]:
    """Read the people of a table with the column `name`, `email` or both, at most MAX_PEOPLE.

    Raises InvalidFile with every problem.
    """
    log = ProblemLog([file.name])
    people: list[InvitedPerson] = []
    with open_files([file], log, max_bytes=MAX_PEOPLE_BYTES, is_table=True) as tables:
        for rows in tables:
            if _has_known_columns(rows, log):
                people += [_make_person(row) for row in rows]
    if not people and not len(log):
        log.add(file.name, None, "", "no line", "at least one person")
    if len(people) > MAX_PEOPLE:
        log.add(file.name, None, "", f"{len(people):,} people", f"at most {MAX_PEOPLE:,}")
    _refuse_repeated(people, log)
    log.raise_if_any(records=people)
    return people


def _has_known_columns(rows: FileRows, log: ProblemLog) -> bool:
    unknown = [name for name in rows.columns if name and name not in PEOPLE_COLUMNS]
    for name in unknown:
        log.add(rows.name, 1, "", f"unknown column {describe_value(name)}", "name or email")
    return not unknown


def _make_person(row: CheckedRow) -> InvitedPerson:
    row.refuse_unknown_keys(PEOPLE_COLUMNS)
    name = row.optional_text("name", max_length=MAX_NAME_LENGTH).strip()
    email = row.optional_text("email", max_length=MAX_NAME_LENGTH).strip()
    if email and not _EMAIL.fullmatch(email):
        row.add_problem("email", describe_value(email), "an address such as ann@example.org")
    if not name and not email:
        row.add_problem("", "an empty line", "a name or an e-mail address")
    return InvitedPerson(row.file, row.line, name, email)


def _refuse_repeated(people: Sequence[InvitedPerson], log: ProblemLog) -> None:
    first_lines: dict[str, int] = {}
    for person in people:
        label = person.label.casefold()
        if label and label in first_lines:
            expected = f"each person once; line {first_lines[label]} has the same"
            log.add(person.file, person.line, "", describe_value(person.label), expected)
        first_lines.setdefault(label, person.line)
