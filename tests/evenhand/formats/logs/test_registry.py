"""Logs of other tools as datasets, recorded judgments and votes."""

import io
import json
import zipfile

import pytest

from evenhand.file_problems import ProblemLog
from evenhand.formats import SourceFile, read_comparisons, read_dataset, read_scores, read_votes
from evenhand.formats.logs import log_files
from evenhand.formats.logs.log_files import open_document
from evenhand.formats.tables import json_objects
from tests.evenhand.formats.logs.examples import (
    RIDDLE,
    alpaca_annotations,
    deepeval_run,
    inspect_log,
    judge_arena_annotations,
    llmbar_verdicts,
    lm_eval_samples,
    mt_bench_games,
    mt_bench_grades,
    promptfoo_results,
)
from tests.evenhand.formats.small_files import outputs, problems


def scores(*files):
    return [(one.context, one.attribute, one.candidate, one.score) for one in read_scores(files)]


def test_inspect_logs_of_two_models_become_one_dataset():
    format, contexts, notes = outputs(inspect_log(), inspect_log("openai/gpt-4", [{"type": "text", "text": "No"}]))

    candidates = [("ollama/gemma3", "ollama/gemma3", "Yes\n"), ("openai/gpt-4", "openai/gpt-4", "No")]
    assert (format, contexts) == ("inspect-ai", [("popularity/1", "Would you say this?", " Yes", candidates)])
    assert notes == ["1 samples that ended in an error"] * 2


@pytest.mark.parametrize(("value", "score"), [("C", 1), ("P", 0.5), ("I", 0), (True, 1), (0.3, 0.3), (None, None)])
def test_inspect_scores_are_numbers(value, score):
    assert scores(inspect_log(value=value)) == [("popularity/1", "match", "ollama/gemma3", score)]


def test_inspect_score_of_several_values_has_an_attribute_for_each():
    assert [row[1:4:2] for row in scores(inspect_log(value={"tone": 1, "style": "P"}))] == [
        ("match/tone", 1),
        ("match/style", 0.5),
    ]


def test_inspect_archive_is_read_like_its_json():
    log = json.loads(inspect_log().content)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", json.dumps({key: log[key] for key in ("version", "status", "eval")}))
        archive.writestr("summaries.json", "[]")
        for sample in log["samples"]:
            archive.writestr(f"samples/{sample['id']}_epoch_1.json", json.dumps(sample))

    assert outputs(SourceFile("log.eval", buffer.getvalue())) == outputs(inspect_log())


def test_lm_eval_samples_keep_one_candidate_for_all_filters():
    format, contexts, notes = outputs(lm_eval_samples())

    candidate = ("google__gemma-3", "google__gemma-3", "It is 4.")
    assert (format, contexts) == ("lm-eval", [("gsm8k/0", "Q: 2 + 2?\nA:", "4", [candidate])])
    assert notes == ["1 samples without a generated text, as of multiple-choice tasks"]
    assert scores(lm_eval_samples()) == [
        ("gsm8k/0", "exact_match,strict-match", "google__gemma-3", 1),
        ("gsm8k/0", "exact_match,flexible-extract", "google__gemma-3", 0),
    ]


def test_promptfoo_results_compare_providers():
    format, contexts, notes = outputs(promptfoo_results())

    texts = [("openai:gpt-5-mini", "Answer: An echo."), ("openai:gpt-5", "An echo.")]
    assert (format, contexts) == ("promptfoo", [("0", RIDDLE, "", [(name, name, text) for name, text in texts])])
    assert notes == ["1 results without a prompt or an output"]
    assert scores(promptfoo_results())[3:] == [
        ("0", "score", "openai:gpt-5", 0.75),
        ("0", "contains", "openai:gpt-5", 1),
        ("0", "llm-rubric", "openai:gpt-5", 0),
    ]


def test_deepeval_run_keeps_metrics_that_failed():
    format, contexts, notes = outputs(deepeval_run())

    assert (format, contexts) == ("deepeval", [("case_0", "Why?", "", [("gpt-4", "gpt-4", "So.")])])
    assert notes == ["1 conversational test cases", "1 test cases without an input or an output"]
    assert [(one.attribute, one.score, one.error) for one in read_scores([deepeval_run()])] == [
        ("Helpful [GEval]", 0.8, ""),
        ("Bias", None, "the judge timed out"),
    ]


