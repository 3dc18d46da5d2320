"""The plan of a study: datasets × attributes × judges × prompts × selections × seeds."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from math import prod
from typing import Any, Self

from evenhand.numerics.selection.pair_selection import ANCHOR
from evenhand.numerics.selection.until_sure import DEFAULT_BOUND, UNTIL_SURE
from evenhand.prompting.methods import METHODS
from evenhand.refusals import Refusals, Refused, did_you_mean, raise_if_any
from judging.models import Attribute, Dataset, Judge, Prompt, Run, User
from judging.models.runs import NULL_PAIRS
from judging.services.names import Named, labels, named_row, seen_by
from judging.services.plans.selection_settings import SelectionSettings, selection_problems
from judging.services.prompts.prompt_library import prompts_named
from judging.services.runs.run_settings import (
    DEFAULT_SETTINGS,
    SETTING_FIELDS,
    RunSettings,
    settings_by_names,
    shared_settings,
)

MOST_CELLS = 500
DEFAULT_SELECTION = "full"


@dataclass(frozen=True, slots=True)
class StudyPlan:
    """The chosen values of each dimension. A method is not a dimension: each prompt has one.

    attributes: names; a dataset may lack some of them.
    selections: texts as `parse_selection` reads them, for example `full`, `symmetric:48` or `anchor:M11`.
    contexts: only the first contexts of each dataset, this many; None for all.
    settings: shared by all runs.
    """

    datasets: tuple[Dataset, ...]
    attributes: tuple[str, ...]
    judges: tuple[Judge, ...]
    prompts: tuple[Prompt, ...]
    selections: tuple[str, ...] = (DEFAULT_SELECTION,)
    seeds: tuple[int, ...] = (0,)
    contexts: int | None = None
    settings: RunSettings = DEFAULT_SETTINGS

    @classmethod
    def by_names(cls, names: Mapping[str, Any], *, user: User | None) -> Self:
        """Find the rows of a plan. Raises Refused with every problem, for an unknown name the most similar one.

        names: as `to_json` writes them, or with names of datasets and judges. Without attributes, all of each dataset;
        without selections, every pair. user: only datasets and judges that this person may see; None for all.
        """
        refusals = Refusals()
        refusals.problems += unknown_fields(names)
        datasets = refusals.of(partial(_rows, Dataset, names.get("datasets", []), user))
        judges = refusals.of(partial(_rows, Judge, names.get("judges", []), user))
        prompts = refusals.of(partial(_prompts_named, names.get("prompts", [])))
        selections = names.get("selections") or [DEFAULT_SELECTION]
        seeds, contexts = names.get("seeds") or [0], names.get("contexts")
        refusals.problems += _setting_problems(selections, seeds, contexts)
        settings = refusals.of(partial(settings_by_names, names))
        attributes = _attribute_names(datasets or [], names.get("attributes") or [])
        if datasets:
            refusals.problems += _unknown_attributes(datasets, attributes)
            refusals.problems += settings.unknown_names(datasets) if settings else []
        refusals.raise_if_any()
        return cls(
            datasets=tuple(datasets or ()),
            attributes=tuple(attributes),
            judges=tuple(judges or ()),
            prompts=tuple(prompts or ()),
            selections=tuple(dict.fromkeys(selections)),
            seeds=tuple(dict.fromkeys(seeds)),
            contexts=contexts,
            settings=settings or DEFAULT_SETTINGS,
        ).checked()

    def checked(self) -> Self:
        """Return the plan if its number of combinations is not too large. Raises Refused otherwise."""
        if self.combinations > MOST_CELLS:
            raise Refused(f"plan: it has {self.combinations:,} combinations; choose at most {MOST_CELLS}")
        return self

    @property
    def combinations(self) -> int:
        """Number of combinations of all values."""
        return prod(len(getattr(self, name)) for name in LIST_FIELDS)

    def to_json(self) -> dict[str, Any]:
        """Return the plan as `Study.plan` stores it: names, and the numbers of datasets and judges."""
        return {
            "datasets": [dataset.pk for dataset in self.datasets],
            "attributes": list(self.attributes),
            "judges": [judge.pk for judge in self.judges],
            "prompts": [prompt.label for prompt in self.prompts],
            "selections": list(self.selections),
            "seeds": list(self.seeds),
            "contexts": self.contexts,
            **self.settings.to_json(),
        }

    def selection_settings(self) -> Iterator[tuple[str, SelectionSettings]]:
        """Yield every selection with every seed, and the selection's text."""
        for text, seed in product(self.selections, self.seeds):
            yield text, parse_selection(text, seed=seed, contexts=self.contexts)


LIST_FIELDS = ("datasets", "attributes", "judges", "prompts", "selections", "seeds")
PLAN_FIELDS = (*LIST_FIELDS, "contexts", *SETTING_FIELDS)


