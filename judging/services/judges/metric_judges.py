"""Metrics as judges: their settings, default method and prompts."""

import re
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from evenhand.engine.metrics import BERTSCORE, METRICS, REWARD, MetricName, metric_name
from evenhand.engine.quantised_models import path_problem
from evenhand.prompting.methods import COMPARATIVE, METHODS, METRIC
from evenhand.refusals import Refused, did_you_mean, unknown_choice
from judging.models import Context, Dataset, Judge, Prompt

PROMPT_NAMES: Mapping[str, str] = MappingProxyType(
    {"reference": "against-reference", "context": "against-context", "": "text-alone"}
)
"""Prompt name by the text that a metric compares with: reference, context or none."""

HUB_ID = re.compile(r"\w[\w.-]*(/\w[\w.-]*)?")
_EXAMPLES = {BERTSCORE: "roberta-large", REWARD: "Skywork/Skywork-Reward-V2-Qwen3-0.6B"}


def default_method(judge: Judge) -> str:
    """Return the judge's default method: metric for metrics, comparative for models."""
    return METRIC.name if judge.is_metric else COMPARATIVE.name


def default_prompts(judge: Judge, *, method: str) -> list[str]:
    """Return the judge's default prompts; empty for the method's own default."""
    if not judge.is_metric or method != METRIC.name:
        return []
    return [prompts_of_metric(judge)[0]]


def prompt_against(judge: Judge, against: str) -> str:
    """Return the prompt name for comparing texts with the reference or the context.

    Raises Refused if the judge is no metric, or a metric that does not compare with it.
    """
    if not judge.is_metric:
        raise Refused(f'against: {against} — only metrics have this option, and "{judge.name}" is a model')
    choices = [known for known in METRICS[metric_name(judge.model).kind].against if known]
    if not choices:
        raise Refused(f'against: {against} — "{judge.name}" measures texts alone; leave it out')
    if against not in choices:
        raise Refused(unknown_choice("against", against, choices))
    return PROMPT_NAMES[against]


def prompts_of_metric(judge: Judge) -> list[str]:
    """Return the prompt names of a metric, the default first."""
    return [PROMPT_NAMES[against] for against in METRICS[metric_name(judge.model).kind].against]


def metric_problems(dataset: Dataset, *, judge: Judge, prompt: Prompt) -> list[str]:
    """Return the reasons why judge, prompt and dataset do not fit together, as far as metrics matter."""
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
        return [f'prompt: "{prompt.name}" — metric {judge.model} needs {" or ".join(allowed)}']
    with_reference = Context.objects.filter(dataset=dataset).exclude(reference="")
    if prompt.name == PROMPT_NAMES["reference"] and not with_reference.exists():
        return [
            f'prompt: "{prompt.name}" — no context of dataset "{dataset.name}" has a reference; '
            f"choose {PROMPT_NAMES['context']}"
        ]
    return []


def metric_judge_problems(judge: Judge, *, looks: bool) -> list[str]:
    """Return the problems of a metric's settings. A hub model is looked up when the metric first runs.

    looks: whether to look for a folder of its model.
    """
    model, name = judge.model, metric_name(judge.model)
    if name.kind not in METRICS:
        return [f'model: "{model}" is no metric{did_you_mean(model, METRICS)}; choose one of: {", ".join(METRICS)}']
    if name.loads_model:
        return _model_problems(name, looks=looks)
    allowed = {"revision": ("",), "dtype": ("float32",), "device": ("auto", "cpu")}
    return [
        f"{field}: {getattr(judge, field)} — metric {model} loads no model; leave it out"
        for field, values in allowed.items()
        if getattr(judge, field) not in values
    ]


def _model_problems(name: MetricName, *, looks: bool) -> list[str]:
    if not name.model.strip():
        return [f"model: {name.kind} needs a model; give it as in {name.kind}:{_EXAMPLES[name.kind]}"]
    problems = []
    if name.kind == BERTSCORE and name.layer is None:
        problems.append(f'model: the layer of "{name.model}" is unknown; give it as in {name.kind}:{name.model}#17')
    if not looks:
        return problems
    folder = Path(name.model)
    if problem := path_problem(folder.expanduser()):
        return [f"model: {problem}"]
    if names_folder(name.model) and not folder.is_dir():
        problems.append(f'model: there is no folder "{name.model}"')
    return problems


def names_folder(model: str, *, looks: bool = True) -> bool:
    """Return True for a path, by its form alone; if it looks, also for a hub id that is in the working folder."""
    return bool(model) and (not HUB_ID.fullmatch(model) or (looks and Path(model).exists()))


def full_metric(model: str) -> str:
    """Return the metric with an absolute path, which workers in other folders find."""
    name = metric_name(model)
    if not Path(name.model).is_dir() or not name.model:
        return model
    layer = f"#{name.layer}" if name.kind == BERTSCORE else ""
    return f"{name.kind}:{Path(name.model).resolve()}{layer}"