def test_judge_arena_annotations_become_comparisons_in_both_orders():
    format, contexts, _ = outputs(judge_arena_annotations())

    assert (format, [one[0] for one in contexts]) == ("judge-arena", ["0", "1"])
    assert contexts[0][3] == [("M1", "M1", "1 2 3"), ("M2", "M2", "No")]
    read = read_comparisons([judge_arena_annotations()])
    assert [(one.context, one.first, one.second, one.p_first, one.choice) for one in read] == [
        ("0", "M1", "M2", None, "first"),
        ("0", "M2", "M1", 0.125, ""),
        ("1", "M1", "M2", None, "unparsed"),
    ]


def test_log_without_judgments_of_this_kind_is_refused():
    assert problems(lambda: read_votes([promptfoo_results()])) == [
        "results.json: promptfoo results without votes — expected a file with votes"
    ]


def test_log_is_read_with_a_byte_order_mark_a_late_header_and_a_key_twice():
    log = inspect_log()

    assert outputs(SourceFile(log.name, b"\xef\xbb\xbf" + log.content)) == outputs(log)

    log = json.loads(inspect_log().content)
    turned = dict(reversed(log.items())) | {"version": log["version"]}
    turned = {"status": turned.pop("status"), "version": 2} | turned

    assert outputs(SourceFile("ollama-gemma3.json", json.dumps(turned).encode())) == outputs(inspect_log())

    content = inspect_log().content.replace(b'"version": 2', b'"version": 2, "eval": "none"', 1)

    assert outputs(SourceFile("ollama-gemma3.json", content)) == outputs(inspect_log())


def test_large_log_is_read_record_by_record(monkeypatch):
    log = json.loads(inspect_log().content)
    sample = log["samples"][0]
    log["samples"] = [sample | {"id": str(number)} for number in range(400)]
    monkeypatch.setattr(log_files, "MAX_RECORD_CHARACTERS", 3 * len(json.dumps(sample)))
    monkeypatch.setattr(json_objects, "BLOCK_CHARACTERS", 500)

    assert len(read_dataset([SourceFile("log.json", json.dumps(log).encode())]).contexts) == 400


@pytest.mark.parametrize(("end", "is_log"), [("}", True), ("", False), ("]", False), (", 1]}", False), ('"x"', False)])
def test_broken_log_is_no_log(end, is_log):
    content = inspect_log().content.decode().rstrip().removesuffix("}") + end

    assert (open_document(SourceFile("log.json", content.encode()), ProblemLog()) is not None) is is_log


def test_log_with_a_byte_that_is_no_text_is_refused_by_its_place():
    content = inspect_log().content.replace(b'"source"', b'"\x97ource"', 1)

    assert problems(lambda: read_scores([SourceFile("log.json", content)])) == [
        "log.json:26: byte 462 of the file: 0x97 — expected UTF-8 text (a spreadsheet saves it as CSV UTF-8)"
    ]


def test_log_of_another_form_is_refused():
    log = json.loads(inspect_log().content)
    log["samples"][0]["scores"] = ["C"]

    (problem,) = problems(lambda: read_scores([SourceFile("log.json", json.dumps(log).encode())]))

    assert problem.startswith("log.json: AttributeError: ")


def test_two_outputs_of_one_model_on_one_sample_are_refused():
    (problem,) = problems(lambda: read_dataset([inspect_log(), inspect_log(output="No")]))

    assert problem == (
        'ollama-gemma3.json:1: candidates[0].text: "No" — expected "Yes\\n", the text of "ollama/gemma3" before'
    )


def test_llmbar_verdicts_are_two_comparisons_a_line():
    records = read_comparisons([llmbar_verdicts()])

    assert {(one.context, one.attribute, one.prompt) for one in records} == {("Neighbor/3", "overall", "CoT")}
    assert [(one.judge, one.first, one.second, one.choice) for one in records] == [
        ("GPT-4", "1", "2", "first"),
        ("GPT-4", "2", "1", "first"),
        ("PaLM2", "1", "2", "unparsed"),
        ("PaLM2", "2", "1", "first"),
    ]


