"""`Analysis`: a question, the function that answers it, and the blocks that people see of the answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_type_hints

from evenhand.options import Option, options_of, read_options
from judging.models import Dataset, Run
from judging.models.runs import RunQuerySet
from judging.web.options import Offered, find_rows
from rankings.charts.plotly_chart import Chart
from rankings.report.answer_options import ANSWERS, chosen_answers
from rankings.tables.table import Table


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence. is_lede: the answer, in large letters; else a remark below the figures."""

    text: str
    is_lede: bool = False


@dataclass(frozen=True, slots=True)
class TitledTable:
    """A table of figures. label: its name. has_heading: the label stands above it, because there are several."""

    table: Table
    label: str
    has_heading: bool = False


@dataclass(frozen=True, slots=True)
class Drawing:
    """A chart. label: what it shows. definition: its address below docs/reference/."""

    chart: Chart
    label: str
    definition: str = ""


@dataclass(frozen=True, slots=True)
class Action:
    """A step that a person may take next. button: its text, or "". address: where it posts the options, by its name."""

    text: str
    button: str
    address: str


Block = Sentence | TitledTable | Drawing | Action


@dataclass(frozen=True, slots=True)
class Analysis:
    """A question about a run or a dataset.

    of: what it is about. name: in addresses, of its tab and of its page in docs/reference. title: of its page and tab.
    function: takes the run, or the dataset and the runs that the person may see; then the choice of answers if there
    is one, and the options. Its docstring is the help.
    blocks: what people see of a report, in order. answers: names of the options in ANSWERS that it takes.
    command: its command, where that has another name. of_pairs: scoring runs have no page of it.
    hidden: names of the options that mean nothing for a run; its page has no field for them.
    status: the exit status of its command for a report.
    """

    name: str
    title: str
    function: Callable[..., Any]
    blocks: Callable[[Any], Iterable[Block]]
    examples: tuple[str, ...]
    answers: tuple[str, ...] = ()
    of: Literal["run", "dataset"] = "run"
    command: str = ""
    of_pairs: bool = True
    hidden: Callable[[Any], tuple[str, ...]] = lambda row: ()
    status: Callable[[Any], int] = lambda report: 0

    @property
    def summary(self) -> str:
        """Return the first paragraph of the function's docstring."""
        return " ".join((self.function.__doc__ or "").split("\n\n")[0].split())

    @property
    def report(self) -> type:
        """Return the dataclass of its reports."""
        kind: type = get_type_hints(self.function)["return"]
        return kind

    @property
    def options(self) -> tuple[Option, ...]:
        """Return the options of the function, then those of the answers."""
        return (*options_of(self.function), *(ANSWERS[name] for name in self.answers))

    def answer(self, row: Run | Dataset, values: Mapping[str, Any], *, runs: RunQuerySet) -> Any:  # noqa: ANN401
        """Return the report for values from any door. runs: those that the person may see.

        Raises Refused with every problem.
        """
        dataset = row if isinstance(row, Dataset) else row.dataset
        own = runs.filter(dataset=dataset).select_related("judge", "attribute").order_by("pk")
        read = read_options(self.options, values)
        read |= find_rows(self.options, read, {"run": Offered(own, f" on {dataset.name} that you may see")})
        answers = {name: read.pop(name) for name in self.answers}
        given = [row] if self.of == "run" else [row, own]
        return self.function(*given, *([chosen_answers(**answers)] if answers else []), **read)
