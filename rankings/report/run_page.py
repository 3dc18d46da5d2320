"""Report rows as the results pages show them: a first sentence, cards, tables. Computes nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.template.defaultfilters import pluralize

from rankings.templatetags.figures import interval, percent

Row = dict[str, Any]
Figure = dict[str, Any]

EXPLANATIONS = {
    "accuracy": "Share of the comparisons that people decided where the judge decides the same; a tie counts one half.",
    "accuracy_debiased": "The same, with every decision made at the threshold τ instead of one half.",
    "accuracy_averaged": "Share of the pairs that the mean of both orders decides as people do.",
    "accuracy_both_orders": "Share of the pairs that the judge gets right whichever text is shown first.",
    "accuracy_macro": "Plain mean of the accuracies of the subsets.",
    "human": "Share of the votes of a person that agree with the majority of the other people.",
    "p_first": "Share of the decisions for the text shown first; without bias one half.",
    "p_second": "Share of the decisions for the text shown second.",
    "human_p_first": "The same for people: share of their votes for the text they were shown first.",
    "flip_rate": "Share of the pairs whose outcome changes when the order is swapped.",
    "order_agreement": "Share of the pairs whose outcome stays the same when the order is swapped.",
    "threshold": "The median P(first): above it the decision is “first” when debiased.",
    "alpha": "(1 − τ) / τ: how much less the judge’s word for the first text is worth.",
    "p_first_debiased": "Share of the decisions for the first text at the threshold τ.",
}
TITLES = {
    "accuracy": "Accuracy",
    "accuracy_debiased": "Accuracy, debiased",
    "accuracy_averaged": "Accuracy, orders averaged",
    "accuracy_both_orders": "Right in both orders",
    "accuracy_macro": "Accuracy, mean of subsets",
    "human": "People, for comparison",
    "p_first": "P(first)",
    "p_second": "P(second)",
    "human_p_first": "P(first) of people",
    "flip_rate": "Flip rate",
    "order_agreement": "Order agreement",
    "threshold": "Threshold τ",
    "alpha": "Alpha",
    "p_first_debiased": "P(first), debiased",
}
PLAIN_NUMBERS = {"threshold", "alpha"}
AGREEMENT = ("accuracy", "accuracy_debiased", "accuracy_averaged", "accuracy_both_orders", "accuracy_macro", "human")
AGREEMENT_WITHOUT_SUBSETS = tuple(name for name in AGREEMENT if name != "accuracy_macro")
BIAS = (
    "p_first",
    "human_p_first",
    "p_second",
    "order_agreement",
    "flip_rate",
    "threshold",
    "alpha",
    "p_first_debiased",
)
TABLE_FIGURES = ("accuracy", "accuracy_debiased", "accuracy_both_orders", "p_first", "order_agreement")
COEFFICIENTS = {
    "spearman": "Spearman’s rank correlation",
    "kendall": "Kendall’s tau-b",
    "pearson": "Pearson’s correlation",
    "kendall_c": "Kendall’s tau-c",
}
SKIPPED = "Contexts whose human scores are all equal, or with fewer than two scored candidates, are skipped."
WITH_TIES = (
    "Share of the pairs of a context, or of systems, that a ranking orders, or ties, as people do. Scores that differ "
    "by no more than ε are tied; ε is the one that gives the highest share, so the share is somewhat too high. Only "
    "contexts with fewer than two scored candidates are skipped."
)
ALL_TIED = "every pair called a tie"
PLACES = ("per_context", "pooled", "system")


@dataclass(frozen=True, slots=True)
class Card:
    """One figure with its name and meaning."""

    title: str
    figure: Figure
    explanation: str
    is_share: bool


@dataclass(frozen=True, slots=True)
class Cell:
    """A coefficient, or why there is none. epsilon: up to where scores are tied; None where no ties are made."""

    value: float | None
    undefined: str
    low: float | None = None
    high: float | None = None
    epsilon: float | None = None


@dataclass(frozen=True, slots=True)
class CorrelationRow:
    """The coefficients of one ranking. cells: per context, pooled, by system, each raw and then debiased."""

    ranking: str
    cells: list[Cell]
    contexts: int
    skipped: int


@dataclass(frozen=True, slots=True)
class CorrelationTable:
    """The coefficients of every ranking, under one name. is_share: whether they are shown as percentages."""

    name: str
    rows: list[CorrelationRow]
    meaning: str = SKIPPED
    is_share: bool = False

    @property
    def is_empty(self) -> bool:
        """Whether no coefficient exists: the reasons then say more than a table."""
        return all(cell.value is None for row in self.rows for cell in row.cells)

    @property
    def reasons(self) -> list[str]:
        """Why some coefficients are undefined, each reason once."""
        return list(dict.fromkeys(cell.undefined for row in self.rows for cell in row.cells if cell.value is None))

    @property
    def skipped(self) -> int:
        return max(row.skipped for row in self.rows)


def cards(row: Row, names: Sequence[str]) -> list[Card]:
    """The named figures of a row that it has (a subset has no mean over subsets)."""
    return [Card(TITLES[n], row[n], EXPLANATIONS[n], n not in PLAIN_NUMBERS) for n in names if row.get(n) is not None]


def correlation_tables(row: Row, coefficients: Sequence[str]) -> list[CorrelationTable]:
    """A table for each of the named coefficients."""
    return [CorrelationTable(COEFFICIENTS[name], correlation_rows(row, name)) for name in coefficients]


def with_ties(row: Row) -> CorrelationTable:
    """The table of accuracies with ties, and at its end what calling every pair a tie would give."""
    rows = correlation_rows(row, "accuracy_with_ties")
    return CorrelationTable(
        "Accuracy with ties", [*rows, _all_tied(row["accuracy_with_ties"], rows)], WITH_TIES, is_share=True
    )


def _all_tied(rankings: Mapping[str, dict[str, Any]], rows: Sequence[CorrelationRow]) -> CorrelationRow:
    """Of people alone: the same for every ranking of the same candidates, so that of the first one that has it."""
    kinds = [(place, kind) for place in PLACES for kind in ("raw", "debiased")]
    shares = [
        [(blocks.get(kind) or {}).get(f"{place}_all_tied") for blocks in rankings.values()] for place, kind in kinds
    ]
    cells = [
        Cell(next((share for share in found if share is not None), None), cell.undefined)
        for found, cell in zip(shares, rows[0].cells, strict=True)
    ]
    return CorrelationRow(ALL_TIED, cells, rows[0].contexts, rows[0].skipped)


def correlation_rows(row: Row, coefficient: str) -> list[CorrelationRow]:
    """One row a ranking. coefficient: its name in the row."""
    return [
        CorrelationRow(ranking, cells(blocks), blocks["raw"]["contexts"], blocks["raw"]["skipped"])
        for ranking, blocks in row[coefficient].items()
    ]


def cells(blocks: dict[str, dict[str, Any]]) -> list[Cell]:
    return [cell(blocks.get(kind), place) for place in PLACES for kind in ("raw", "debiased")]


def cell(block: dict[str, Any] | None, place: str) -> Cell:
    if block is None:
        return Cell(None, "scores have no order that could be debiased")
    return Cell(
        block[place],
        undefined=block.get("undefined", {}).get(place, ""),
        low=block.get(f"{place}_low"),
        high=block.get(f"{place}_high"),
        epsilon=block.get(f"{place}_epsilon"),
    )


def headline(row: Row) -> str:
    """How far the judge agrees with people, in one sentence with its interval."""
    accuracy, human = row["accuracy"], row["human"]
    if accuracy["value"] is None:
        return f"How far {row['judge']} agrees with people on {row['attribute']} is undefined: {accuracy['undefined']}."
    sentence = f"{row['judge']} agrees with people on {share_agreed(accuracy)}"
    if human["value"] is None:
        return f"{sentence}. How far people agree with each other is undefined: {human['undefined']}."
    return f"{sentence}; one person agrees with the majority of the others on {percent(human['value'])}."


def share_agreed(accuracy: Figure) -> str:
    """An accuracy in words, with its interval where there is one: a single context has none."""
    n = accuracy["n"]
    share = f"{percent(accuracy['value'])} of {n:,} comparison{pluralize(n)} that people decided"
    if accuracy["low"] is None:
        return f"{share} ({accuracy['undefined']})"
    return f"{share} (95\u202f% interval {interval(accuracy)})"


def leaders(rows: Sequence[Row]) -> list[str]:
    """For each attribute, which run agrees most with people, in one sentence; the interval tells what that is worth."""
    best: dict[str, Row] = {}
    for row in rows:
        value, known = row["accuracy"]["value"], best.get(row["attribute"])
        if value is not None and (known is None or value > known["accuracy"]["value"]):
            best[row["attribute"]] = row
    return [
        f"On {attribute}, {row['judge']} with {row['prompt']} (run {row['run']}) agrees most with people: on "
        f"{share_agreed(row['accuracy'])}."
        for attribute, row in best.items()
    ]


def bias_sentence(row: Row) -> str:
    """What the order of the two texts does, in one sentence."""
    p_first, same = row["p_first"], row["order_agreement"]
    if p_first["value"] is None:
        return f"Position bias is undefined: {p_first['undefined']}."
    sentence = f"It prefers the text shown first in {percent(p_first['value'])} of its decisions"
    if same["value"] is None:
        return f"{sentence}; whether the order changes its mind is undefined: {same['undefined']}."
    return f"{sentence}, and decides the same in both orders for {percent(same['value'])} of the pairs."


def overall(rows: Sequence[Row]) -> list[Row]:
    """The rows of whole runs."""
    return [row for row in rows if row["subset"] == "all"]


def of_subsets(rows: Sequence[Row]) -> list[Row]:
    return [row for row in rows if row["subset"] != "all"]


def reasons(rows: Sequence[Row], names: Sequence[str] = TABLE_FIGURES) -> list[str]:
    """Why some figures of a table of rows are undefined, each reason once, with the names of the figures."""
    return by_reason(undefined_figures(rows, names))


def undefined_figures(rows: Sequence[Row], names: Sequence[str]) -> list[tuple[str, str]]:
    """The title of each figure that does not exist, and why."""
    return [(TITLES[name], row[name]["undefined"]) for row in rows for name in names if row[name]["value"] is None]


def by_reason(undefined: Iterable[tuple[str, str]]) -> list[str]:
    """From titles and reasons, one line a reason, which names each title once."""
    found: dict[str, dict[str, None]] = {}
    for title, why in undefined:
        found.setdefault(why, {})[title] = None
    return [f"{'; '.join(titles)}: {why}" for why, titles in found.items()]
