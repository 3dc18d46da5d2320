"""A small log of each tool, with the keys and the nesting that the tool writes."""

from __future__ import annotations

import json

from evenhand.formats import SourceFile
from tests.evenhand.formats.small_files import csv_file, json_array, json_lines, text_file

RIDDLE = "Solve this riddle: I speak without a mouth. What am I?"


def document(value: object, name: str) -> SourceFile:
    return text_file(json.dumps(value, indent=2), name)


def inspect_log(model: str = "ollama/gemma3", output: object = "Yes\n", value: object = "C") -> SourceFile:
    """A log of inspect_ai 0.3.95, shortened."""
    message = {"id": "JN", "content": output, "source": "generate", "role": "assistant", "model": "gemma3"}
    sample = {
        **{"id": 1, "epoch": 1, "input": "Would you say this?", "target": " Yes"},
        "messages": [{"id": "Dq", "content": "Would you say this?", "source": "input", "role": "user"}, message],
        "output": {"model": "gemma3", "choices": [{"message": message, "stop_reason": "stop"}], "usage": {}},
        "scores": {"match": {"value": value, "answer": "Yes", "explanation": "Yes\n"}},
        **{"metadata": {}, "store": {}, "events": [], "model_usage": {}},
    }
    failed = {"id": 2, "epoch": 1, "input": "And this?", "target": "No", "output": {}, "error": {"message": "timeout"}}
    run = {"task": "popularity", "model": model, "packages": {"inspect_ai": "0.3.95"}, "config": {"epochs": 1}}
    log = {"version": 2, "status": "success", "eval": run, "plan": {}, "results": {}, "samples": [sample, failed]}
    return document(log, f"{model.replace('/', '-')}.json")


def lm_eval_samples() -> SourceFile:
    """Samples of lm-evaluation-harness 0.4.9, one of them of a multiple-choice task."""
    generated = {
        **{"doc_id": 0, "doc": {"question": "2 + 2?"}, "target": "4"},
        "arguments": {"gen_args_0": {"arg_0": "Q: 2 + 2?\nA:", "arg_1": {"until": ["\n"]}}},
        **{"resps": [["It is 4."]], "filtered_resps": ["4"], "filter": "strict-match", "metrics": ["exact_match"]},
        **{"doc_hash": "d", "prompt_hash": "p", "target_hash": "t", "exact_match": 1.0},
    }
    other_filter = {**generated, "filter": "flexible-extract", "filtered_resps": ["[invalid]"], "exact_match": 0.0}
    scored = {**generated, "doc_id": 1, "resps": [[[-3.0, False]], [[-4.0, False]]], "acc": 1.0}
    name = "out/google__gemma-3/samples_gsm8k_2026-01-01T00-00-00.123456.jsonl"
    return json_lines(generated, other_filter, scored, name=name)


def promptfoo_results() -> SourceFile:
    """Results of promptfoo 0.118 (results version 3), shortened."""

    def result(provider: str, output: str | None, score: float, apology: str) -> dict[str, object]:
        parts = [
            {
                "pass": True,
                "score": 1,
                "reason": "Assertion passed",
                "assertion": {"type": "contains", "value": "echo"},
            },
            {"pass": False, "score": 0, "reason": apology, "assertion": {"type": "llm-rubric", "value": "No apology"}},
        ]
        return {
            "gradingResult": {"pass": False, "score": score, "reason": apology, "componentResults": parts},
            "prompt": {"raw": RIDDLE, "label": "Solve this riddle: {{riddle}}"},
            **{"promptId": "cd59", "promptIdx": 1, "provider": {"id": provider, "label": ""}},
            **{"response": {"output": output, "cached": False}, "score": score, "success": False},
            **{"testIdx": 0, "testCase": {"vars": {"riddle": "…"}}, "vars": {"riddle": "…"}, "failureReason": 1},
        }

    results = [
        result("openai:gpt-5-mini", "Answer: An echo.", 0.5, "It apologises."),
        result("openai:gpt-5", "An echo.", 0.75, "It does not apologise."),
        result("openai:broken", None, 0, ""),
    ]
    whole = {"version": 3, "timestamp": "2025-10-01T20:08:11.168Z", "prompts": [], "results": results, "stats": {}}
    return document({"evalId": "eval-WJi", "results": whole, "config": {}, "shareableUrl": None}, "results.json")


def deepeval_run() -> SourceFile:
    """A test run of DeepEval 3 (`.deepeval/.latest_test_run.json`), shortened."""
    metrics = [
        {"name": "Helpful [GEval]", "threshold": 0.5, "success": True, "score": 0.8, "reason": "ok"},
        {"name": "Bias", "threshold": 0.5, "success": False, "error": "the judge timed out"},
    ]
    case = {
        "name": "case_0",
        "input": "Why?",
        "actualOutput": "So.",
        "success": True,
        "metricsData": metrics,
        "order": 0,
    }
    run = {"testFile": "t.py", "testCases": [case, {**case, "name": "case_1", "actualOutput": None}]}
    return document(
        {**run, "conversationalTestCases": [{"name": "talk"}], "hyperparameters": {"model": "gpt-4"}}, "run.json"
    )