def test_winner_that_is_no_output_or_unknown_is_refused():
    [problem, *_] = problems(lambda: read_comparisons([llmbar_verdicts(winner_ba=3)]))

    assert problem.startswith("recorded_verdicts.jsonl:1: choice: 3 — expected")

    [problem] = problems(lambda: read_comparisons([mt_bench_games(g2_winner="C")]))

    assert problem.startswith('gpt-4_pair.jsonl:1: choice: "C" — expected "first" or "second"')


def test_llmbar_verdicts_are_no_dataset():
    [problem] = problems(lambda: read_dataset([llmbar_verdicts()]))

    assert "not used: 2 judgments without the texts that were judged" in problem


def test_mt_bench_grades_are_scores_of_turns():
    records = read_scores([mt_bench_grades()], judge="gpt-4")

    assert [(one.context, one.attribute, one.candidate, one.score, one.text, one.error) for one in records] == [
        ("81/1", "overall", "alpha", 7.5, "Rating: [[7.5]]", ""),
        ("81/2", "overall", "alpha", None, "No.", ""),
        ("81/1", "overall", "beta", None, "", "$ERROR$"),
    ]


@pytest.mark.parametrize(
    ("changes", "games"),
    [
        ({}, [("alpha", "beta", "first"), ("beta", "alpha", "second")]),
        ({"g1_winner": "tie", "g2_winner": "error"}, [("alpha", "beta", "tie"), ("beta", "alpha", "error")]),
        ({"g2_winner": None, "judge": "gpt-4"}, [("alpha", "beta", "first")]),
    ],
)
def test_mt_bench_games_are_comparisons_in_the_order_shown(changes, games):
    records = read_comparisons([mt_bench_games(**changes)], judge="gpt-4")

    assert {one.context for one in records} == {"81/2"}
    assert [(one.first, one.second, one.choice) for one in records] == games


def test_alpaca_eval_preferences_are_probabilities_of_a_judge():
    file = alpaca_annotations(1.25, 1.9987, 1.5, 0, None)

    format, contexts, notes = outputs(file)
    records = read_comparisons([file])

    assert format == "alpaca-eval-2"
    assert [one[3] for one in contexts][3] == [("base", "base", "1"), ("mine", "mine", "1 to 3")]
    assert notes == ["5 comparisons by a judge, which are no votes; import_comparisons stores them"]
    assert [one.context for one in records] == [one[0] for one in contexts]
    assert {(one.first, one.second, one.prompt, one.judge) for one in records} == {("base", "mine", "weighted", "")}
    assert [(one.p_first, one.choice) for one in records] == [
        *((0.75, ""), (0.0013, ""), (0.5, "")),
        *((None, "tie"), (None, "unparsed")),
    ]


def test_alpaca_eval_contexts_are_found_again_in_another_order():
    annotations = json.loads(alpaca_annotations(1.1, 1.2, 1.3).content)
    turned = SourceFile("turned.json", json.dumps(annotations[::-1]).encode())

    first, second = (read_comparisons([file]) for file in (alpaca_annotations(1.1, 1.2, 1.3), turned))

    assert [(one.context, one.p_first) for one in first] == [(one.context, one.p_first) for one in second][::-1]


def test_alpaca_eval_instructions_with_other_inputs_are_other_contexts():
    annotations = json.loads(alpaca_annotations(1.1, 1.2, instruction="Add.").content)
    for number, one in enumerate(annotations):
        one["input"] = f"1 + {number}"

    _, contexts, _ = outputs(SourceFile("inputs.json", json.dumps(annotations).encode()))

    assert [one[1] for one in contexts] == ["Add.\n\n1 + 0", "Add.\n\n1 + 1"]


@pytest.mark.parametrize(("changes", "format"), [({}, "alpaca-eval"), ({"price_per_example": 0.01}, "alpaca-eval-2")])
def test_whole_preferences_are_votes_unless_the_tool_noted_their_price(changes, format):
    dataset = read_dataset([alpaca_annotations(1, 2, 1.5, **changes)])

    votes = [vote.choice for one in dataset.contexts for vote in one.votes]
    assert dataset.format == format
    assert votes == (["first", "second", "tie"] if format == "alpaca-eval" else [])


@pytest.mark.parametrize("preference", [3, "best"])
def test_preference_outside_its_scale_is_refused(preference):
    [problem] = problems(lambda: read_comparisons([alpaca_annotations(1.1, preference)]))

    assert ": p_first: " in problem
    assert problem.endswith("expected a number from 0 to 1")
