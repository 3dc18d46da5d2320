"""The examples of docs/formats.md are files that can be read."""

import re
from pathlib import Path

import pytest

from judging.formats import FORMATS, SourceFile, read_comparisons, read_dataset, read_scores

PAGE = Path(__file__).parents[4] / "docs" / "formats.md"


def examples() -> list[SourceFile]:
    """The blocks of the page in order; JSON, which the page breaks for its readers, on one line."""
    blocks = re.findall(r"^```(json|csv)\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    texts = [" ".join(text.split("\n")) + "\n" if kind == "json" else text for kind, text in blocks]
    return [SourceFile("example", text.encode()) for text in texts]


HEADER, CONTEXT, *OTHERS, COMPARISONS, SCORES = examples()
DATASETS = [SourceFile("example", HEADER.content + CONTEXT.content), *OTHERS]


@pytest.mark.parametrize(("name", "file"), list(zip(FORMATS, DATASETS, strict=True)))
def test_page_shows_a_file_of_every_format_in_their_order(name, file):
    assert read_dataset([file]).format == name


def test_page_shows_comparisons_and_scores():
    assert [one.p_first for one in read_comparisons([COMPARISONS])] == [0.83, None]
    assert [one.score for one in read_scores([SCORES])] == [7.5, None]
