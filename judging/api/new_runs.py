"""Starting runs: what is asked for, found by the names that commands take."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from rest_framework import serializers

from judging.exceptions import Refusals, Refused
from judging.models import Attribute, Dataset, Judge, Prompt, User
from judging.prompting.methods import METHODS
from judging.services.execution.criteria import find_criteria_prompt
from judging.services.judges.metric_judges import usual_method, usual_prompts
from judging.services.plans.generation_settings import MOST_SAMPLES, GenerationSettings
from judging.services.plans.selection_settings import SELECTION_RULES, SelectionSettings
from judging.services.prompts.prompt_library import prompts_named, prompts_of
from judging.services.runs.run_request import RunRequest
from judging.web.api_input import GivenSerializer

LARGEST_SEED, LARGEST_NUMBER, MOST_NAMES = 2**63 - 1, 2**31 - 1, 1_000


class NameField(serializers.CharField):
    def __init__(self, **options: Any) -> None:  # noqa: ANN401 - the field's own
        super().__init__(max_length=200, **options)


class NamesField(serializers.ListField):
    def __init__(self, **options: Any) -> None:  # noqa: ANN401 - the field's own
        super().__init__(child=NameField(), allow_empty=False, max_length=MOST_NAMES, required=False, **options)


class NewRunSerializer(GivenSerializer):
    """What is to be judged. Left out: the judge's usual method (comparative; of a metric, metric) and prompt, every
    ordered pair, every context.

    attributes, prompts: lists instead of attribute and prompt; one run is started for each attribute with each prompt,
    all of them or none. Where method is left out, the prompts of such a list may be of several methods.
    hold_out: of the comparisons of selection bt-optimal, the share that is drawn at random; left out, 0.1.
    samples: texts to sample for each answer, at a temperature above 0; left out, answers are read off by probability.
    temperature: of everything that the judge writes; left out, 0. metrics: a prompt by which it writes its own metrics
    for each context first; left out, none.
    """

    dataset = NameField()
    attribute = NameField(required=False)
    attributes = NamesField()
    judge = NameField()
    method = serializers.ChoiceField(list(METHODS), required=False)
    prompt = NameField(required=False)
    prompts = NamesField()
    selection = serializers.ChoiceField(list(SELECTION_RULES), default="full")
    budget = serializers.IntegerField(min_value=1, max_value=LARGEST_NUMBER, allow_null=True, default=None)
    context_limit = serializers.IntegerField(min_value=1, max_value=LARGEST_NUMBER, allow_null=True, default=None)
    seed = serializers.IntegerField(min_value=0, max_value=LARGEST_SEED, default=0)
    hold_out = serializers.FloatField(min_value=0, max_value=1, allow_null=True, default=None)
    samples = serializers.IntegerField(min_value=1, max_value=MOST_SAMPLES, allow_null=True, default=None)
    temperature = serializers.FloatField(min_value=0, default=0)
    metrics = NameField(required=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        twice = [name for name in ("attribute", "prompt") if name in attrs and f"{name}s" in attrs]
        if twice:
            raise serializers.ValidationError({name: f"{name}s is there too; give one of the two" for name in twice})
        if "attribute" not in attrs and "attributes" not in attrs:
            raise serializers.ValidationError({"attribute": self.fields["attribute"].error_messages["required"]})
        return attrs


def asks_for_several(asked: dict[str, Any]) -> bool:
    """Whether lists were given, so that a list of runs is the answer."""
    return "attributes" in asked or "prompts" in asked


def what_is_asked(asked: dict[str, Any], *, user: User) -> list[RunRequest]:
    """Every attribute with every prompt. Raises Refused with every name that is not there."""
    refusals = Refusals()
    dataset = refusals.of(partial(_dataset, asked["dataset"], user))
    attributes = refusals.of(partial(_attributes, dataset, asked.get("attributes") or [asked["attribute"]]))
    judge = refusals.of(partial(_judge, asked["judge"]))
    prompts = refusals.of(partial(_prompts, asked, judge)) if judge else None
    criteria = refusals.of(partial(find_criteria_prompt, asked["metrics"])) if "metrics" in asked else None
    if dataset is None or attributes is None or judge is None or prompts is None or refusals.problems:
        raise Refused(*refusals.problems)
    selection = SelectionSettings(
        asked["selection"], asked["budget"], asked["context_limit"], asked["seed"], asked["hold_out"]
    )
    generation = GenerationSettings(asked["samples"], asked["temperature"])
    return [
        RunRequest(dataset, attribute, judge, prompt, selection, generation, criteria)
        for attribute in attributes
        for prompt in prompts
    ]


def _dataset(name: str, user: User) -> Dataset:
    dataset = Dataset.objects.visible_to(user).filter(name=name).first()
    if dataset is None:
        raise Refused(f'dataset: there is no "{name}"')
    return dataset


def _attributes(dataset: Dataset | None, names: Sequence[str]) -> list[Attribute]:
    """Each once, in the order given."""
    there = {attribute.name: attribute for attribute in Attribute.objects.filter(dataset=dataset)}
    if unknown := [name for name in names if name not in there]:
        raise Refused(*(f'attribute: there is no "{name}"' for name in unknown))
    return [there[name] for name in dict.fromkeys(names)]


def _judge(name: str) -> Judge:
    judge = Judge.objects.filter(name=name).first()
    if judge is None:
        raise Refused(f'judge: there is no "{name}"')
    return judge


def _prompts(asked: dict[str, Any], judge: Judge) -> list[Prompt]:
    if "prompts" in asked and "method" not in asked:
        return prompts_named(asked["prompts"])
    method = asked.get("method") or usual_method(judge)
    named = [asked["prompt"]] if "prompt" in asked else asked.get("prompts")
    return prompts_of(method, named or usual_prompts(judge, method=method))
