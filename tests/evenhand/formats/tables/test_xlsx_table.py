"""XLSX workbooks: cells, sheets, and workbooks that are broken."""

import datetime
import io

import openpyxl
import pytest
from openpyxl.utils.datetime import CALENDAR_MAC_1904

from evenhand.formats import SourceFile, TableMapping, read_dataset
from tests.evenhand.formats.small_files import dataset_problems, problems
from tests.evenhand.formats.workbooks import cells_workbook

MAPPING = TableMapping("candidates", {"context_text": "q", "text": "a", "system": "m", "score:x": "s"})
HEADER = ["q", "a", "m", "s"]


def workbook(*rows, sheets=()):
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    for sheet in sheets:
        book.create_sheet(sheet)
    return saved(book)


def saved(book):
    buffer = io.BytesIO()
    book.save(buffer)
    return SourceFile("d.xlsx", buffer.getvalue())


def read(*rows, sheets=()):
    return read_dataset([workbook(*rows, sheets=sheets)], mapping=MAPPING)


def test_cells_become_texts_and_numbers():
    record = read(HEADER, ["Why?", 42, datetime.date(2026, 1, 2), 3.25], [], ["Why?", "x", 7.0, 4])

    first, second = record.contexts[0].candidates
    assert (first.text, first.system[:10], first.scores) == ("42", "2026-01-02", {"x": 3.25})
    assert (second.system, second.scores) == ("7", {"x": 4.0})


def test_only_the_first_sheet_is_read_and_the_others_are_noted():
    record = read(HEADER, ["Why?", "So.", "M", 1], sheets=["Notes"])

    assert record.notes == ("d.xlsx: only the first sheet is read; ignored: Notes",)


def test_problems_name_the_row():
    file = workbook(HEADER, ["Why?", "So.", "M", 1], ["Why?", "No.", "N", "high"], ["Why?", "Yes.", "O", 1, "further"])

    assert problems(lambda: read_dataset([file], mapping=MAPPING)) == [
        'd.xlsx:3: s: "high" — expected a number, or an empty cell for no score; for words: --choice NUMBER=WORD',
        "d.xlsx:4: 5 cells — expected at most 4 cells, as in the header",
    ]


def test_a_title_above_the_header_is_a_problem_that_says_what_to_do():
    file = workbook(["Results of the annotation, spring 2026"], [], HEADER, ["Why?", "So.", "M", 1], ["Note"])

    problem = "1 cell, but line 3 has 4 cells — expected the column names in the first row; delete the rows above them"
    assert dataset_problems(file) == [f"d.xlsx:1: {problem}"]
    assert problems(lambda: read_dataset([file], mapping=MAPPING)) == [f"d.xlsx:1: {problem}"]


def test_read_dataset_refuses_an_empty_sheet_and_a_broken_workbook():
    file = workbook(HEADER)
    broken = SourceFile("d.xlsx", file.content.replace(b"xl/worksheets/sheet1.xml", b"xl/worksheets/sheet2.xml"))
    [problem] = dataset_problems(broken)

    assert dataset_problems(workbook()) == ["d.xlsx: the first sheet is empty — expected a table with a header"]
    assert problem.startswith("d.xlsx: not readable as XLSX")


def test_line_ends_and_escaped_characters_are_those_that_a_user_sees():
    record = read(HEADER, ["Why?", "One._x000D_\nTwo.", "M", 1], ["Why?", "_x005F_x000D_ escapes", "N", 2])

    assert [one.text for one in record.contexts[0].candidates] == ["One.\nTwo.", "_x000D_ escapes"]


def test_numbers_booleans_and_durations_keep_what_the_file_says():
    numbers = [0.1, True, datetime.timedelta(hours=30), datetime.time(3, 4)]

    record = read(HEADER, *(["Why?", number, f"M{place}", 1] for place, number in enumerate(numbers)))

    texts = [one.text for one in record.contexts[0].candidates]
    assert texts == ["0.1", "True", "1 day, 6:00:00", "03:04:00"]


def test_formula_without_a_saved_value_is_a_problem_that_names_its_cell():
    file = workbook(HEADER, ["Why?", "So.", "M", "=1+1"], ["Why?", "No.", "N", 2])

    assert problems(lambda: read_dataset([file], mapping=MAPPING)) == [
        "d.xlsx:2: the formula in D2 has no saved value — expected a value; "
        "open the file in a spreadsheet program and save it"
    ]


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        ("<c><f>1+1</f><v>2</v></c>", "2"),
        ('<c t="str"><f>"a"</f><v>a</v></c>', "a"),
        ('<c t="e"><v>#N/A</v></c>', "#N/A"),
    ],
)
def test_saved_value_of_a_cell_is_read(cell, text):
    row = "".join(f'<c t="inlineStr"><is><t>{value}</t></is></c>' for value in ("Why?", "So."))

    record = read_dataset([cells_workbook(f"{row}{cell}<c><v>1</v></c>")], mapping=MAPPING)

    assert record.contexts[0].candidates[0].system == text


def test_cells_merged_over_rows_have_one_value_in_each_row_and_are_noted():
    book = openpyxl.Workbook()
    for row in (
        HEADER,
        ["Why?", "So.", "M", 1],
        [None, "No.", "N", 2],
        ["How?", "Thus.", "M", 3],
        [None, "Not.", "N", 4],
    ):
        book.active.append(row)
    for cells in ("A2:A3", "A4:A5", "F2:G2"):
        book.active.merge_cells(cells)

    record = read_dataset([saved(book)], mapping=MAPPING)

    assert [(one.text, len(one.candidates)) for one in record.contexts] == [("Why?", 2), ("How?", 2)]
    assert record.notes == ("d.xlsx: merged cells are read as one value for all their rows: A2:A3, A4:A5",)


def test_first_sheet_that_is_not_hidden_is_read():
    book = openpyxl.Workbook()
    book.active.append(["lists"])
    book.active.sheet_state = "hidden"
    for row in (HEADER, ["Why?", "So.", "M", 1]):
        (book["Ratings"] if "Ratings" in book.sheetnames else book.create_sheet("Ratings")).append(row)

    record = read_dataset([saved(book)], mapping=MAPPING)

    assert [one.text for one in record.contexts] == ["Why?"]
    assert record.notes == ("d.xlsx: only the first sheet is read; ignored: Sheet",)


def test_rows_below_merged_cells_do_not_get_their_value():
    book = openpyxl.Workbook()
    rows = (["Why?", "So.", "M", 1], ["Why?", "No.", None, None], ["Why?", "Yes.", None, None])
    for row in (HEADER, *rows):
        book.active.append(row)
    book.active.merge_cells("C2:D3")

    record = read_dataset([saved(book)], mapping=MAPPING)

    assert [(one.text, one.system) for one in record.contexts[0].candidates] == [
        ("So.", "M"),
        ("No.", "M"),
        ("Yes.", ""),
    ]


def test_dates_count_from_the_day_that_the_workbook_names():
    book = openpyxl.Workbook()
    book.epoch = CALENDAR_MAC_1904
    for row in (HEADER, ["Why?", "So.", datetime.date(2026, 1, 2), 1]):
        book.active.append(row)

    (context,) = read_dataset([saved(book)], mapping=MAPPING).contexts

    assert context.candidates[0].system[:10] == "2026-01-02"
