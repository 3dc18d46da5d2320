"""One small file in each dataset format."""

from evenhand.formats import DATASET_FORMATS, SourceFile
from tests.evenhand.formats.small_files import context, csv_file, json_lines

_MESSAGES = {"role": "user", "content": "Why?"}, {"role": "assistant", "content": "So."}

# Format -> one row of a file.
EXAMPLE_ROWS = {
    "evenhand": context(),
    "llmbar": {"input": "i", "output_1": "x", "output_2": "y", "label": 1},
    "unieval": {"source": "s", "system_id": "A", "system_output": "x", "scores": {}, "context": "fact"},
    "summeval": {"id": "1", "source": "s", "candidates": [{"system": "A", "text": "x", "scores": {}}]},
    "mt-bench": {
        "question_id": 81,
        "model_a": "A",
        "model_b": "B",
        "winner": "tie",
        "judge": "expert",
        "conversation_a": _MESSAGES,
        "conversation_b": _MESSAGES,
        "turn": 1,
    },
    "arena": {
        **{"model_a": "A", "model_b": "B", "winner": "both_bad", "id": "1"},
        **{"conversation_a": _MESSAGES, "conversation_b": _MESSAGES},
    },
    "arena-responses": {
        **{"id": "1", "model_a": "A", "model_b": "B", "prompt": '["p"]', "response_a": '["x"]', "response_b": '["y"]'},
        **{"winner_model_a": 0, "winner_model_b": 1, "winner_tie": 0},
    },
    "reward-bench-2": {
        **{"id": "1", "prompt": "p", "chosen": ["x"], "rejected": ["y", "z", "w"], "num_correct": 1},
        **{"models": ["A", "B", "C", "D"], "subset": "Math"},
    },
    "judge-bench": {
        **{"pair_id": "1", "question": "q", "response_A": "x", "response_B": "y", "label": "B>A"},
        **{"source": "mmlu-pro", "response_model": "A"},
    },
    "alpaca-eval": {
        **{"instruction": "i", "output_1": "x", "output_2": "y", "generator_1": "A", "generator_2": "B"},
        **{"preference": 2.0, "annotator": "gpt-4", "dataset": "koala"},
    },
    "alpaca-eval-outputs": {"instruction": "i", "output": "x", "generator": "A", "dataset": "koala"},
    "preference": {"prompt": "p", "chosen": "x", "rejected": "y"},
    "battles": {"model_a": "A", "model_b": "B", "winner": "model_a"},
    "csv": {"context": "c", "context_text": "t", "candidate": "a", "text": "x"},
    "webnlg": {"mr": "a | b | c", "team": "A", "text": "x", "fluency": "1", "grammar": "1", "semantics": "1"},
    "hanna": {"Story ID": "0", "Prompt": "p", "Story": "x", "Model": "A", "Relevance": "1"},
}
DETECTED = [name for name, known in DATASET_FORMATS.items() if known.is_detected]
JSON_FORMATS = [name for name in EXAMPLE_ROWS if not DATASET_FORMATS[name].is_table]


def example_file(name: str) -> SourceFile:
    """Return a file of one row in the named format. Its name does not reveal the format."""
    row = EXAMPLE_ROWS[name]
    if DATASET_FORMATS[name].is_table:
        return csv_file(list(row), list(row.values()), name=f"{name}.txt")
    return json_lines(row, name=f"{name}.txt")
