"""`PRESETS`: tables of papers, as rows, columns and figure of a pivot table; and the menu that offers them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from urllib.parse import urlencode

from django.db.models import Count
from django.urls import reverse

from evenhand.numerics.correlation.coefficients import Level
from evenhand.refusals import Refused, did_you_mean
from judging.models import Attribute, Comparison, Context, Run, Study
from rankings.report.report_choice import Order, Unparsed
from rankings.studies.pivots.pivot_source import RunParts

ADVERSARIAL = ("Adversarial=Neighbor,GPTInst,GPTOut,Manual",)
OF_JUDGES = ("judge", "method")
OF_PROMPTS = ("judge", "method", "prompt")
OF_DATASETS = ("dataset", "attribute")


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    """A table of a paper. source: the paper's key in references.bib, and its table. note: how the paper counts.

    comparisons: the paper's comparisons per context, where it draws some of all; else 0.
    needs: attributes and subsets; a dataset must have one of them. None for a table of any dataset.
    """

    name: str
    title: str
    source: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    figure: str
    ranking: str = ""
    level: Level | None = None
    debiased: bool = False
    groups: tuple[str, ...] = ()
    order: Order = "both"
    unparsed: Unparsed = "excluded"
    note: str = ""
    comparisons: int = 0
    needs: frozenset[str] = frozenset()


OF_LLMBAR = frozenset({"Natural", "Neighbor", "GPTInst", "GPTOut", "Manual"})
OF_SUMMEVAL = frozenset({"consistency", "relevance"})
OF_CHATS, OF_WEBNLG = frozenset({"engagingness", "naturalness"}), frozenset({"grammar", "semantics"})
OF_TABLES: tuple[tuple[int, str, Level, frozenset[str]], ...] = (
    (1, "SummEval", "per_context", OF_SUMMEVAL),
    (2, "Podcast", "system", frozenset({"overall"})),
    (3, "TopicalChat", "per_context", OF_CHATS),
    (4, "WebNLG", "per_context", OF_WEBNLG),
)
"""Tables of Liusie2024 with correlations: number, dataset, level, and what the dataset has."""
_EVERY = (
    Preset(
        name="llmbar",
        title="LLMBar, both orders",
        source="Zeng2024, table of main results",
        rows=OF_PROMPTS,
        columns=("subset",),
        figure="accuracy",
        groups=ADVERSARIAL,
        needs=OF_LLMBAR,
        unparsed="wrong",
        note="LLMBar asks both orders and counts missing verdicts as wrong.",
    ),
    Preset(
        name="prepair-llmbar",
        title="PRePair on LLMBar",
        source="Jeong2024, tables 1, 2 and 4 to 7",
        rows=OF_PROMPTS,
        columns=("subset",),
        figure="accuracy",
        groups=ADVERSARIAL,
        needs=OF_LLMBAR,
        order="given",
        note="The paper asks each pair once, in the dataset's order. Its total pools the adversarial subsets.",
    ),
    Preset(
        name="prepair-mt-bench",
        title="PRePair on MT-Bench",
        source="Jeong2024, table 3",
        rows=OF_JUDGES,
        columns=OF_DATASETS,
        figure="accuracy_per_vote",
        order="given",
        note="The paper compares each vote with the judge's verdict in the dataset's order.",
    ),
    *(
        Preset(
            name=f"comparative-{number}",
            title=f"LLM Comparative Assessment, {dataset}",
            source=f"Liusie2024, table {number}",
            rows=OF_JUDGES,
            columns=OF_DATASETS,
            figure="spearman",
            ranking="win-ratio",
            level=level,
            needs=needs,
            note="The paper averages both prompts of a judge.",
        )
        for number, dataset, level, needs in OF_TABLES
    ),
    *(
        Preset(
            name=f"comparative-{number}",
            title=f"LLM Comparative Assessment, position bias on {datasets}",
            source=f"Liusie2024, table {number}",
            rows=OF_PROMPTS,
            columns=OF_DATASETS,
            figure="p_first",
            needs=OF_SUMMEVAL if datasets == "SummEval" else frozenset(),
            note="P(first) is the share of decisions for the text shown first.",
        )
        for number, datasets in ((5, "SummEval"), (8, "all datasets"))
    ),
    *(
        Preset(
            name=f"comparative-6{'-debiased' * debiased}",
            title=f"LLM Comparative Assessment, {'debiased' if debiased else 'raw'} correlation",
            source="Liusie2024, table 6",
            rows=OF_JUDGES,
            columns=OF_DATASETS,
            figure="spearman",
            ranking="win-ratio",
            level="per_context",
            debiased=debiased,
            needs=OF_SUMMEVAL | OF_CHATS | OF_WEBNLG,
            note="The paper averages both prompts of a judge, over all pairs in both orders.",
        )
        for debiased in (False, True)
    ),
    *(
        Preset(
            name=f"comparative-{number}{'-debiased' * debiased}",
            title=f"LLM Comparative Assessment, {'debiased' if debiased else 'raw'} accuracy on {datasets}",
            source=f"Liusie2024, table {number}",
            rows=OF_JUDGES,
            columns=OF_DATASETS,
            figure="accuracy",
            debiased=debiased,
            needs=OF_SUMMEVAL if datasets == "SummEval" else frozenset(),
            note="Pairs count whose two human scores differ.",
        )
        for number, datasets in ((7, "SummEval"), (9, "all datasets"))
        for debiased in (False, True)
    ),
    *(
        Preset(
            name=f"comparative-10-{ranking}",
            title=f"LLM Comparative Assessment, scores by {ranking}",
            source="Liusie2024, table 10",
            rows=OF_JUDGES,
            columns=OF_DATASETS,
            figure="spearman",
            ranking=ranking,
            level="per_context",
            needs=OF_SUMMEVAL | OF_CHATS | OF_WEBNLG,
            note="The table compares win-ratio with the most likely order; each is one preset.",
        )
        for ranking in ("win-ratio", "likelihood")
    ),
    Preset(
        name="poe-48",
        title="Product of experts, K = 48",
        source="Liusie2024b, table of 3N comparisons",
        rows=("judge", "selection"),
        columns=OF_DATASETS,
        figure="spearman",
        ranking="poe-gaussian",
        level="per_context",
        comparisons=48,
        needs=OF_SUMMEVAL,
        note="The paper makes 48 comparisons per article of SummEval. Choose another ranking to compare rankings.",
    ),
)
PRESETS: Mapping[str, Preset] = MappingProxyType({preset.name: preset for preset in _EVERY})
"""name -> preset, in the order of menus."""


def find_preset(name: str) -> Preset:
    """Return the preset of a name. Raises Refused for an unknown one."""
    if name not in PRESETS:
        raise Refused(f'preset: there is no "{name}"{did_you_mean(name, PRESETS)}; there are: {", ".join(PRESETS)}')
    return PRESETS[name]


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
