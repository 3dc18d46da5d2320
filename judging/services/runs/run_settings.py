"""Runs by the names and settings that a person chose. Page, API, command and the plan of a study read them here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Any, Self

from evenhand.engine import Thinking
from evenhand.engine.questions.thinking import THINKING_TOKENS
from evenhand.prompting.criteria import CriteriaPrompt
from evenhand.refusals import Refusals, did_you_mean
from judging.models import Attribute, Candidate, Context, Dataset, Exclusion, Judge, Prompt, Run
from judging.models.exclusions import NOTHING_LEFT_OUT
from judging.models.judges import prompt_label
from judging.services.execution.criteria import find_criteria_prompt
from judging.services.plans.generation_settings import (
    DEFAULT_GENERATION,
    GenerationSettings,
    choose_thinking,
    generation_in,
)
from judging.services.plans.run_spec import criteria_prompt_in
from judging.services.plans.selection_settings import EVERY_PAIR, SelectionSettings
from judging.services.runs.run_request import RunRequest

SETTING_FIELDS = (
    *("samples", "temperature", "thinking", "thinking_tokens", "reasoning_effort", "cut_thinking"),
    *("metrics", "without_system", "without_context"),
)


@dataclass(frozen=True, slots=True)
class RunSettings:
    """Sampling, thinking, criteria and exclusions of one run, or of all runs of a study.

    criteria: the prompt by which judges write criteria; None for none.
    """

    generation: GenerationSettings = DEFAULT_GENERATION
    criteria: CriteriaPrompt | None = None
    exclusion: Exclusion = NOTHING_LEFT_OUT

    @classmethod
    def by_names(cls, names: Mapping[str, Any]) -> Self:
        """Read the fields of SETTING_FIELDS. A field that is missing or empty has its default.

        Raises Refused with every problem.
        """
        refusals = Refusals()
        metrics = names.get("metrics")
        criteria = refusals.of(partial(find_criteria_prompt, metrics)) if metrics else None
        thinking = refusals.of(partial(_thinking_in, names))
        refusals.raise_if_any()
        return cls(
            GenerationSettings(names.get("samples"), float(names.get("temperature") or 0), thinking),
            criteria,
            Exclusion.of(systems=names.get("without_system") or (), contexts=names.get("without_context") or ()),
        )

    @classmethod
    def of_run(cls, run: Run) -> Self:
        """Return the settings of a stored run."""
        return cls(generation_in(run.spec), criteria_prompt_in(run.spec), run.exclusion)

    def to_json(self) -> dict[str, Any]:
        """Return the settings by names, without those that have their default."""
        generation, criteria = self.generation, self.criteria
        named = {
            "samples": generation.samples,
            "temperature": generation.temperature,
            **_thinking_names(generation.thinking),
            "metrics": prompt_label(criteria.name, criteria.version) if criteria else "",
            "without_system": list(self.exclusion.systems),
            "without_context": list(self.exclusion.contexts),
        }
        return {name: value for name, value in named.items() if value}

    def exclusion_in(self, dataset: Dataset) -> Exclusion:
        """Return the part of the exclusion that a dataset has; a name may be that of one dataset only."""
        return Exclusion.of(
            systems=_systems_in([dataset], self.exclusion.systems),
            contexts=_contexts_in([dataset], self.exclusion.contexts),
        )

    def unknown_names(self, datasets: Sequence[Dataset]) -> list[str]:
        """Return the problems of systems and contexts that none of the datasets has."""
        known = {
            "system": _systems_in(datasets, self.exclusion.systems),
            "context": _contexts_in(datasets, self.exclusion.contexts),
        }
        named = {"system": self.exclusion.systems, "context": self.exclusion.contexts}
        return [
            f'without_{noun}: no dataset of the plan has a {noun} "{name}"{_similar(noun, name, datasets)}'
            for noun, names in named.items()
            for name in names
            if name not in known[noun]
        ]


DEFAULT_SETTINGS = RunSettings()


def selection_by_names(names: Mapping[str, Any], exclusion: Exclusion = NOTHING_LEFT_OUT) -> SelectionSettings:
    """Read how the pairs of a run are chosen. A field that is missing or empty has its default."""
    return SelectionSettings(
        rule=names.get("selection") or EVERY_PAIR.rule,
        comparisons=names.get("comparisons"),
        contexts=names.get("contexts"),
        seed=names.get("seed") or 0,
        hold_out=names.get("hold_out"),
        exclusion=exclusion,
        bound=names.get("bound"),
        anchor=names.get("anchor") or "",
    )


def run_requests(
    dataset: Dataset,
    attributes: Iterable[Attribute],
    judges: Iterable[Judge],
    prompts: Iterable[Prompt],
    *,
    names: Mapping[str, Any],
    settings: RunSettings,
) -> list[RunRequest]:
    """Return one run for each judge, attribute and prompt. names: of the selection, and `batch`."""
    selection = selection_by_names(names, settings.exclusion)
    return [
        RunRequest(
            *(dataset, attribute, judge, prompt, selection),
            *(settings.generation, settings.criteria, bool(names.get("batch"))),
        )
        for judge, attribute, prompt in product(judges, attributes, prompts)
    ]


def shared_settings(runs: Iterable[Run]) -> RunSettings:
    """Return the settings of all these runs; the defaults if they differ."""
    settings = {RunSettings.of_run(run) for run in runs}
    return settings.pop() if len(settings) == 1 else DEFAULT_SETTINGS


def _thinking_in(names: Mapping[str, Any]) -> Thinking | None:
    return choose_thinking(
        names.get("thinking"),
        tokens=names.get("thinking_tokens"),
        effort=names.get("reasoning_effort"),
        cut=names.get("cut_thinking"),
    )


def _thinking_names(thinking: Thinking | None) -> dict[str, Any]:
    if thinking is None:
        return {}
    return {
        "thinking": "on",
        "thinking_tokens": None if thinking.tokens == THINKING_TOKENS else thinking.tokens,
        "reasoning_effort": thinking.effort,
        "cut_thinking": "" if thinking.reads_cut else "unparsed",
    }


def _systems_in(datasets: Sequence[Dataset], names: Sequence[str]) -> set[str]:
    rows = Candidate.objects.filter(context__dataset__in=datasets, system__in=names)
    return set(rows.values_list("system", flat=True)) if names else set()


def _contexts_in(datasets: Sequence[Dataset], names: Sequence[str]) -> set[str]:
    rows = Context.objects.filter(dataset__in=datasets, key__in=names)
    return set(rows.values_list("key", flat=True)) if names else set()


def _similar(noun: str, name: str, datasets: Sequence[Dataset]) -> str:
    """Suggest the most similar name that one of the datasets has."""
    if noun == "system":
        systems = Candidate.objects.filter(context__dataset__in=datasets).exclude(system="")
        return did_you_mean(name, systems.order_by().values_list("system", flat=True).distinct())
    return did_you_mean(name, Context.objects.filter(dataset__in=datasets).values_list("key", flat=True))
