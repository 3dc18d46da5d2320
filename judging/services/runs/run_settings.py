"""Runs by the names and settings that a person chose. Page, API, command and the plan of a study read them here."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Annotated, Any, Self

from evenhand.engine import Thinking
from evenhand.engine.questions.thinking import THINKING_TOKENS
from evenhand.numerics.selection.adaptive_selection import BT_OPTIMAL
from evenhand.numerics.selection.pair_selection import ANCHOR
from evenhand.numerics.selection.until_sure import DEFAULT_BOUND, UNTIL_SURE
from evenhand.options import Option, options_of, read_options
from evenhand.prompting.criteria import CriteriaPrompt
from evenhand.prompting.methods import METHODS, method_names
from evenhand.refusals import Refusals, did_you_mean
from judging.models import Attribute, Candidate, Context, Dataset, Exclusion, Judge, Prompt, Run
from judging.models.exclusions import NOTHING_LEFT_OUT, all_but
from judging.models.judges import prompt_label
from judging.services.execution.reasoning import find_criteria_prompt
from judging.services.plans.adaptive_pairs import HOLD_OUT
from judging.services.plans.generation_settings import (
    CUT_THINKING,
    DEFAULT_GENERATION,
    MOST_SAMPLES,
    MOST_THINKING_TOKENS,
    THINKING_MODES,
    GenerationSettings,
    choose_thinking,
    generation_in,
)
from judging.services.plans.run_spec import criteria_prompt_in
from judging.services.plans.selection_settings import EVERY_PAIR, LARGEST_NUMBER, SELECTION_TITLES, SelectionSettings
from judging.services.runs.run_request import RunRequest

MOST_LEFT_OUT, LONGEST_NAME, LONGEST_KEY = 100_000, 200, 500


@dataclass(frozen=True, slots=True)
class RunSettings:
    """Sampling, thinking, criteria and exclusions of one run, or of all runs of a study.

    criteria: the prompt by which judges write criteria; None for none.
    """

    generation: GenerationSettings = DEFAULT_GENERATION
    criteria: CriteriaPrompt | None = None
    exclusion: Exclusion = NOTHING_LEFT_OUT

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


def run_settings(
    *,
    samples: Annotated[
        int | None,
        Option(
            "Short texts sampled for each answer, in place of its probabilities. The answer is the share of texts that "
            "name the first candidate, or their mean score.",
            "Samples per answer",
            low=1,
            high=MOST_SAMPLES,
        ),
    ] = None,
    temperature: Annotated[
        float, Option("Of all generated text. 0 is greedy; samples per answer need one above 0.", "Temperature", low=0)
    ] = 0,
    thinking: Annotated[
        str,
        Option(
            "For models with a thinking block, and for endpoints with such models.", "Thinking", choices=THINKING_MODES
        ),
    ] = "off",
    thinking_tokens: Annotated[
        int | None,
        Option(
            f"Limit; a local model stops thinking there and answers (empty: {THINKING_TOKENS:,}).",
            "Most tokens of thinking",
            low=1,
            high=MOST_THINKING_TOKENS,
        ),
    ] = None,
    reasoning_effort: Annotated[
        str, Option("Such as low, medium or high (empty: the model's own).", "Effort of thinking", longest=50)
    ] = "",
    cut_thinking: Annotated[
        str | None,
        Option(
            "After thinking that is empty or reached its limit, the answer is read, or left out (empty: read).",
            "Answers after cut or empty thinking",
            choices=CUT_THINKING,
        ),
    ] = None,
    metrics: Annotated[
        str,
        Option(
            "Prompt by which the judge first writes up to three questions about each context. Every prompt about that "
            "context then shows them. Not for "
            f"{method_names(method for method in METHODS.values() if not method.takes_criteria)}.",
            "Self-generated criteria",
            longest=LONGEST_NAME,
        ),
    ] = "",
    without_system: Annotated[
        tuple[str, ...],
        Option("Their candidates are not judged.", "Systems left out", most=MOST_LEFT_OUT, longest=LONGEST_KEY),
    ] = (),
    without_context: Annotated[
        tuple[str, ...], Option("Their identifiers.", "Contexts left out", most=MOST_LEFT_OUT, longest=LONGEST_KEY)
    ] = (),
) -> RunSettings:
    """Return the settings that a person chose. Raises Refused with every problem."""
    refusals = Refusals()
    criteria = refusals.of(partial(find_criteria_prompt, metrics)) if metrics else None
    thought = partial(choose_thinking, thinking, tokens=thinking_tokens, effort=reasoning_effort, cut=cut_thinking)
    chosen = refusals.of(thought)
    refusals.raise_if_any()
    generation = GenerationSettings(samples, float(temperature), chosen)
    return RunSettings(generation, criteria, Exclusion.of(systems=without_system, contexts=without_context))


def run_selection(
    exclusion: Exclusion = NOTHING_LEFT_OUT,
    *,
    selection: Annotated[
        str,
        Option(
            "Scoring methods score every text: leave it at full.",
            "Pairs",
            choices={name: f"{name}: {title}" for name, title in SELECTION_TITLES.items()},
        ),
    ] = EVERY_PAIR.rule,
    comparisons: Annotated[
        int | None,
        Option("Number of comparisons for each context.", "Comparisons per context", low=1, high=LARGEST_NUMBER),
    ] = None,
    hold_out: Annotated[
        float | None,
        Option(
            f"For {BT_OPTIMAL}: share of random pairs kept for evaluation (empty: {HOLD_OUT}).",
            "Share held out",
            low=0,
            below=1,
        ),
    ] = None,
    bound: Annotated[
        float | None,
        Option(
            f"For {UNTIL_SURE}: end a context once this share of pairs of candidates would still change order (empty: "
            f"{DEFAULT_BOUND}).",
            "Stop at",
            above=0,
            below=0.5,
        ),
    ] = None,
    anchor: Annotated[
        str,
        Option(
            f"For {ANCHOR}: the system with which each text of the others is compared.",
            "Compare with",
            longest=LONGEST_KEY,
        ),
    ] = "",
    contexts: Annotated[
        int | None,
        Option(
            "Limit to the first N contexts that are not left out (empty: all).", "Contexts", low=1, high=LARGEST_NUMBER
        ),
    ] = None,
    seed: Annotated[
        int,
        Option(
            "Random seed for the pairs and for sampled texts. The same seed gives the same pairs.",
            "Seed",
            low=0,
            high=2**63 - 1,
        ),
    ] = 0,
) -> SelectionSettings:
    """Return how the pairs of a run are chosen."""
    return SelectionSettings(selection, comparisons, contexts, seed, hold_out, exclusion, bound, anchor)


BATCH = Option(
    "For endpoints that take files of questions: answered within a day, at half the price.",
    "In batches",
    name="batch",
    kind=bool,
    default=False,
)
ONLY = Option(
    "Only contexts with this value of a field, for example part=development; the others are left out.",
    "Only contexts with",
    name="only",
    kind=str,
    default="",
    longest=LONGEST_KEY,
)
SETTING_OPTIONS, SELECTION_OPTIONS = options_of(run_settings), options_of(run_selection)
SETTING_FIELDS = tuple(option.name for option in SETTING_OPTIONS)
RUN_OPTIONS = (*SELECTION_OPTIONS, ONLY, *SETTING_OPTIONS, BATCH)


def settings_by_names(names: Mapping[str, Any]) -> RunSettings:
    """Read the settings of a plan. Raises Refused with every problem."""
    return run_settings(**read_options(SETTING_OPTIONS, {name: names.get(name) for name in SETTING_FIELDS}))


def run_requests(
    dataset: Dataset,
    attributes: Iterable[Attribute],
    judges: Iterable[Judge],
    prompts: Iterable[Prompt],
    *,
    chosen: Mapping[str, Any],
) -> list[RunRequest]:
    """Return one run for each judge, attribute and prompt. chosen: the values of RUN_OPTIONS.

    Raises Refused with every problem of the settings.
    """
    settings = run_settings(**{name: chosen[name] for name in SETTING_FIELDS})
    exclusion = settings.exclusion | all_but(dataset, chosen["only"])
    selection = run_selection(exclusion, **{one.name: chosen[one.name] for one in SELECTION_OPTIONS})
    return [
        RunRequest(
            *(dataset, attribute, judge, prompt, selection), *(settings.generation, settings.criteria, chosen["batch"])
        )
        for judge, attribute, prompt in product(judges, attributes, prompts)
    ]


def shared_settings(runs: Iterable[Run]) -> RunSettings:
    """Return the settings of all these runs; the defaults if they differ."""
    settings = {RunSettings.of_run(run) for run in runs}
    return settings.pop() if len(settings) == 1 else DEFAULT_SETTINGS


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
