"""The tabs of a dataset, a run, a study and a campaign, and the sections of each: pages that answer a question of the reader."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from django.urls import reverse

from judging.models import Campaign, Dataset, Run, Study
from rankings.audits.audit_report import is_explained

Needs = Literal["", "pairs", "explanations", "an editor", "an editor of pairs"]
WithTabs = Dataset | Run | Study | Campaign


@dataclass(frozen=True, slots=True)
class Section:
    """A page. name: by which it names itself. address: the name of its address. title: its question, in few words.

    needs: what a run or a campaign must have. keeps_choices: the page takes the choices of the page before.
    """

    name: str
    address: str
    title: str
    needs: Needs = ""
    keeps_choices: bool = False


@dataclass(frozen=True, slots=True)
class Tab:
    """A kind of question. sections: of which the first is the page of the tab."""

    title: str
    sections: tuple[Section, ...]


DATASET_TABS = (
    Tab(
        "Data",
        (
            Section("data", "dataset", "Texts"),
            Section("human-judgments", "dataset-human-judgments", "Scores and votes of people"),
        ),
    ),
    Tab(
        "Results",
        (
            Section("results", "dataset-results", "All runs"),
            Section("groups", "dataset-groups", "Which runs differ?"),
            Section("compare", "dataset-compare", "Two runs"),
            Section("replaced", "dataset-replaced", "Can a judge replace another?"),
            Section("juries", "dataset-juries", "Is a jury better?"),
        ),
    ),
    Tab(
        "People",
        (
            Section("agreement", "dataset-agreement", "Do people agree?"),
            Section("quality", "dataset-quality", "Who votes with care?"),
            Section("planner", "dataset-planner", "How many more votes?"),
        ),
    ),
    Tab(
        "Checks",
        (
            Section("steering", "dataset-steering", "Does a text steer judges?"),
            Section("repeatability", "dataset-repeatability", "Does a judge repeat itself?"),
        ),
    ),
)
SET_UP = Section("run", "run", "How it was asked")
FIGURES_OF_A_RUN = (
    Section("results", "run-results", "Agreement with people"),
    Section("curve", "run-curve", "How many comparisons are enough?", "pairs", keeps_choices=True),
)
READING_A_RUN = (
    Tab(
        "Answers",
        (
            Section("answers", "run-answers", "Which are wrong?", "pairs"),
            Section("explanations", "run-explanations", "Do explanations fit?", "explanations"),
            Section("comparisons", "run-comparisons", "All as stored"),
        ),
    ),
    Tab(
        "Scores",
        (
            Section("scores", "run-scores", "Which system is best?", keeps_choices=True),
            Section("style", "run-style", "And with style held fixed?"),
            Section("anchors", "run-anchors", "And against one system?", "pairs"),
        ),
    ),
    Tab(
        "Reliability",
        (
            Section("diagnostics", "run-diagnostics", "Are its probabilities right?", keeps_choices=True),
            Section("abstaining", "run-abstaining", "When should it abstain?", "pairs", keeps_choices=True),
            Section("stopping", "run-stopping", "When may it stop?", "pairs"),
            Section("robustness", "run-robustness", "Does a sentence sway it?", "pairs"),
            Section("gate", "run-gate", "Does it keep your bounds?"),
        ),
    ),
)
RUN_TABS = (Tab("Results", FIGURES_OF_A_RUN), *READING_A_RUN, Tab("Set-up", (SET_UP,)))
UNFINISHED_RUN_TABS = (Tab("Progress", (SET_UP, *FIGURES_OF_A_RUN)), *READING_A_RUN)
STUDY_TABS = (
    Tab("Table", (Section("table", "study", "Table", keeps_choices=True),)),
    Tab("Curves", (Section("curves", "study-curves", "Curves", keeps_choices=True),)),
    Tab(
        "Bias",
        (
            Section("bias", "study-bias", "By position", keeps_choices=True),
            Section("order", "study-order", "By order shown", keeps_choices=True),
            Section("length", "study-length", "By length", keeps_choices=True),
            Section("score-gap", "study-score-gap", "By gap of scores", keeps_choices=True),
        ),
    ),
    Tab(
        "Judges",
        (
            Section("agreement", "study-agreement", "Who agrees?", keeps_choices=True),
            Section("calibration", "study-calibration", "Are probabilities right?", keeps_choices=True),
            Section("coverage", "study-coverage", "Is the judge right where it is sure?", keeps_choices=True),
        ),
    ),
    Tab(
        "Systems",
        (
            Section("systems", "study-systems", "Ranks", keeps_choices=True),
            Section("matrix", "study-matrix", "Matrix", keeps_choices=True),
        ),
    ),
    Tab("Runs", (Section("runs", "study-runs", "Runs", keeps_choices=True),)),
    Tab("Reports", (Section("reports", "study-reports", "Reports", keeps_choices=True),)),
)
CAMPAIGN_TABS = (
    Tab("Progress", (Section("campaign", "campaign", "Progress"),)),
    Tab(
        "People",
        (
            Section("people", "campaign-people", "Who takes part?", "an editor"),
            Section("consent", "consent-text", "What do they consent to?", "an editor"),
        ),
    ),
    Tab(
        "Pairs",
        (
            Section("disputes", "campaign-disputes", "Which are disputed?", "pairs"),
            Section("checks", "campaign-checks", "Gold, repeats and training", "an editor of pairs"),
        ),
    ),
    Tab("Set-up", (Section("settings", "campaign-edit", "Settings", "an editor"),)),
)
ASIDE = ("Runs", "Reports")
"""Tabs of a study that lead to no figure: they stand at the other end."""
TABS: Mapping[type, tuple[Tab, ...]] = {
    Dataset: DATASET_TABS,
    Run: RUN_TABS,
    Study: STUDY_TABS,
    Campaign: CAMPAIGN_TABS,
}
WITHIN = {"shift": "robustness"}
"""name of a page -> the section in which it stands."""


@dataclass(frozen=True, slots=True)
class ShownSection:
    """A section as a page shows it. muted: why it has nothing to show, or ""."""

    title: str
    address: str
    is_here: bool
    muted: str = ""


@dataclass(frozen=True, slots=True)
class ShownTab:
    """A tab as a page shows it."""

    title: str
    sections: tuple[ShownSection, ...]

    @property
    def first(self) -> ShownSection:
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
    tabs = TABS[type(row)]
    if isinstance(row, Run) and row.status != Run.Status.DONE:
        tabs = UNFINISHED_RUN_TABS
    place = WITHIN.get(here, here)
    shown = (
        ShownTab(
            tab.title,
            tuple(_shown(one, row, place, query, muted or {}) for one in tab.sections if _has(row, one, may_edit)),
        )
        for tab in tabs
    )
    return [tab for tab in shown if tab.sections]


def _shown(section: Section, row: WithTabs, here: str, query: str, muted: Mapping[str, str]) -> ShownSection:
    address = reverse(section.address, args=[row.pk])
    choices = f"?{query}" if query and section.keeps_choices else ""
    return ShownSection(section.title, address + choices, section.name == here, muted.get(section.name, ""))


def _has(row: WithTabs, section: Section, may_edit: bool) -> bool:
    """Return True if a row has the page, for this person."""
    if isinstance(row, Campaign):
        is_open = may_edit or not section.needs.startswith("an editor")
        return is_open and not (row.is_of_ratings and section.needs.endswith("pairs"))
    if not isinstance(row, Run) or not section.needs:
        return True
    return not row.is_scoring and (section.needs == "pairs" or is_explained(row))
