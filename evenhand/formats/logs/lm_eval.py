"""Samples of lm-evaluation-harness 0.4 (`samples_TASK_DATE.jsonl`, written with `--log_samples`).

A document is a context, its generated answer a candidate, and each metric an attribute. The model is named by the
file's folder, as the harness writes it; without a folder, by the file.
"""

import json
import re
from collections.abc import Iterator

from evenhand.formats.logs.logged_item import LoggedItem, LogRecord, ToolLog, as_number
from evenhand.formats.mappings.cell_texts import prompt_of

LM_EVAL_KEYS = ("doc_id", "resps", "filtered_resps")
_OWN_KEYS = {"doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics"}
_FILE_NAME = re.compile(r"samples_(?P<task>.+?)_\d{4}-\d\d-\d\dT[\d.:-]+")


def read_lm_eval_samples(log: ToolLog) -> Iterator[LoggedItem]:
    """Yield an item for each line with a generated answer."""
    named = _FILE_NAME.fullmatch(log.stem)
    task, system = named["task"] if named else log.stem, log.folder or log.stem
    for line, sample in log.records:
        prompt, answer = _read_prompt(sample.get("arguments")), _first_text(sample.get("resps"))
        if answer is None:
            log.skip("samples without a generated text, as of multiple-choice tasks")
        elif prompt is None:
            log.skip("samples without a prompt")
        else:
            context = {
                "context": f"{task}/{sample.get('doc_id')}",
                "text": prompt,
                "subset": task,
                "candidates": [{"candidate": system, "system": system, "text": answer}],
            }
            target = sample.get("target")
            if isinstance(target, str) and target.strip():
                context["reference"] = target
            yield LoggedItem(line, context, tuple(_read_scores(sample, system)))


def _read_scores(sample: LogRecord, candidate: str) -> Iterator[dict[str, object]]:
    metrics = sample.get("metrics")
    names = metrics if isinstance(metrics, list) else [key for key in sample if key not in _OWN_KEYS]
    suffix = f",{sample['filter']}" if sample.get("filter") not in (None, "none") else ""
    for name in names:
        number = as_number(sample.get(name))
        if number is not None:
            yield {"attribute": f"{name}{suffix}", "candidate": candidate, "score": number}


def _read_prompt(arguments: object) -> str | None:
    """Return the prompt of a request: `[[prompt, …]]`, or `{"gen_args_0": {"arg_0": prompt}}` in newer files."""
    if isinstance(arguments, dict):
        arguments = [list(one.values()) for one in arguments.values() if isinstance(one, dict)]
    prompt = _first_text(arguments)
    if prompt is not None and prompt.startswith("[{"):
        try:
            return prompt_of(json.loads(prompt))
        except ValueError:
            return prompt
    return prompt


def _first_text(value: object) -> str | None:
    while isinstance(value, list) and value:
        value = value[0]
    return value if isinstance(value, str) else None
