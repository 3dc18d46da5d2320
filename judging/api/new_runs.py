"""The request body that starts runs, and its objects by name."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from rest_framework import serializers

from evenhand.prompting.methods import METHODS
from evenhand.refusals import Refusals, Refused, did_you_mean
from judging.models import Attribute, Dataset, Judge, Prompt, User
from judging.services.judges.metric_judges import default_method, default_prompts
from judging.services.plans.generation_settings import (
    CUT_THINKING,
    MOST_SAMPLES,
    MOST_THINKING_TOKENS,
    THINKING_MODES,
)
from judging.services.plans.selection_settings import LARGEST_NUMBER, SELECTION_RULES
from judging.services.prompts.prompt_library import prompts_named, prompts_of
from judging.services.runs.run_request import RunRequest
from judging.services.runs.run_settings import RunSettings, run_requests
from judging.web.api_input import RequestSerializer

LARGEST_SEED, MOST_NAMES, MOST_LEFT_OUT = 2**63 - 1, 1_000, 100_000


class NameField(serializers.CharField):
    def __init__(self, **options: Any) -> None:  # noqa: ANN401 - the field's own
        super().__init__(max_length=200, **options)


class NamesField(serializers.ListField):
    def __init__(self, **options: Any) -> None:  # noqa: ANN401 - the field's own
        super().__init__(child=NameField(), allow_empty=False, max_length=MOST_NAMES, required=False, **options)


class LeftOutField(serializers.ListField):
    def __init__(self, **options: Any) -> None:  # noqa: ANN401 - the field's own
        super().__init__(
            child=serializers.CharField(max_length=500), required=False, max_length=MOST_LEFT_OUT, **options
        )


class RunSettingsSerializer(RequestSerializer):
    """Settings of a run, or of all runs of a study."""

    contexts = serializers.IntegerField(min_value=1, max_value=LARGEST_NUMBER, allow_null=True, required=False)
    samples = serializers.IntegerField(min_value=1, max_value=MOST_SAMPLES, allow_null=True, required=False)
    temperature = serializers.FloatField(min_value=0, required=False)
    thinking = serializers.ChoiceField(list(THINKING_MODES), required=False)
    thinking_tokens = serializers.IntegerField(
        min_value=1, max_value=MOST_THINKING_TOKENS, allow_null=True, required=False
    )
    reasoning_effort = NameField(required=False)
    cut_thinking = serializers.ChoiceField(list(CUT_THINKING), required=False)
    metrics = NameField(required=False)
    without_system = LeftOutField()
    without_context = LeftOutField()


class NewRunSerializer(RunSettingsSerializer):
    """Settings of new runs. Defaults: the judge's default method and prompt, every ordered pair, every context.

    method: default comparative (for metrics: metric).
    attributes, prompts: lists instead of attribute and prompt. One run is started for each attribute and prompt, or
    none at all. Without method, the prompts of a list may have several methods.
    comparisons: number of each context; contexts: only the first contexts of the dataset.
    without_system, without_context: systems and contexts that are left out, as if the dataset lacked them.
    hold_out: share of random pairs kept for evaluation in selection bt-optimal (default 0.1).
    bound: expected share of reordered pairs at which selection until-sure stops (default 0.05).
    anchor: for selection anchor, the system with which each text of the others is compared.
    samples: number of texts sampled per answer, at a temperature above 0 (default: read the probabilities).
    temperature: sampling temperature of all generated text (default 0, greedy).
    thinking: let the judge think before it answers. thinking_tokens: its limit (default 2048).
    reasoning_effort: effort of the thinking, such as low (default: the model's own).
    cut_thinking: read the answer after thinking that is empty or reached its limit, or count it as unparsed.
    metrics: prompt for self-generated criteria of each context (default: none).
    batch: let an endpoint answer in batches, within a day and at half the price.
    dry_run: start nothing, and return what the runs would ask and take.
    """

    dataset = NameField()
    attribute = NameField(required=False)
    attributes = NamesField()
    judge = NameField()
    method = serializers.ChoiceField(list(METHODS), required=False)
    prompt = NameField(required=False)
    prompts = NamesField()
    selection = serializers.ChoiceField(list(SELECTION_RULES), default="full")
    comparisons = serializers.IntegerField(min_value=1, max_value=LARGEST_NUMBER, allow_null=True, default=None)
    seed = serializers.IntegerField(min_value=0, max_value=LARGEST_SEED, default=0)
    hold_out = serializers.FloatField(min_value=0, max_value=1, allow_null=True, default=None)
    bound = serializers.FloatField(min_value=0, max_value=0.5, allow_null=True, default=None)
    anchor = NameField(default="", allow_blank=True)
    batch = serializers.BooleanField(default=False)
    dry_run = serializers.BooleanField(default=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        twice = [name for name in ("attribute", "prompt") if name in attrs and f"{name}s" in attrs]
        if twice:
            raise serializers.ValidationError({name: f"{name}s is given too; give only one of them" for name in twice})
        if "attribute" not in attrs and "attributes" not in attrs:
            raise serializers.ValidationError({"attribute": self.fields["attribute"].error_messages["required"]})
        return attrs


def has_lists(asked: dict[str, Any]) -> bool:
    """Return True if the request has lists, so that the response is a list of runs."""
    return "attributes" in asked or "prompts" in asked


def requested_runs(asked: dict[str, Any], *, user: User) -> list[RunRequest]:
    """Return one run for each attribute and prompt. Raises Refused with every unknown name."""
    refusals = Refusals()
    dataset = refusals.of(partial(dataset_named, asked["dataset"], user))
    attributes = refusals.of(partial(attributes_named, dataset, asked.get("attributes") or [asked["attribute"]]))
    judge = refusals.of(partial(_judge, asked["judge"]))
    prompts = refusals.of(partial(_prompts, asked, judge)) if judge else None
    settings = refusals.of(partial(RunSettings.by_names, asked))
    if dataset is None or attributes is None or judge is None or prompts is None or settings is None:
        raise Refused(*refusals.problems)
    return run_requests(dataset, attributes, [judge], prompts, names=asked, settings=settings)


def dataset_named(name: str, user: User) -> Dataset:
    dataset = Dataset.objects.visible_to(user).filter(name=name).first()
    if dataset is None:
        known = Dataset.objects.visible_to(user).values_list("name", flat=True)
        raise Refused(f'dataset: there is no "{name}"{did_you_mean(name, known)}')
    return dataset


def attributes_named(dataset: Dataset | None, names: Sequence[str]) -> list[Attribute]:
    """Return the named attributes in order, each once."""
    known = {attribute.name: attribute for attribute in Attribute.objects.filter(dataset=dataset)}
    if unknown := [name for name in names if name not in known]:
        raise Refused(*(f'attribute: there is no "{name}"{did_you_mean(name, known)}' for name in unknown))
    return [known[name] for name in dict.fromkeys(names)]


def _judge(name: str) -> Judge:
    judge = Judge.objects.filter(name=name).first()
    if judge is None:
        suggestion = did_you_mean(name, Judge.objects.values_list("name", flat=True))
        raise Refused(f'judge: there is no "{name}"{suggestion}')
    return judge


def _prompts(asked: dict[str, Any], judge: Judge) -> list[Prompt]:
    if "prompts" in asked and "method" not in asked:
        return prompts_named(asked["prompts"])
    method = asked.get("method") or default_method(judge)
    named = [asked["prompt"]] if "prompt" in asked else asked.get("prompts")
    return prompts_of(method, named or default_prompts(judge, method=method))
