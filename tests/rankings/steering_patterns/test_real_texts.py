"""Texts of public datasets match no pattern: false positives are rare on real data."""

import pytest

from evenhand.formats import SourceFile, read_dataset
from rankings.steering_patterns.steering_matches import steering_matches

pytestmark = pytest.mark.realdata
TEXTS = {
    "summeval/*.jsonl": 1_600,
    "topicalchat/*.json": 360,
    "llmbar/Natural.json": 200,
    "llmbar/Adversarial/*.json": 638,
    "webnlg/*.csv": 2_230,
}


@pytest.mark.parametrize(("files", "number"), TEXTS.items())
def test_no_text_of_public_datasets_matches(shared_data, files, number):
    paths = sorted((shared_data / "data").glob(files))
    dataset = read_dataset([SourceFile(str(path), path.read_bytes()) for path in paths])
    texts = [candidate.text for context in dataset.contexts for candidate in context.candidates]

    assert len(texts) == number
    assert [text for text in texts if steering_matches(text)] == []