def judge_arena_annotations() -> SourceFile:
    """Annotations of JudgeArena 0.3: both orders of one pair, and a reply that cannot be parsed."""
    header = ["judge_completion", "instruction", "completion_A", "completion_B", "judge_input", "prompt_preset"]
    header += ["judge_top_logprobs", "parsed", "instruction_index", "model_A", "model_B", "judge"]
    return csv_file(
        header,
        ["score_A: 8\nscore_B: 3", "Count.", "1 2 3", "No", "…", "default", "", "", "0", "M1", "M2", "gpt-4"],
        ["…", "Count.", "No", "1 2 3", "…", "default", "", "{'preference': 0.875}", "0", "M2", "M1", "gpt-4"],
        ["I cannot.", "Sing.", "La", "Lo", "…", "default", "", "", "1", "M1", "M2", "gpt-4"],
        name="alpaca-annotations.csv",
    )


def label_studio_tasks() -> SourceFile:
    """An export of Label Studio 1.17 in the format JSON."""

    def annotation(person: object, result: list[object], **fields: object) -> dict[str, object]:
        return {
            "id": 1001,
            "result": result,
            "was_cancelled": False,
            "lead_time": 4.5,
            "completed_by": person,
            **fields,
        }

    def selected(side: str) -> dict[str, object]:
        return {"from_name": "pw", "id": "x", "to_name": "text1,text2", "type": "pairwise", "value": {"selected": side}}

    rating = {"from_name": "stars", "to_name": "text1", "type": "rating", "value": {"rating": 4}}
    task = {
        "id": 7,
        "data": {"prompt": "Why?", "text1": "So.", "text2": "Because."},
        "annotations": [
            annotation(10, [selected("left"), rating]),
            annotation({"id": 11, "email": "ann@example.org"}, [selected("right")]),
            annotation(12, [], was_cancelled=True),
        ],
        **{"predictions": [], "project": 83},
    }
    image = {"id": 8, "data": {"image": "1.jpg"}, "annotations": [], "predictions": [], "project": 83}
    return json_array(task, image, name="project-83.json")


def argilla_records() -> SourceFile:
    """An export of Argilla 2 by `records.to_json`."""
    ranking = [{"value": "response-2", "rank": 1}, {"value": "response-1", "rank": 2}]
    record = {
        **{
            "id": "r1",
            "fields": {"instruction": "Why?", "response-1": "So.", "response-2": "Because."},
            "metadata": {},
        },
        "suggestions": {"preference": {"value": "response-1", "score": None, "agent": "gpt-4"}},
        "responses": {
            "preference": [{"value": "response-1", "user_id": "u1"}, {"value": "tie", "user_id": "u2"}],
            "ranking": [{"value": ranking, "user_id": "u1"}],
            "comment": [{"value": "Both are short.", "user_id": "u1"}],
        },
        **{"vectors": {}, "status": "completed", "_server_id": "s1"},
    }
    return json_array(
        record, {**record, "id": "r2", "fields": {"text": "Alone."}, "responses": {}}, name="argilla.json"
    )


def llmbar_verdicts(**changes: object) -> SourceFile:
    """Two verdicts as LLMBar's authors recorded them."""
    verdict = {
        **{"dataset": "LLMBar/Adversarial/Neighbor", "idx": 3, "label": 1, "judge": "GPT-4", "strategy": "CoT"},
        **{"winner_ab": 1, "winner_ba": 2, "rounds": 1},
        **changes,
    }
    return json_lines(verdict, {**verdict, "judge": "PaLM2", "winner_ab": None}, name="recorded_verdicts.jsonl")


def mt_bench_grades() -> SourceFile:
    """Grades that FastChat wrote: a grade, a reply without one, and a call that failed."""
    grade = {
        **{"question_id": 81, "model": "alpha", "judge": ["gpt-4", "single-v1"], "user_prompt": "…"},
        **{"judgment": "Rating: [[7.5]]", "score": 7.5, "turn": 1, "tstamp": 1.5},
    }
    second = {"turn": 2, "judge": ["gpt-4", "single-v1-multi-turn"], "judgment": "No.", "score": -1}
    return json_lines(
        grade, grade | second, grade | {"model": "beta", "judgment": "$ERROR$", "score": -1}, name="gpt-4_single.jsonl"
    )


def mt_bench_games(**changes: object) -> SourceFile:
    """A line of games that FastChat wrote."""
    games = {
        **{"question_id": 81, "model_1": "alpha", "model_2": "beta", "judge": ["gpt-4", "pair-v2"], "turn": 2},
        **{"g1_winner": "model_1", "g1_judgment": "[[A]]", "g2_winner": "model_1", "g2_judgment": "[[B]]"},
        **changes,
    }
    return json_lines(games, name="gpt-4_pair.jsonl")


def alpaca_annotations(*preferences: object, **changes: object) -> SourceFile:
    """Annotations by a judge of AlpacaEval, one instruction for each preference."""
    annotations = [
        {
            **{"instruction": f"Count to {number}.", "dataset": "koala", "annotator": "weighted", "preference": one},
            **{"output_1": "1", "generator_1": "base", "output_2": f"1 to {number}", "generator_2": "mine"},
            **changes,
        }
        for number, one in enumerate(preferences)
    ]
    return json_array(*annotations, name="annotations.json")
