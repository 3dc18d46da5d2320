"""Test runs of DeepEval 1 to 4: `testCases` with `metricsData`, or `test_results` with `metrics_data`.

A test case is a context, named by its name, or by its order if names repeat. Each metric is an attribute. The system is
the hyperparameter `model`, else the run's identifier, else the file's name.
"""

from collections.abc import Iterator
from typing import Any

from evenhand.formats.logs.logged_item import LoggedItem, LogRecord, ToolLog, as_number, drop_empty

_CASES = ("testCases", "test_results")
DEEPEVAL_ARRAYS = (*((name,) for name in _CASES), *(("testRunData", name) for name in _CASES))


def read_deepeval_run(log: ToolLog) -> Iterator[LoggedItem]:
    """Yield an item for each test case with an output."""
    system = _name_system(log)
    for _ in range(log.lengths.get(("conversationalTestCases",), 0)):
        log.skip("conversational test cases")
    names = [str(case.get("name") or "") for _, case in log.records]
    is_named = all(names) and len(set(names)) == len(names)
    for (line, case), name in zip(log.records, names, strict=True):
        prompt, output = case.get("input"), _either(case, "actualOutput", "actual_output")
        if not isinstance(prompt, str) or not prompt.strip() or not isinstance(output, str):
            log.skip("test cases without an input or an output")
            continue
        context = {
            "context": name if is_named else str(line - 1),
            "text": prompt,
            "candidates": [{"candidate": system, "system": system, "text": output}],
            **drop_empty(reference=_either(case, "expectedOutput", "expected_output")),
        }
        yield LoggedItem(line, context, tuple(_read_scores(case, system)))


def _name_system(log: ToolLog) -> str:
    hyperparameters = log.header.get("hyperparameters")
    model = hyperparameters.get("model") if isinstance(hyperparameters, dict) else None
    return str(model or log.header.get("identifier") or log.stem)


def _either(case: LogRecord, name: str, other: str) -> Any:  # noqa: ANN401 - a JSON value
    return case.get(name) if case.get(name) is not None else case.get(other)


def _read_scores(case: LogRecord, candidate: str) -> Iterator[dict[str, Any]]:
    for metric in _either(case, "metricsData", "metrics_data") or ():
        texts = {"text": metric.get("reason"), "error": metric.get("error")}
        score = as_number(metric.get("score"))
        yield {"attribute": str(metric.get("name")), "candidate": candidate, "score": score, **texts}
