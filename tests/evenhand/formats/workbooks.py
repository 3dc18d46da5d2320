"""XLSX workbooks with shared texts, as Excel writes them. openpyxl writes each text into its cell."""

import io
import zipfile

import openpyxl

from evenhand.formats import SourceFile

NAMESPACE = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
STRINGS = '<Relationship Id="strings" Type="http://x/relationships/sharedStrings" Target="sharedStrings.xml"/></Rel'
CONTENT_TYPE = (
    '<Override PartName="/xl/sharedStrings.xml" '
    'ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"/></Types>'
)


def shared_workbook(strings, rows):
    """A workbook. strings: the XML of each shared text. rows: the numbers of the texts in the cells of each row."""
    cells = [
        f'<row r="{row}">' + "".join(f'<c r="{column}{row}" t="s"><v>{number}</v></c>' for column, number in numbers)
        for row, numbers in enumerate((zip("ABCD", numbers, strict=False) for numbers in rows), start=1)
    ]
    return packed(
        f"<sst {NAMESPACE}>{''.join(f'<si>{one}</si>' for one in strings)}</sst>",
        f"<worksheet {NAMESPACE}><sheetData>{'</row>'.join(cells)}</row></sheetData></worksheet>",
    )


def packed(strings, sheet):
    """A workbook whose shared texts and first sheet have this XML."""
    empty, buffer = io.BytesIO(), io.BytesIO()
    openpyxl.Workbook().save(empty)
    with zipfile.ZipFile(empty) as source, zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in source.namelist():
            if name != "xl/worksheets/sheet1.xml":
                archive.writestr(
                    name, source.read(name).decode().replace("</Types>", CONTENT_TYPE).replace("</Rel", STRINGS)
                )
        archive.writestr("xl/worksheets/sheet1.xml", sheet)
        archive.writestr("xl/sharedStrings.xml", strings)
    return SourceFile("d.xlsx", buffer.getvalue())


def cells_workbook(*rows, after="", names=("q", "a", "m", "s")):
    """A workbook with a header. rows: the XML of the cells of each row below it. after: the XML behind the rows."""
    header = "".join(f'<c t="inlineStr"><is><t>{name}</t></is></c>' for name in names)
    sheet = "".join(f"<row>{cells}</row>" for cells in [header, *rows])
    return packed(f"<sst {NAMESPACE}/>", f"<worksheet {NAMESPACE}><sheetData>{sheet}</sheetData>{after}</worksheet>")


def text(value):
    return f"<t>{value}</t>"
