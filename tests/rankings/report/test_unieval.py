"""Scores that others recorded on TopicalChat, from the public files to the figures that are published of them."""

import json

import pytest

from evenhand.formats import ScoreRecord, SourceFile, read_dataset
from judging.services.datasets.dataset_import import import_dataset
from judging.services.datasets.recorded.answer_rows import SCORES
from judging.services.datasets.recorded.recorded_runs import import_judgments
from tests.rankings.report.report_figures import report_json

pytestmark = [pytest.mark.django_db, pytest.mark.realdata]


@pytest.fixture
def topical_chat(shared_data):
    content = (shared_data / "data" / "topicalchat" / "topical_chat.json").read_bytes()
    return import_dataset(read_dataset([SourceFile("topical_chat.json", content)]), name="TopicalChat", sha256="0" * 64)


def recorded_scores(shared_data, dataset):
    """Return UniEval's score of each response. Its file names contexts by their text."""
    [path] = (shared_data / "data" / "topicalchat" / "recorded").iterdir()
    key_of = dict(dataset.contexts.values_list("text", "key"))
    for row in json.loads(path.read_text()):
        for attribute, score in row["predict_scores"].items():
            yield ScoreRecord("", 0, key_of[row["source"]], attribute, row["system_id"], score)


def test_pooled_correlations_of_unieval_are_the_published_ones(shared_data, topical_chat):
    published = json.loads((shared_data / "cases" / "unieval" / "expected.json").read_text())["values"]["topical_chat"]
    runs = import_judgments(
        SCORES, list(recorded_scores(shared_data, topical_chat)), dataset=topical_chat, judge_name="UniEval"
    )

    rows = report_json(topical_chat, runs=runs)

    assert len(rows) == len(published) == 6
    for row in rows:
        for coefficient in ("spearman", "kendall"):
            block = row[coefficient]["score"]["raw"]
            expected = float(published[row["attribute"]][coefficient])
            assert block["pooled"] == pytest.approx(expected, abs=1e-6), (row["attribute"], coefficient)


def test_contexts_with_constant_human_scores_are_skipped(shared_data, topical_chat):
    runs = import_judgments(
        SCORES, list(recorded_scores(shared_data, topical_chat)), dataset=topical_chat, judge_name="UniEval"
    )

    rows = report_json(topical_chat, runs=runs)

    skipped = {row["attribute"]: row["spearman"]["score"]["raw"]["skipped"] for row in rows}
    assert skipped == {name: 6 if name == "groundedness" else 0 for name in skipped}
