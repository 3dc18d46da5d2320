"""The tabs of datasets, runs, studies and campaigns, and their sections: pages that answer a reader's question."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Literal

from django.urls import reverse

from judging.models import Campaign, Dataset, Run, Study
from rankings.analyses.record import Analysis, TabSection, analyses
from rankings.audits.audit_report import is_explained

Needs = Literal["", "pairs", "explanations", "an editor", "an editor of pairs"]
WithTabs = Dataset | Run | Study | Campaign


@dataclass(frozen=True, slots=True)
class TabPage:
    """A page. name: its own. address: the name of its address. title: its question, in few words.

    needs: what a run or a campaign must have. keeps_choices: the page takes the choices of the page before.
    place: among the pages of its tab, those of analyses with them.
    """

    name: str
    address: str
    title: str
    needs: Needs = ""
    keeps_choices: bool = False
    place: int = 0


@dataclass(frozen=True, slots=True)
class Tab:
    """A kind of question. sections: its pages; the tab leads to the first."""

    title: str
    sections: tuple[TabPage, ...]


DATASET_TABS = (
    Tab(
        "Data",
        (
            TabPage("data", "dataset", "Texts", place=1),
            TabPage("human-judgments", "dataset-human-judgments", "Scores and votes of people", place=3),
        ),
    ),
    Tab(
        "Results",
        (
            TabPage("results", "dataset-results", "All runs", place=1),
            TabPage("juries", "dataset-juries", "Is a jury better?", place=6),
        ),
    ),
    Tab("People", (TabPage("quality", "dataset-quality", "Who votes with care?", place=2),)),
    Tab("Checks", ()),
)
RUN_TABS = (
    Tab("Results", (TabPage("results", "run-results", "Agreement with people", place=1),)),
    Tab(
        "Answers",
        (
            TabPage("answers", "run-answers", "Which are wrong?", "pairs"),
            TabPage("explanations", "run-explanations", "Do explanations fit?", "explanations"),
            TabPage("comparisons", "run-comparisons", "All as stored"),
        ),
    ),
    Tab("Scores", ()),
    Tab("Reliability", (TabPage("robustness", "run-robustness", "Does a sentence sway it?", "pairs", place=5),)),
    Tab("Set-up", (TabPage("run", "run", "How it was asked"),)),
)
PROGRESS = TabPage("run", "run", "How far is it?")
"""The set-up page of a run has this name until the run is done."""
STUDY_TABS = (
    Tab("Table", (TabPage("table", "study", "Table", keeps_choices=True),)),
    Tab("Curves", (TabPage("curves", "study-curves", "Curves", keeps_choices=True),)),
    Tab(
        "Bias",
        (
            TabPage("bias", "study-bias", "By position", keeps_choices=True),
            TabPage("order", "study-order", "By order shown", keeps_choices=True),
            TabPage("length", "study-length", "By length", keeps_choices=True),
            TabPage("score-gap", "study-score-gap", "By gap of scores", keeps_choices=True),
        ),
    ),
    Tab(
        "Judges",
        (
            TabPage("agreement", "study-agreement", "Who agrees?", keeps_choices=True),
            TabPage("calibration", "study-calibration", "Are probabilities right?", keeps_choices=True),
            TabPage("coverage", "study-coverage", "Is the judge right where it is sure?", keeps_choices=True),
        ),
    ),
    Tab(
        "Systems",
        (
            TabPage("systems", "study-systems", "Ranks", keeps_choices=True),
            TabPage("matrix", "study-matrix", "Matrix", keeps_choices=True),
        ),
    ),
    Tab("Runs", (TabPage("runs", "study-runs", "Runs", keeps_choices=True),)),
    Tab("Reports", (TabPage("reports", "study-reports", "Reports", keeps_choices=True),)),
)
CAMPAIGN_TABS = (
    Tab("Progress", (TabPage("campaign", "campaign", "Progress"),)),
    Tab(
        "People",
        (
            TabPage("people", "campaign-people", "Who takes part?", "an editor"),
            TabPage("consent", "consent-text", "What do they consent to?", "an editor"),
        ),
    ),
    Tab(
        "Pairs",
        (
            TabPage("disputes", "campaign-disputes", "Which are disputed?", "pairs"),
            TabPage("checks", "campaign-checks", "Gold, repeats and training", "an editor of pairs"),
        ),
    ),
    Tab("Set-up", (TabPage("settings", "campaign-edit", "Settings", "an editor"),)),
)
ASIDE = ("Runs", "Reports")
"""Tabs of a study that lead to no figure: they stand at the other end."""
TABS: Mapping[type, tuple[Tab, ...]] = {
    Dataset: DATASET_TABS,
    Run: RUN_TABS,
    Study: STUDY_TABS,
    Campaign: CAMPAIGN_TABS,
}
PAGES_OF_NULL_PAIRS = ("run", "comparisons", "diagnostics")
"""Sections of a run that compares candidates with themselves: it has no row in reports."""
WITHIN = {"shift": "robustness"}
"""name of a page -> the section in which it stands."""


@dataclass(frozen=True, slots=True)
class ShownPage:
    """A section as a page shows it. muted: why it has nothing to show, or ""."""

    title: str
    address: str
    is_here: bool
    muted: str = ""


@dataclass(frozen=True, slots=True)
class ShownTab:
    """A tab as a page shows it."""

    title: str
    sections: tuple[ShownPage, ...]

    @property
    def first(self) -> ShownPage:
        """Return the page of the tab: the first that has something to show."""
        return next((one for one in self.sections if not one.muted), self.sections[0])

    @property
    def is_here(self) -> bool:
        return any(one.is_here for one in self.sections)

    @property
    def muted(self) -> str:
        return self.first.muted

    @property
    def is_aside(self) -> bool:
        return self.title in ASIDE


def tabs_of(
    row: WithTabs, here: str, *, query: str = "", muted: Mapping[str, str] | None = None, may_edit: bool = False
) -> list[ShownTab]:
    """Return the tabs of a row. here: the name of the page. query: its choices. muted: section -> why it is empty."""
    tabs = _tabs_with_analyses(type(row))
    if isinstance(row, Run) and row.status != Run.Status.DONE:
        results, *reading, set_up = tabs
        tabs = (Tab("Progress", (PROGRESS, *set_up.sections[1:], *results.sections)), *reading)
    place = WITHIN.get(here, here)
    shown = (
        ShownTab(
            tab.title,
            tuple(_shown(one, row, place, query, muted or {}) for one in tab.sections if _has(row, one, may_edit)),
        )
        for tab in tabs
    )
    return [tab for tab in shown if tab.sections]


@cache
def _tabs_with_analyses(kind: type) -> tuple[Tab, ...]:
    """Return the tabs of a kind of row, with the pages of its analyses."""
    found = [(one, one.section) for one in analyses().values() if one.section and one.row == kind.__name__.lower()]
    return tuple(
        Tab(tab.title, tuple(sorted((*tab.sections, *pages), key=lambda page: page.place)))
        for tab in TABS[kind]
        for pages in [[_page_of(one, section) for one, section in found if section.tab == tab.title]]
    )


def _page_of(analysis: Analysis, section: TabSection) -> TabPage:
    needs: Needs = "pairs" if analysis.of == "run" and analysis.of_pairs else ""
    address = f"{analysis.row}-{analysis.name}"
    return TabPage(analysis.name, address, section.title, needs, section.keeps_choices, section.place)


def _shown(section: TabPage, row: WithTabs, here: str, query: str, muted: Mapping[str, str]) -> ShownPage:
    address = reverse(section.address, args=[row.pk])
    choices = f"?{query}" if query and section.keeps_choices else ""
    return ShownPage(section.title, address + choices, section.name == here, muted.get(section.name, ""))


def _has(row: WithTabs, section: TabPage, may_edit: bool) -> bool:
    """Return True if a row has the page, for this person."""
    if isinstance(row, Run) and row.asks_null_pairs:
        return section.name in PAGES_OF_NULL_PAIRS
    if isinstance(row, Campaign):
        is_open = may_edit or not section.needs.startswith("an editor")
        return is_open and not (row.is_of_ratings and section.needs.endswith("pairs"))
    if not isinstance(row, Run) or not section.needs:
        return True
    return not row.is_scoring and (section.needs == "pairs" or is_explained(row))
