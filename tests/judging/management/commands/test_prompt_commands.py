"""The commands about prompts: prompts, add_prompt."""

import json

import pytest

from judging.models import Prompt
from tests.commands import printed, printed_json, refused

pytestmark = pytest.mark.django_db

TERSE = {
    "name": "terse",
    "method": "comparative",
    "template": "<A>\n<B>\nWhich is more {adjective}?",
    "label_first": " A",
    "label_second": " B",
}


@pytest.fixture
def written(tmp_path):
    def write(prompt):
        file = tmp_path / "terse.json"
        file.write_text(json.dumps(prompt))
        return file

    return write


def test_add_prompt_stores_a_prompt_and_its_next_version(capsys, written):
    assert printed_json(capsys, "add_prompt", written(TERSE)) == {
        "prompt": "terse",
        "version": 1,
        "method": "comparative",
    }
    assert printed(capsys, "add_prompt", written(TERSE | {"version": 2})) == (
        'prompt "terse", version 2, is stored for comparative\n'
    )


def test_add_prompt_refuses_a_faulty_prompt_with_every_problem(capsys, written):
    file = written(TERSE | {"template": "<A>\n {objective}", "label_first": 1})

    lines = refused(capsys, "add_prompt", file)

    assert lines[0] == f"{file}: label_first: 1 — expected a text"
    assert lines[1].startswith(f"{file}: template: line 2, column 2: {{objective}} is unknown here; known are <A>")
    assert lines[2] == f"{file}: template: <B> is missing; the judge would not see it"
    assert not Prompt.objects.filter(name="terse").exists()


def test_prompts_lists_what_add_prompt_reads(capsys, written):
    printed(capsys, "add_prompt", written(TERSE))

    (mine,) = (
        prompt
        for prompt in printed_json(capsys, "prompts", "--method", "comparative")["prompts"]
        if prompt["name"] == "terse"
    )

    assert printed_json(capsys, "add_prompt", written(mine | {"name": "again"}))["prompt"] == "again"


def test_prompts_filters_by_method(capsys):
    listed = printed_json(capsys, "prompts", "--method", "scoring")["prompts"]

    assert [prompt["name"] for prompt in listed] == ["scoring-1", "scoring-2"]


def test_prompts_refuses_an_unknown_method(capsys):
    (line,) = refused(capsys, "prompts", "--method", "guessing")

    assert line.startswith('method: "guessing" is unknown; choose one of: comparative')
