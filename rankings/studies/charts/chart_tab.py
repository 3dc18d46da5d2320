"""`ChartTab`: the charts, the table and the sentence of a tab of a study."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from rankings.charts.plotly_chart import Chart
from rankings.tables.figure_table import PAGE_STYLE
from rankings.tables.table import Table, TableStyle

MOST_OPEN_CHARTS = 8
"""A page folds further charts."""
MOST_CHARTS_FIRST, SCREEN = 2, 800  # charts, pixels
"""More charts, or a higher one, stand below the table."""
MOST_COLUMNS_ON_PAGE = 20
"""A page shows a matrix with more columns only as a chart. Files have its table."""
NO_TABLE = Table(("Run",), (), ())
IN_FILES_NOTE = "The table of all pairs is too wide for a page: the chart shows it, and its files have it."


@dataclass(frozen=True, slots=True)
class NamedChart:
    """A chart with its heading; "" where the page has one. id: of its data on the page."""

    title: str
    chart: Chart
    id: str


@dataclass(frozen=True, slots=True)
class Slider:
    """The ends and the label of the slider of an option, where these depend on the runs."""

    low: int
    high: int
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ChartTab:
    """The content of a tab.

    name: of the tab and its files. title: the label of the table and charts. definition: an address below
    docs/reference/. usual_sort: of the table where the address has none; default: the best of its first column.
    empty: why there is nothing to draw, or "". notes: sentences below the table. style: of the table on the page.
    columns_on_page: the first columns, where the table has more than a page can show; files have all.
    are_tables: the charts show the table itself, as matrices do.
    usual: option -> its value, where the runs decide what an option without a value means. sliders: of options.
    """

    name: str
    title: str
    table: Table = NO_TABLE
    definition: str = ""
    sentence: str = ""
    charts: Sequence[NamedChart] = ()
    usual_sort: str = ""
    empty: str = ""
    notes: Sequence[str] = ()
    style: TableStyle = PAGE_STYLE
    columns_on_page: int | None = None
    are_tables: bool = False
    usual: Mapping[str, object] = field(default_factory=dict)
    sliders: Mapping[str, Slider] = field(default_factory=dict)

    @property
    def has_table_first(self) -> bool:
        """Return True where the table answers in less space than the charts."""
        most = len(self.charts) if self.are_tables else MOST_CHARTS_FIRST
        return len(self.charts) > most or any(one.chart["layout"]["height"] > SCREEN for one in self.charts)

    @property
    def open_charts(self) -> Sequence[NamedChart]:
        return self.charts[:MOST_OPEN_CHARTS]

    @property
    def folded_charts(self) -> Sequence[NamedChart]:
        """Return the charts that the page folds. Printed pages and files have them."""
        return self.charts[MOST_OPEN_CHARTS:]

    @property
    def page_table(self) -> Table:
        """Return the table as the page shows it."""
        return self.table.with_columns(range(len(self.table.columns))[: self.columns_on_page])


def named_charts(titles: Sequence[str], charts: Sequence[Chart]) -> list[NamedChart]:
    """Name the charts of a page."""
    return [
        NamedChart(title, chart, f"chart-data-{number}")
        for number, (title, chart) in enumerate(zip(titles, charts, strict=True), start=1)
    ]
