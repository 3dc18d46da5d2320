"""Tables of people to invite."""

import pytest

from evenhand.file_problems import InvalidFile
from evenhand.formats import SourceFile
from evenhand.formats.people_files import read_people


def people(text):
    return [(one.line, one.name, one.email) for one in read_people(SourceFile("people.csv", text.encode()))]


def problems(text):
    with pytest.raises(InvalidFile) as refusal:
        people(text)
    return [str(problem) for problem in refusal.value.problems]


def test_people_have_a_name_an_address_or_both():
    assert people("name,email\nAnn,ann@example.org\nBen,\n,cleo@example.org\n") == [
        (2, "Ann", "ann@example.org"),
        (3, "Ben", ""),
        (4, "", "cleo@example.org"),
    ]


@pytest.mark.parametrize("separator", [";", "\t"])
def test_columns_may_be_separated_by_semicolons_or_tabs(separator):
    assert people(f"email{separator}name\nann@example.org{separator}Ann\n") == [(2, "Ann", "ann@example.org")]


def test_every_problem_is_listed():
    assert problems("name,email\nAnn,ann at example\nBen,\nBen,\n,\nCleo,cleo@example.org\n,CLEO@example.org\n") == [
        'people.csv:2: email: "ann at example" — expected an address such as ann@example.org',
        'people.csv:4: "Ben" — expected each person once; line 3 has the same',
        "people.csv:5: an empty line — expected a name or an e-mail address",
        'people.csv:7: "CLEO@example.org" — expected each person once; line 6 has the same',
    ]


@pytest.mark.parametrize("text", ["mail\na@b.org\nc@d.org\n", "name,mail\nAnn,a@b.org\nBen,c@d.org\n"])
def test_an_unknown_column_is_one_problem(text):
    assert problems(text) == ['people.csv:1: unknown column "mail" — expected name or email']


def test_a_file_has_one_to_a_thousand_people():
    lines = "name\n" + "".join(f"person {number}\n" for number in range(1_001))

    assert problems("name\n") == ["people.csv: no line — expected at least one person"]
    assert problems(lines) == ["people.csv: 1,001 people — expected at most 1,000"]