def merged_names(plan: Mapping[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    """Return a plan by names with further values behind its own. A new limit of contexts replaces the old one.

    Settings replace those of the plan.
    """
    merged: dict[str, Any] = {
        name: list(dict.fromkeys([*(plan.get(name) or ()), *(more.get(name) or ())])) for name in LIST_FIELDS
    }
    others = {name: value for name, value in {**plan, **more}.items() if name not in LIST_FIELDS}
    return merged | {"contexts": None} | others


def parse_selection(text: str, *, seed: int = 0, contexts: int | None = None) -> SelectionSettings:
    """Read RULE, RULE:COMPARISONS, anchor:SYSTEM or until-sure:BOUND:COMPARISONS, where either number may be missing.

    Raises Refused for any other text and for impossible settings.
    """
    rule, colon, number = (part.strip() for part in text.partition(":"))
    if rule == NULL_PAIRS:
        raise Refused(f"selection: {NULL_PAIRS} — no table has its figure; start the run alone and see its diagnostics")
    if rule == ANCHOR:
        return _checked(SelectionSettings(rule, None, contexts, seed, anchor=number))
    bound = None
    if rule == UNTIL_SURE and number and not number.isdigit():
        bound_text, colon, number = number.partition(":")
        bound = _bound_in(bound_text)
    if colon and not (number.isascii() and number.isdigit()):
        raise Refused(f'selection: "{text}" — write a rule and its comparisons per context, for example symmetric:48')
    return _checked(SelectionSettings(rule, int(number) if number else None, contexts, seed, bound=bound))


def _bound_in(text: str) -> float:
    """Read the bound of until-sure. Raises Refused for a text that is no number."""
    try:
        return float(text)
    except ValueError:
        raise Refused(f'selection: "{UNTIL_SURE}:{text}" — write its bound, for example {UNTIL_SURE}:0.02') from None


def _checked(settings: SelectionSettings) -> SelectionSettings:
    raise_if_any(selection_problems(settings))
    return settings


def selection_text(run: Run) -> str:
    """Write the selection of a run as `parse_selection` reads it."""
    bound = "" if run.bound in (None, DEFAULT_BOUND) else f":{run.bound:g}"
    comparisons = "" if run.comparisons_per_context is None else f":{run.comparisons_per_context}"
    return f"{run.selection_name}{bound}{comparisons}"


def plan_names_of(runs: Iterable[Run]) -> dict[str, Any]:
    """Return the plan, as `Study.plan` stores it, that covers these runs.

    Of recorded runs it takes dataset and attribute only, because their judges cannot be asked. Settings that differ
    between runs are left at their defaults.
    """
    rows = list(runs)
    asked = [run for run in rows if run.prompt is not None and run.judge.can_be_asked]
    limits = {run.contexts for run in asked}
    names: dict[str, list[Any]] = {
        "datasets": [run.dataset_id for run in rows],
        "attributes": [run.attribute.name for run in rows],
        "judges": [run.judge_id for run in asked],
        "prompts": [run.prompt_name for run in asked],
        "selections": [selection_text(run) for run in asked],
        "seeds": [run.seed for run in asked],
    }
    unique = {name: list(dict.fromkeys(values)) for name, values in names.items()}
    return {**unique, "contexts": limits.pop() if len(limits) == 1 else None, **shared_settings(asked).to_json()}


def comparing_prompts() -> list[Prompt]:
    """Return the default prompt of every method that compares pairs and reads prompts."""
    methods = [method for method in METHODS.values() if not method.is_scoring and not method.is_metric]
    prompts = {prompt.name: prompt for prompt in Prompt.objects.newest()}
    return [prompts[method.default_prompt] for method in methods if method.default_prompt in prompts]


def _rows(kind: type[Named], names: Sequence[str | int], user: User | None) -> list[Named]:
    """Return the rows of these names or numbers, each once. Raises Refused with every unknown one, and without any."""
    noun, refusals = kind._meta.verbose_name, Refusals()
    if not names:
        raise Refused(f"{noun}s: choose at least one {noun}")
    found = [refusals.of(partial(named_row, kind, name, user)) for name in names]
    refusals.raise_if_any()
    return list(dict.fromkeys(row for row in found if row))


def names_in_plans(user: User) -> dict[str, dict[int, str]]:
    """Return the names by which a person reads and writes the datasets and judges of plans."""
    return {
        "datasets": labels(seen_by(user, Dataset).only("name")),
        "judges": labels(seen_by(user, Judge).only("name")),
    }


def shown_plan(plan: Mapping[str, Any], names: Mapping[str, Mapping[int, str]]) -> dict[str, Any]:
    """Return a plan with names in the place of numbers. What the person may not see is left out."""
    return {**plan, **{field: [known[pk] for pk in plan[field] if pk in known] for field, known in names.items()}}


def _prompts_named(names: Sequence[str]) -> list[Prompt]:
    if not names:
        raise Refused("prompts: choose at least one prompt")
    return prompts_named(names)


def _attribute_names(datasets: Collection[Dataset], names: Sequence[str]) -> list[str]:
    """Return the names of attributes, each once; all of the datasets if none is given."""
    if names:
        return list(dict.fromkeys(names))
    rows = Attribute.objects.filter(dataset__in=datasets)
    return list(dict.fromkeys(rows.order_by("dataset_id", "position").values_list("name", flat=True)))


def _unknown_attributes(datasets: Sequence[Dataset], names: Sequence[str]) -> list[str]:
    """Return the problems of attributes that none of the datasets has."""
    if not names:
        return ["attributes: these datasets have none, so there is nothing to ask for"]
    known = set(Attribute.objects.filter(dataset__in=datasets).values_list("name", flat=True))
    return [
        f'attribute: no dataset of the plan has "{name}"{did_you_mean(name, sorted(known))}'
        for name in names
        if name not in known
    ]


def _setting_problems(selections: Sequence[str], seeds: Sequence[int], contexts: int | None) -> list[str]:
    """Return the problems of selections, seeds and the limit of contexts, each once."""
    refusals = Refusals()
    for text in selections:
        for seed in seeds:
            refusals.of(partial(parse_selection, text, seed=seed, contexts=contexts))
    return list(dict.fromkeys(refusals.problems))


def unknown_fields(names: Mapping[str, Any]) -> list[str]:
    """Return the problems of fields that no plan has."""
    listed = ", ".join(PLAN_FIELDS)
    return [
        f'plan: "{name}" is unknown{did_you_mean(name, PLAN_FIELDS)}; there are: {listed}'
        for name in names
        if name not in PLAN_FIELDS
    ]
