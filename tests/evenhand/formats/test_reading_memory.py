"""Hostile and large files are read in little memory, which is given back."""

import pytest

from tests.evenhand.formats.peak_memory import measure_reading
from tests.evenhand.formats.workbooks import shared_workbook, text

MEGABYTES = 15  # beyond Python and the readers, which take 25; the web process takes about 100 more

CONTEXT = b'{"context": "c%d", "text": "%s", "candidates": [{"candidate": "a", "text": ""}]}\n'
LONG_CONTEXT = CONTEXT % (1, b"\xf0\x9f\x98\x80" + b"x" * 2_900_000)
HEADER = b"context,context_text,candidate,text\n"
EMPTY_CANDIDATES = b'{"context": "c", "text": "t", "candidates": [' + b'{"":0},' * 50_000 + b"{}]}\n"


@pytest.mark.parametrize(
    ("start", "repeated", "times", "format", "most"),
    [
        pytest.param(b"", b"{}\n", 5_000_000, "", MEGABYTES, id="empty objects"),
        pytest.param(b"", b"{}\n", 10_000, "evenhand", 6, id="empty objects of a known format"),
        pytest.param(b"[", b"{},", 5_000_000, "", MEGABYTES, id="an array of empty objects"),
        pytest.param(EMPTY_CANDIDATES, b"", 0, "", 25, id="one object of many values"),
        pytest.param(b"a,b\n", b"aa,", 5_000_000, "", MEGABYTES, id="one row of many cells"),
        pytest.param(b"a,b\n", b'"\n",', 5_000_000, "", MEGABYTES, id="a row over many lines"),
        pytest.param(HEADER, b"c,t,,\n", 20_000, "", 6, id="rows full of problems"),
        pytest.param(b"", LONG_CONTEXT, 3, "", 100, id="long texts"),
    ],
)
def test_reading_takes_little_memory_and_gives_it_back(tmp_path, start, repeated, times, format, most):
    file = tmp_path / "file"
    file.write_bytes(start + repeated * times)

    _, peak, kept = measure_reading(file, format)

    assert peak < most
    assert kept < 52


def test_memory_does_not_grow_with_the_dataset(tmp_path):
    file = tmp_path / "large.jsonl"
    with file.open("wb") as output:
        for number in range(300):
            output.write(CONTEXT % (number, b"word " * 10_000))

    contexts, peak, _ = measure_reading(file)

    assert contexts == 300
    assert peak < MEGABYTES  # the texts have 15 MB


def test_memory_does_not_grow_with_the_texts_of_a_workbook(tmp_path):
    file, count = tmp_path / "large.xlsx", 1_500
    names = ["context", "context_text", "candidate", "text", "a", *(f"c{number}" for number in range(count))]
    articles = (f"{number} {'word ' * 3_000}" for number in range(count))
    rows = [range(4), *((5 + number, 5 + count + number, 4, 4) for number in range(count))]
    file.write_bytes(shared_workbook(map(text, [*names, *articles]), rows).content)

    contexts, peak, _ = measure_reading(file)

    assert contexts == count
    assert peak < 57  # 26 if the texts are short; these have 22 MB


@pytest.mark.parametrize(
    ("noun", "header", "line"),
    [
        ("comparisons", "context,attribute,first,second,choice,text", "c{0},overall,a,b,first,{1}"),
        ("scores", "context,attribute,candidate,score,text", "c{0},overall,a,1,{1}"),
        ("votes", "context,attribute,first,second,choice,rater,comment", "c{0},overall,a,b,first,h1,{1}"),
        ("ratings", "context,attribute,candidate,rater,score", "c{0},overall,a,{1},1"),
    ],
)
def test_memory_does_not_grow_with_recorded_judgments(tmp_path, noun, header, line):
    file, lines = tmp_path / "large.csv", 3_000
    with file.open("w") as output:
        print(header, file=output)
        for number in range(lines):
            print(line.format(number, "word " * 1_000), file=output)

    count, peak, _ = measure_reading(file, noun=noun)

    assert count == lines
    assert peak < MEGABYTES  # the texts have 15 MB
