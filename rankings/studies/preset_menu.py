"""The menu of tables of papers, and the notes above such a table."""

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from django.db.models import Count
from django.urls import reverse

from judging.models import Attribute, Comparison, Context, Run, Study
from rankings.studies.pivots.pivot_source import RunParts
from rankings.studies.presets import PRESETS, Preset


@dataclass(frozen=True, slots=True)
class PresetNotes:
    """The notes above the table of a paper. other_budget: how the runs differ from the paper, or "".

    curves: the address of the curves at the paper's comparisons per context; "" where the runs have fewer.
    """

    preset: Preset
    other_budget: str = ""
    curves: str = ""


def preset_menu(runs: Sequence[Run]) -> list[Preset]:
    """Return the tables of papers that fit a dataset of some runs, by its attributes and subsets."""
    datasets = {run.dataset_id for run in runs}
    subsets = Context.objects.filter(dataset__in=datasets).values_list("subset", flat=True).distinct()
    names = {*subsets.order_by(), *Attribute.objects.filter(dataset__in=datasets).values_list("name", flat=True)}
    return [preset for preset in PRESETS.values() if not preset.needs or names & preset.needs]


def preset_notes(preset: Preset, study: Study, parts: Sequence[RunParts]) -> PresetNotes:
    """Return the notes of a table of a paper. parts: of the runs in the table."""
    budgets = _comparisons_per_context([part.run for part in parts]) if preset.comparisons else []
    if not budgets or budgets == [preset.comparisons]:
        return PresetNotes(preset)
    least, most = budgets[0], budgets[-1]
    own = f"{least:,}" if least == most else f"{least:,} to {most:,}"
    differs = f"These runs have {own} comparisons per context, the paper {preset.comparisons}"
    query = urlencode({"ranking": preset.ranking, "measure": preset.figure, "budget": preset.comparisons})
    curves = f"{reverse('study-curves', args=[study.pk])}?{query}" if most > preset.comparisons else ""
    return PresetNotes(preset, f"{differs}: see" if curves else f"{differs}.", curves)


def _comparisons_per_context(runs: Sequence[Run]) -> list[int]:
    """Return the mean numbers of comparisons per context of some runs, rounded, rising. Takes one query."""
    rows = Comparison.objects.filter(run__in=runs).order_by().values("run")
    numbers = rows.annotate(answers=Count("pk"), contexts=Count("context", distinct=True))
    return sorted({round(row["answers"] / row["contexts"]) for row in numbers})
