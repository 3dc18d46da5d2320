"""Logs of Inspect AI, log version 2 (`.json`, and `.eval` archives): one model's outputs on a task, with their scores.

A sample is a context, the model is the system, and each scorer is an attribute. Grades become numbers as in Inspect:
C is 1, P is 0.5, I and N are 0.
"""

from collections.abc import Iterator
from typing import Any

from evenhand.formats.logs.logged_item import LoggedItem, LogRecord, ToolLog, as_number, as_text, drop_empty
from evenhand.formats.mappings.cell_texts import prompt_of

INSPECT_KEYS = ("version", "status", "eval")
_GRADES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}


def read_inspect_log(log: ToolLog) -> Iterator[LoggedItem]:
    """Yield an item for each sample that has an output."""
    run = log.header.get("eval") or {}
    task, model = str(run.get("task") or log.stem), str(run.get("model") or log.stem)
    for line, sample in log.records:
        prompt, output = prompt_of(sample.get("input")), _read_output(sample)
        if sample.get("error"):
            log.skip("samples that ended in an error")
        elif prompt is None or output is None:
            log.skip("samples without an input or an output")
        else:
            epoch = sample.get("epoch") or 1
            key = model if epoch == 1 else f"{model}-{epoch}"
            context = {
                "context": f"{task}/{sample.get('id')}",
                "text": prompt,
                "candidates": [{"candidate": key, "system": model, "text": output}],
                **drop_empty(subset=task, reference=as_text(sample.get("target"))),
            }
            yield LoggedItem(line, context, tuple(_read_scores(log, sample, key)))


def _read_output(sample: LogRecord) -> str | None:
    output = sample.get("output") or {}
    choices = output.get("choices") or [{}]
    text = as_text((choices[0].get("message") or {}).get("content"))
    return text if text is not None else as_text(output.get("completion"))


def _read_scores(log: ToolLog, sample: LogRecord, candidate: str) -> Iterator[dict[str, Any]]:
    for scorer, score in (sample.get("scores") or {}).items():
        value = score.get("value")
        parts = (
            {f"{scorer}/{name}": part for name, part in value.items()} if isinstance(value, dict) else {scorer: value}
        )
        for attribute, part in parts.items():
            number = _GRADES.get(part) if isinstance(part, str) else as_number(part)
            if number is None and isinstance(part, str | list):
                log.skip(f"scores by {scorer} that are no number")
                continue
            text = score.get("explanation")
            yield {"attribute": attribute, "candidate": candidate, "score": number, "text": text}
