"""The dimensions of a study, by which a pivot table has rows and columns."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType

from evenhand.refusals import Refused, did_you_mean
from judging.models import Context, Run
from judging.services.names import labels
from rankings.report.report_choice import SUBSET
from rankings.report.run_names import RunName

NAME_OF_RUN: Mapping[str, Callable[[Run], str]] = MappingProxyType(
    {
        "dataset": lambda run: run.dataset.name,
        "attribute": lambda run: run.attribute.name,
        "judge": lambda run: run.judge.name,
        "method": lambda run: run.method,
        "prompt": lambda run: run.prompt_name,
        "selection": lambda run: run.selection_name,
        "seed": lambda run: str(run.seed),
    }
)
DIMENSIONS = (*NAME_OF_RUN, SUBSET)
"""All dimensions. Subsets are parts of a run, so they have no name of the run."""
EVERY = "*"
"""The choice of all names, on pages that limit themselves to the first."""
Names = Mapping[str, str]
"""dimension -> the name of a run in it, without the subset."""


def require_dimensions(rows: Sequence[str], columns: Sequence[str]) -> None:
    """Raise Refused for unknown dimensions, for one that is given twice, and for rows or columns without any."""
    listed, given = ", ".join(DIMENSIONS), (("rows", rows), ("columns", columns))
    problems = [f"{option}: give at least one of: {listed}" for option, names in given if not names]
    problems += [
        f'{option}: there is no dimension "{name}"{did_you_mean(name, DIMENSIONS)}; there are: {listed}'
        for option, names in given
        for name in names
        if name not in DIMENSIONS
    ]
    every = [*rows, *columns]
    repeated = (name for name in dict.fromkeys(every) if every.count(name) > 1)
    problems += [f'columns: "{name}" is used twice; use it once, in rows or columns' for name in repeated]
    if problems:
        raise Refused(*problems)


def names_of_runs(runs: Sequence[Run]) -> dict[int, Names]:
    """Return run -> its names.

    Methods and selections name their settings where runs of one method or rule differ in these, datasets and judges
    their number where two have one name.
    """
    methods, selections = _methods(runs), _selections(runs)
    datasets, judges = labels(run.dataset for run in runs), labels(run.judge for run in runs)
    return {
        run.pk: {name: of(run) for name, of in NAME_OF_RUN.items()}
        | {"dataset": datasets[run.dataset_id], "judge": judges[run.judge_id]}
        | {"method": methods[run.pk], "selection": selections[run.pk]}
        for run in runs
    }


def varying(names: Iterable[Names]) -> list[str]:
    """Return the dimensions in which runs differ."""
    every = list(names)
    return [dimension for dimension in NAME_OF_RUN if len({one[dimension] for one in every}) > 1]


def usual_dimensions(
    runs: Sequence[Run], *, rows: tuple[str, ...] = (), columns: tuple[str, ...] = ()
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return rows and columns, with a sensible choice for either that is empty.

    The usual cell is a mean over seeds, and over prompts where methods differ, and over nothing else.
    """
    differing = varying(names_of_runs(runs).values())
    free = [name for name in _usual_columns(runs, differing) if name not in rows]
    columns = columns or (free[0],)
    if rows:
        return rows, columns
    averaged = {"seed", "prompt"} if "method" in differing else {"seed"}
    wanted = [name for name in ("dataset", "attribute", "judge", "method", "prompt", "selection") if name in differing]
    chosen = tuple(name for name in wanted if name not in averaged and name not in columns)
    return chosen or (next(name for name in ("judge", "method") if name not in columns),), columns


def _usual_columns(runs: Sequence[Run], differing: Sequence[str]) -> list[str]:
    """Return dimensions that suit the columns, best first."""
    datasets = {run.dataset_id for run in runs}
    has_subsets = Context.objects.filter(dataset__in=datasets).exclude(subset="").exists()
    suited = {"attribute", "dataset"} | ({"prompt"} if _has_method_with_prompts(runs) else set())
    preferred = [name for name in ("attribute", "dataset", "prompt") if name in suited and name in differing]
    return [*([SUBSET] if has_subsets else []), *preferred, "attribute", "judge"]


def _has_method_with_prompts(runs: Sequence[Run]) -> bool:
    """Return True if one method has several prompts. Else the prompt says no more than the method."""
    return len({(run.method, run.prompt_name) for run in runs}) > len({run.method for run in runs})


def _methods(runs: Sequence[Run]) -> dict[int, str]:
    """Return run -> the name of its method, for example "cot" or "cot, temperature 0.7"."""
    texts = {run.pk: RunName.of(run).settings for run in runs}
    settings: dict[str, set[str]] = {}
    for run in runs:
        settings.setdefault(run.method, set()).add(texts[run.pk])
    return {run.pk: run.method + (texts[run.pk] if len(settings[run.method]) > 1 else "") for run in runs}


def _selections(runs: Sequence[Run]) -> dict[int, str]:
    """Return run -> the name of its selection."""
    settings: dict[str, set[tuple[float | None, ...]]] = {}
    for run in runs:
        settings.setdefault(run.selection_name, set()).add((run.comparisons_per_context, run.contexts, run.bound))
    return {
        run.pk: run.selection_name if len(settings[run.selection_name]) == 1 else _with_settings(run) for run in runs
    }


def _with_settings(run: Run) -> str:
    comparisons, contexts = run.comparisons_per_context, run.contexts
    parts = [
        run.selection_name,
        "all comparisons" if comparisons is None else f"{comparisons} comparisons",
        *([] if contexts is None else [f"first {contexts} contexts"]),
        *([] if run.bound is None else [f"bound {run.bound:g}"]),
    ]
    return ", ".join(parts)
