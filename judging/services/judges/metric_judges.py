"""Metrics as judges: how they may be stored, and how they are asked where nobody says it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from judging.engine.metrics import METRICS, Against, MetricName, metric_name
from judging.exceptions import Refused
from judging.models import Context, Dataset, Judge, Prompt
from judging.prompting.methods import COMPARATIVE, METHODS, METRIC

PROMPTS: Mapping[Against, str] = MappingProxyType(
    {"reference": "against-reference", "context": "against-context", "": "text-alone"}
)
"""What a text is held against -> the prompt that says so."""


def usual_method(judge: Judge) -> str:
    """The method by which a judge is asked where nobody names one."""
    return METRIC.name if judge.is_metric else COMPARATIVE.name


def usual_prompts(judge: Judge, *, method: str) -> list[str]:
    """The prompts where nobody names one; empty where it is the method's first."""
    if not judge.is_metric or method != METRIC.name:
        return []
    return [prompts_of_metric(judge)[0]]


def prompt_against(judge: Judge, against: str) -> str:
    """The prompt that holds texts against a context's reference or text. Raises Refused where this judge does not."""
    allowed = METRICS[metric_name(judge.model).kind].against if judge.is_metric else ()
    for known in allowed:
        if known and known == against:
            return PROMPTS[known]
    if not judge.is_metric:
        raise Refused(f'against: {against} — only a metric holds texts against one, and "{judge.name}" is a model')
    choices = ", ".join(known for known in allowed if known)
    raise Refused(
        f'against: "{against}" is unknown; choose one of: {choices}'
        if choices
        else f'against: {against} — "{judge.name}" measures a text alone; leave it out'
    )


def prompts_of_metric(judge: Judge) -> list[str]:
    """The prompts by which a metric can be asked, the usual one first."""
    return [PROMPTS[against] for against in METRICS[metric_name(judge.model).kind].against]


def metric_problems(dataset: Dataset, *, judge: Judge, prompt: Prompt) -> list[str]:
    """Why judge, prompt and dataset do not go together, as far as metrics are concerned."""
    measures = METHODS[prompt.method].is_metric
    if judge.is_metric and not measures:
        return [
            f'method: {prompt.method} asks in words, and judge "{judge.name}" is a metric; choose method {METRIC.name}'
        ]
    if measures and not judge.is_metric:
        return [f'judge: "{judge.name}" is no metric; method {METRIC.name} needs a judge of backend metric']
    if not measures:
        return []
    return _prompt_problems(dataset, judge, prompt)


def _prompt_problems(dataset: Dataset, judge: Judge, prompt: Prompt) -> list[str]:
    allowed = prompts_of_metric(judge)
    if prompt.name not in allowed:
        return [f'prompt: "{prompt.name}" — metric {judge.model} is asked by {" or ".join(allowed)}']
    if prompt.name == PROMPTS["reference"] and not _has_references(dataset):
        return [
            f'prompt: "{prompt.name}" — no context of dataset "{dataset.name}" has a reference; '
            f"choose {PROMPTS['context']}"
        ]
    return []


def _has_references(dataset: Dataset) -> bool:
    return Context.objects.filter(dataset=dataset).exclude(reference="").exists()


def metric_judge_problems(model: str, *, revision: str, dtype: str, device: str) -> list[str]:
    """What is wrong with a metric as a judge. A model of the hub is looked up when it first measures."""
    name = metric_name(model)
    if name.kind not in METRICS:
        return [f'model: "{model}" is no metric; choose one of: {", ".join(METRICS)}']
    if name.loads_model:
        return _model_problems(name)
    given = {"revision": (revision, ""), "dtype": (dtype, "float32"), "device": (device, "auto")}
    return [
        f"{field}: {value} — metric {model} loads no model; leave it out"
        for field, (value, usual) in given.items()
        if value not in (usual, "cpu")
    ]


def _model_problems(name: MetricName) -> list[str]:
    if not name.model.strip():
        return [f"model: {name.kind} needs a model; give it as in {name.kind}:roberta-large"]
    problems = []
    if name.layer is None:
        problems.append(
            f'model: which layer of "{name.model}" is compared is not known; give it as in {name.kind}:{name.model}#17'
        )
    folder = Path(name.model)
    if name.model.startswith((".", "/", "~", "\\")) and not folder.is_dir():
        problems.append(f'model: there is no folder "{name.model}"')
    return problems


def full_metric(model: str) -> str:
    """A metric with its folder as workers started elsewhere find it."""
    name = metric_name(model)
    if not Path(name.model).is_dir() or not name.model:
        return model
    return f"{name.kind}:{Path(name.model).resolve()}#{name.layer}"
