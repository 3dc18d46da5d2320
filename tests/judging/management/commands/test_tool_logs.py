"""Logs of other tools, brought in by the commands: the same file as a dataset, then as judgments."""

import pytest

from tests.commands import printed_json
from tests.evenhand.formats.logs.examples import inspect_log, judge_arena_annotations, label_studio_tasks

pytestmark = pytest.mark.django_db


@pytest.fixture
def bring_in(capsys, tmp_path):
    """Imports a log as a dataset and then as judgments. Returns what both commands print."""

    def bring_in(log, command, *options):
        file = tmp_path / log.name
        file.write_bytes(log.content)
        dataset = printed_json(capsys, "import_dataset", file, "--name", "Log")
        return dataset, printed_json(capsys, command, file, "--dataset", "Log", *options)

    return bring_in


def test_inspect_log_becomes_a_dataset_and_scores(bring_in):
    dataset, judgments = bring_in(inspect_log(), "import_scores", "--judge", "match")

    assert (dataset["contexts"], dataset["candidates"], dataset["attributes"], dataset["scores"]) == (
        1,
        1,
        ["match"],
        0,
    )
    assert [(run["attribute"], run["scores"]) for run in judgments["runs"]] == [("match", 1)]


def test_judge_arena_annotations_become_a_dataset_and_comparisons(bring_in):
    dataset, judgments = bring_in(judge_arena_annotations(), "import_comparisons", "--judge", "gpt-4")

    assert (dataset["contexts"], dataset["candidates"]) == (2, 4)
    assert [(run["prompt"], run["comparisons"], run["unparsed"]) for run in judgments["runs"]] == [("default", 2, 1)]


def test_votes_of_a_label_studio_export_are_stored_once(bring_in):
    dataset, votes = bring_in(label_studio_tasks(), "import_votes")

    assert (dataset["votes"], votes) == (2, {"dataset": "Log", "votes": 0, "raters": 2})
