"""Results of promptfoo, results version 3 (`promptfoo eval --output results.json`, or an export of an evaluation).

A test with one prompt is a context, a provider is a system, and each assertion an attribute: by its metric, else by its
type. The attribute `score` is the whole result's.
"""

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

from evenhand.formats.logs.logged_item import LoggedItem, LogRecord, ToolLog, as_number

PROMPTFOO_KEYS = ("results",)


def read_promptfoo_results(log: ToolLog) -> Iterator[LoggedItem]:
    """Yield an item for each result with an output."""
    prompts: dict[object, int] = {}
    outputs: Counter[tuple[str, str]] = Counter()
    for line, result in log.records:
        prompt, text = (result.get("prompt") or {}).get("raw"), _read_output(result)
        number = prompts.setdefault(result.get("promptId"), len(prompts))
        if not prompt or text is None:
            log.skip("results without a prompt or an output")
            continue
        key = f"{result.get('testIdx')}" if number == 0 else f"{result.get('testIdx')}/{number}"
        system = _name_provider(result.get("provider"))
        outputs[key, system] += 1
        candidate = system if outputs[key, system] == 1 else f"{system}-{outputs[key, system]}"
        candidates = [{"candidate": candidate, "system": system, "text": text}]
        context = {"context": key, "text": prompt, "candidates": candidates}
        yield LoggedItem(line, context, tuple(_read_scores(log, result, candidate)))


def _read_output(result: LogRecord) -> str | None:
    output = (result.get("response") or {}).get("output")
    return output if isinstance(output, str) or output is None else json.dumps(output, ensure_ascii=False)


def _name_provider(provider: object) -> str:
    if isinstance(provider, dict):
        return str(provider.get("label") or provider.get("id") or "provider")
    return str(provider or "provider")


def _read_scores(log: ToolLog, result: LogRecord, candidate: str) -> Iterator[dict[str, Any]]:
    if (whole := as_number(result.get("score"))) is not None:
        yield {"attribute": "score", "candidate": candidate, "score": whole}
    seen: Counter[str] = Counter()
    for part in (result.get("gradingResult") or {}).get("componentResults") or []:
        assertion = part.get("assertion") or {}
        name = str(assertion.get("metric") or assertion.get("type") or "")
        score = as_number(part.get("score"))
        if not name or score is None:
            log.skip("assertions without a name or a score")
            continue
        seen[name] += 1
        attribute = name if seen[name] == 1 else f"{name}-{seen[name]}"
        yield {"attribute": attribute, "candidate": candidate, "score": score, "text": part.get("reason")}
