"""Records that are rare in logs: repeated outputs, further prompts, older forms, and values at the end of a block."""

import json

import pytest

from evenhand.file_problems import ProblemLog
from evenhand.formats import SourceFile, read_comparisons, read_dataset, read_scores, read_votes
from evenhand.formats.logs.log_files import open_document
from evenhand.formats.tables import json_objects
from tests.evenhand.formats.logs.examples import (
    RIDDLE,
    argilla_records,
    deepeval_run,
    inspect_log,
    judge_arena_annotations,
    lm_eval_samples,
    promptfoo_results,
)


def changed(file, change):
    """The log with a change of its JSON."""
    log = json.loads(file.content)
    change(log)
    return SourceFile(file.name, json.dumps(log).encode())


def candidates(*files):
    return [(one.key, [text.key for text in one.candidates]) for one in read_dataset(files).contexts]


@pytest.mark.parametrize("size", range(1, 40))
def test_log_is_the_same_wherever_its_blocks_end(monkeypatch, size):
    log = {
        "version": 1234567,
        "status": -1.5e10,
        "eval": {"task": "quiz", "ok": True},
        "samples": [{"id": 1}, {"id": 2}],
    }
    monkeypatch.setattr(json_objects, "BLOCK_CHARACTERS", size)

    document = open_document(SourceFile("log.json", json.dumps(log).encode()), ProblemLog())

    assert document.header == {name: value for name, value in log.items() if name != "samples"}
    assert [*document.arrays["samples",]] == [(1, {"id": 1}), (2, {"id": 2})]


def test_inspect_epochs_are_candidates_of_one_context_and_system():
    def repeat(log):
        log["samples"].append(log["samples"][0] | {"epoch": 2})

    (context,) = read_dataset([changed(inspect_log(model="m"), repeat)]).contexts

    assert [(one.key, one.system) for one in context.candidates] == [("m", "m"), ("m-2", "m")]


def test_lm_eval_prompt_of_messages_is_what_the_user_says():
    file = lm_eval_samples()
    messages = json.dumps([{"role": "system", "content": "Be brief."}, {"role": "user", "content": "2 + 2?"}])
    lines = [json.loads(line) for line in file.content.decode().splitlines()]
    for line in lines:
        line["arguments"]["gen_args_0"]["arg_0"] = messages

    (context,) = read_dataset([SourceFile(file.name, "\n".join(map(json.dumps, lines)).encode())]).contexts

    assert context.text == "2 + 2?"


def test_promptfoo_outputs_of_one_provider_are_numbered_and_further_prompts_are_contexts():
    def repeat(log):
        results = log["results"]["results"]
        results += [results[0], results[0] | {"promptId": "other", "prompt": {"raw": "Say it."}}]

    file = changed(promptfoo_results(), repeat)

    assert candidates(file) == [
        ("0", ["openai:gpt-5-mini", "openai:gpt-5", "openai:gpt-5-mini-2"]),
        ("0/1", ["openai:gpt-5-mini"]),
    ]
    assert [one.text for one in read_dataset([file]).contexts] == [RIDDLE, "Say it."]
    assert [one.candidate for one in read_scores([file]) if one.attribute == "score"][2:] == [
        "openai:gpt-5-mini-2",
        "openai:gpt-5-mini",
    ]


def test_deepeval_cases_with_a_repeated_name_are_named_by_their_order():
    def repeat(log):
        log["testCases"][1] |= {"name": "case_0", "actualOutput": "Thus."}

    assert candidates(changed(deepeval_run(), repeat)) == [("0", ["gpt-4"]), ("1", ["gpt-4"])]


@pytest.mark.parametrize(
    ("reply", "choice"),
    [
        ("score_a: 3, score_b: 3", "tie"),
        ("Score A: 2\nScore B: 4.5", "second"),
        ("**score_A**: 4, **score_B**: -1", "first"),
        ("score_A: 4", "unparsed"),
    ],
)
def test_scores_that_an_older_judge_wrote_are_a_decision(reply, choice):
    file = judge_arena_annotations()
    content = file.content.decode().replace("I cannot.", f'"{reply}"')

    *_, record = read_comparisons([SourceFile(file.name, content.encode())])

    assert (record.choice, record.p_first, record.text) == (choice, None, reply)


@pytest.mark.parametrize(
    ("ranking", "choices"),
    [
        (["response-2", "response-1"], ["second"]),
        (["response-1", "response-2"], ["first"]),
        ([{"value": "response-1", "rank": 1}, {"value": "response-2", "rank": 1}], ["tie"]),
        (["response-1"], []),
    ],
)
def test_argilla_rankings_are_votes_best_first(ranking, choices):
    def rank(records):
        records[0]["responses"] = {
            "ranking": [{"value": ranking, "user_id": "u1"}],
            "preference": [{"value": "tie", "user_id": "u2"}],
        }

    votes = read_votes([changed(argilla_records(), rank)])

    assert [one.vote.choice for one in votes if one.attribute == "ranking"] == choices
