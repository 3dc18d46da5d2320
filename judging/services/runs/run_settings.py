"""Runs by the names and settings that a person chose. Page, API and command read them here."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Annotated, Any

from evenhand.engine.questions.thinking import THINKING_TOKENS
from evenhand.numerics.selection.adaptive_selection import BT_OPTIMAL
from evenhand.numerics.selection.pair_selection import ANCHOR
from evenhand.numerics.selection.until_sure import DEFAULT_BOUND, UNTIL_SURE
from evenhand.options import Option, options_of
from evenhand.prompting.criteria import CriteriaPrompt
from evenhand.prompting.methods import METHODS, method_names
from evenhand.refusals import Refusals
from judging.models import Attribute, Dataset, Exclusion, Judge, Prompt
from judging.models.exclusions import NOTHING_LEFT_OUT, all_but
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
)
from judging.services.plans.selection_settings import EVERY_PAIR, LARGEST_NUMBER, SELECTION_TITLES, SelectionSettings
from judging.services.runs.run_request import RunRequest

MOST_LEFT_OUT, LONGEST_NAME, LONGEST_KEY = 100_000, 200, 500


@dataclass(frozen=True, slots=True)
class RunSettings:
    """Sampling, thinking, criteria and exclusions of runs.

    criteria: the prompt by which judges write criteria; None for none.
    """

    generation: GenerationSettings = DEFAULT_GENERATION
    criteria: CriteriaPrompt | None = None
    exclusion: Exclusion = NOTHING_LEFT_OUT


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
