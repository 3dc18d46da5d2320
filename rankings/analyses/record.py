"""`Analysis`: a question, its answer and the blocks that people see of it; and all of them, by names of modules."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from inspect import signature
from typing import Any, Literal, get_type_hints

from evalsite.command_list import PAGES
from evenhand.formats import SourceFile
from evenhand.options import Option, options_of, read_options
from evenhand.report_json import json_document
from judging.models import Campaign, Dataset, Run
from judging.models.runs import RunQuerySet
from judging.services.activity import note_looks
from judging.web.options import Offered, find_rows
from rankings.charts.plotly_chart import Chart
from rankings.report.answer_options import ANSWERS, chosen_answers
from rankings.tables.long_form import LongForm
from rankings.tables.table import IntervalStyle, Table


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence. is_lede: the answer, in large letters; else a remark. href: the address behind it, on pages."""

    text: str
    is_lede: bool = False
    href: str = ""


@dataclass(frozen=True, slots=True)
class TitledTable:
    """A table of figures. label: its name. has_heading: the label stands above it, because there are several.

    is_folded: a page opens it on demand. sort: the column by which its rows are sorted already; "" for none.
    headline: the column whose figure comes first on a phone; "" for the one that sorts.
    interval: how a page writes intervals.
    """

    table: Table
    label: str
    has_heading: bool = False
    is_folded: bool = False
    sort: str = ""
    headline: str = ""
    interval: IntervalStyle = "plus-minus"


@dataclass(frozen=True, slots=True)
class Drawing:
    """A chart. label: what it shows. definition: its address below docs/reference/."""

    chart: Chart
    label: str
    definition: str = ""


@dataclass(frozen=True, slots=True)
class Action:
    """A step that a person may take next. button: its text, or "". address: where it posts the options, by its name.

    campaign: what it changes, if that is not the run; those who may not edit it do not see the step.
    posted: names and values, in place of the options.
    """

    text: str
    button: str
    address: str
    campaign: Campaign | None = None
    posted: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Passage:
    """A part of a text. names: where it stands. marked: what matters in it, between the text around it."""

    names: tuple[str, ...]
    before: str
    marked: str
    after: str


@dataclass(frozen=True, slots=True)
class Passages:
    """Parts of texts. label: what they are. titles: of their names."""

    label: str
    titles: tuple[str, ...]
    passages: Sequence[Passage]


Block = Sentence | TitledTable | Drawing | Action | Passages


@dataclass(frozen=True, slots=True)
class ReportFile:
    """A file of a report. title: what it holds. name: of a report's file, behind the run; default: of the analysis."""

    ending: str
    title: str
    lines: Callable[[Any], Iterable[str]]
    name: Callable[[Any], str] | None = None


JSON_FILE = ReportFile("json", "Every figure, nested", lambda report: [json_document(report)])


@dataclass(frozen=True, slots=True)
class TabSection:
    """Where the page of an analysis stands: a tab of its run or dataset, and its question there, in few words.

    place: among the pages of the tab, from 1. keeps_choices: it takes the choices of the page before.
    """

    tab: Literal["Data", "Results", "People", "Checks", "Scores", "Reliability"]
    title: str
    place: int = 9
    keeps_choices: bool = False


