"""The published files of each public format."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from evenhand.formats import DatasetRecord, SourceFile, read_dataset, write_dataset

pytestmark = pytest.mark.realdata


def read(*paths: Path) -> DatasetRecord:
    """Read the dataset, and check that writing it and reading it back gives the same."""
    dataset = read_dataset([SourceFile(str(path), path.read_bytes()) for path in paths])
    lines = "".join(write_dataset(dataset))
    assert replace(read_dataset([SourceFile("export.jsonl", lines.encode())]), format=dataset.format) == dataset
    return dataset


def sizes(dataset: DatasetRecord) -> Counter[int]:
    """Count the contexts by their number of candidates."""
    return Counter(len(context.candidates) for context in dataset.contexts)


def score_counts(dataset: DatasetRecord) -> Counter[str]:
    return Counter(
        name for context in dataset.contexts for candidate in context.candidates for name in candidate.scores
    )


def test_read_dataset_accepts_llmbar(shared_data):
    folder = shared_data / "data" / "llmbar"

    dataset = read(folder / "Natural.json", *sorted((folder / "Adversarial").glob("*.json")))

    assert dataset.format == "llmbar"
    assert Counter(context.subset for context in dataset.contexts) == {
        "Natural": 100,
        "Neighbor": 134,
        "GPTInst": 92,
        "GPTOut": 47,
        "Manual": 46,
    }
    assert sizes(dataset) == {2: 419}
    votes = [vote for context in dataset.contexts for vote in context.votes]
    assert Counter((vote.attribute, vote.rater, vote.choice) for vote in votes) == {
        ("overall", "gold", "first"): 206,
        ("overall", "gold", "second"): 213,
    }


def test_read_dataset_accepts_summeval(shared_data):
    dataset = read(shared_data / "data" / "summeval" / "summeval_16sys.jsonl")

    assert dataset.format == "summeval"
    assert sizes(dataset) == {16: 100}
    assert score_counts(dataset) == dict.fromkeys(["coherence", "consistency", "fluency", "relevance"], 1600)
    assert dataset.contexts[0].key == "dm-test-8764fb95bfad8ee849274873a92fb8d6b400eee2"
    assert dataset.contexts[0].candidates[0].system == "M11"
    assert dataset.contexts[0].candidates[0].scores["coherence"] == 1.3333333333333333


@pytest.mark.parametrize("name", ["topical_chat.json", "recorded/unieval_topical_chat_result.json"])
def test_read_dataset_accepts_topical_chat(shared_data, name):
    dataset = read(shared_data / "data" / "topicalchat" / name)

    assert dataset.format == "unieval"
    assert sizes(dataset) == {6: 60}
    assert set(score_counts(dataset).values()) == {360}
    assert [(one.name, one.minimum, one.maximum) for one in dataset.attributes] == [
        ("understandability", 0, 1),
        ("naturalness", 1, 3),
        ("coherence", 1, 3),
        ("engagingness", 1, 3),
        ("groundedness", 0, 1),
        ("overall", 1, 5),
    ]
    assert [context.key for context in dataset.contexts] == [str(number) for number in range(60)]


def test_read_dataset_accepts_webnlg_with_its_empty_texts(shared_data):
    dataset = read(shared_data / "data" / "webnlg" / "all_data_final_averaged.csv")

    assert dataset.format == "webnlg"
    assert sizes(dataset) == {10: 223}
    assert score_counts(dataset) == dict.fromkeys(["fluency", "grammar", "semantics"], 2230)
    empty = Counter(one.system for context in dataset.contexts for one in context.candidates if not one.text)
    assert empty == {"tilburg-pipe": 25}
