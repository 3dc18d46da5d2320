"""The menu of tables of papers, and the notes above such a table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from django.db.models import Count
from django.urls import reverse

from evenhand.numerics import DEFAULT_RANKING
from judging.models import Comparison, Run, Study
from rankings.report.report_choice import ALL
from rankings.studies.pivots.pivot_figures import USUAL_FIGURE, FigureChoice
from rankings.studies.pivots.pivot_source import RunParts
from rankings.studies.presets import PRESETS, Preset


@dataclass(frozen=True, slots=True)
class PresetEntry:
    """A table of a paper. why_empty: why it has no value for the runs of a study, or ""."""

    preset: Preset
    why_empty: str


@dataclass(frozen=True, slots=True)
class PresetNotes:
    """The notes above the table of a paper. other_budget: how the runs differ from the paper, or "".

    curves: the address of the curves at the paper's comparisons per context; "" where the runs have fewer.
    """

    preset: Preset
    other_budget: str = ""
    curves: str = ""


def preset_menu(parts: Sequence[RunParts]) -> list[PresetEntry]:
    """Return the tables of papers, those without a value last. parts: of all runs of a study."""
    entries = [PresetEntry(preset, _why_empty(preset, parts)) for preset in PRESETS.values()]
    return sorted(entries, key=lambda entry: bool(entry.why_empty))


def _why_empty(preset: Preset, parts: Sequence[RunParts]) -> str:
    """Return the most frequent reason; "" if a run has a value, or none has an answer yet."""
    choice = FigureChoice(
        preset.figure, preset.ranking or DEFAULT_RANKING, preset.level or USUAL_FIGURE.level, preset.debiased
    )
    figures = [part.figure(ALL, choice) for part in parts if ALL in part.rows]
    if not figures or any(figure.value is not None for figure in figures):
        return ""
    [(reason, _)] = Counter(figure.undefined or "no value" for figure in figures).most_common(1)
    return reason


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