@dataclass(frozen=True, slots=True)
class Analysis:
    """A question about a run, two runs or a dataset.

    of: what it is about. name: in addresses. title: of its page. section: its place in the tabs, if it has its own.
    function: takes the run, both runs or the dataset; then `runs`, those of the dataset that the person may see, if it
    has that parameter; then the choice of answers if there is one, and the options. Its docstring is the help.
    blocks: what people see of a report, in order. answers: names of the options in ANSWERS that it takes.
    of_pairs: scoring runs have no page of it.
    hidden: names of the options that mean nothing for a run, or one of their choices as "ranking=score"; its page does
    not offer them.
    preset: option -> the values that its page chooses where an address has none. menus: title -> options in a menu.
    status: the exit status of its command for a report.
    more_runs: the option whose runs its command takes behind the first one.
    two_runs: the runs that it compares, as its page and command name them. heading: of the page of a report, in place
    of the title and the dataset. least_runs: of one attribute; its page needs them on the dataset.
    cautions: what people must know before they read a report. long_form: its figures, one per line. file: a download.
    definition: the address of its definition below docs/reference/, if that is not its name.
    of_files: stores a dataset; its command takes files, too, and stores them for the time of its answer.
    """

    name: str
    title: str
    function: Callable[..., Any]
    blocks: Callable[[Any], Iterable[Block]]
    examples: tuple[str, ...]
    answers: tuple[str, ...] = ()
    of: Literal["run", "dataset", "two runs"] = "run"
    section: TabSection | None = None
    of_pairs: bool = True
    hidden: Callable[[Any], tuple[str, ...]] = lambda row: ()
    preset: Callable[[Any], Mapping[str, list[str]]] = lambda row: {}
    menus: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    status: Callable[[Any], int] = lambda report: 0
    more_runs: str = ""
    two_runs: tuple[Option, ...] = ()
    heading: Callable[[Any], str] = lambda report: ""
    least_runs: int = 0
    cautions: Callable[[Any], Iterable[str]] = lambda report: ()
    long_form: Callable[[Any], LongForm] | None = None
    file: ReportFile | None = None
    definition: str = ""
    of_files: Callable[[Sequence[SourceFile]], Dataset] | None = None

    @property
    def row(self) -> str:
        """Return the kind of row that has its page: a dataset has those of two runs."""
        return "run" if self.of == "run" else "dataset"

    @property
    def summary(self) -> str:
        """Return the first paragraph of the function's docstring."""
        return " ".join((self.function.__doc__ or "").split("\n\n")[0].split())

    @property
    def reference(self) -> str:
        """Return the address of its definition below docs/reference/."""
        return self.definition or f"{self.name}/"

    @property
    def report(self) -> type:
        """Return the dataclass of its reports."""
        kind: type = get_type_hints(self.function)["return"]
        return kind

    @property
    def options(self) -> tuple[Option, ...]:
        """Return the options of the function, then those of the answers."""
        return (*options_of(self.function), *(ANSWERS[name] for name in self.answers))

    def asked_about(self, row: Run | Dataset, values: dict[str, Any], *, runs: RunQuerySet) -> Sequence[Run | Dataset]:
        """Return the rows that a page is about: its own, or the two runs on its dataset that it takes from the values.

        Raises Refused if they name none of these runs.
        """
        if not self.two_runs:
            return [row]
        read = read_options(self.two_runs, {one.name: values.pop(one.name, None) for one in self.two_runs})
        return list(find_rows(self.two_runs, read, _rows_of(row, runs)).values())

    def answer(self, *rows: Run | Dataset, values: Mapping[str, Any], runs: RunQuerySet) -> Any:  # noqa: ANN401
        """Return the report for values from any door. rows: what it is about. runs: those that the person may see.

        Raises Refused with every problem.
        """
        offered, read = _rows_of(rows[0], runs), read_options(self.options, values)
        read |= find_rows(self.options, read, offered)
        answers = {name: read.pop(name) for name in self.answers}
        takes_runs = "runs" in signature(self.function).parameters
        given = [*rows, offered["run"].rows] if takes_runs else rows
        report = self.function(*given, *([chosen_answers(**answers)] if answers else []), **read)
        note_looks([row for row in rows if isinstance(row, Run)], figures=self.name, on_test=False)
        return report


def two_runs_named(**titles: str) -> tuple[Option, ...]:
    """Return the options by which a page chooses two runs: name -> title."""
    return tuple(
        Option("Choose one of this dataset.", title, row="run", name=name, kind=int) for name, title in titles.items()
    )


def file_name(rows: Sequence[Run | Dataset], name: str) -> str:
    """Return the name of a file about a dataset or runs, without its ending."""
    kind = "dataset" if isinstance(rows[0], Dataset) else "run"
    return "-".join([kind, *(str(row.pk) for row in rows), name])


def _rows_of(row: Run | Dataset, runs: RunQuerySet) -> dict[str, Offered]:
    """Return the rows of a dataset, or of that of a run, that options may name."""
    dataset = row if isinstance(row, Dataset) else row.dataset
    own = runs.filter(dataset=dataset).select_related("judge", "attribute", "dataset").order_by("pk")
    return {
        "run": Offered(own, f" on {dataset.name} that you may see"),
        "attribute": Offered(dataset.attributes.select_related("dataset"), f" on {dataset.name}"),
        "campaign": Offered(dataset.campaigns.all(), f" on {dataset.name}"),
    }


@cache
def analyses() -> Mapping[str, Analysis]:
    """Return name -> record of every analysis. Imports them all: pages need that, a command has its own only."""
    records = (getattr(import_module(module), "ANALYSIS", None) for module in PAGES)
    return {record.name: record for record in records if record}
