"""The runs, rows and choices of a results page, as its address names them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from judging.models import Dataset, Run
from judging.web.role_checks import SignedInRequest
from judging.web.visible_rows import visible_dataset, visible_run, visible_runs
from rankings.loading import subset_names
from rankings.report.answer_options import ANSWERS
from rankings.report.forms import AnswersForm, TableForm, chosen_field
from rankings.report.pages import dataset_page
from rankings.report.prompt_means import PromptMean, means_over_prompts, table_of_choice
from rankings.report.report_choice import ALL
from rankings.report.report_columns import DATASET_COLUMNS, RUN_COLUMNS
from rankings.report.report_row import ReportRow
from rankings.report.report_rows import report_rows
from rankings.report.report_table import choice_notes
from rankings.tables.table import Table

MOST_ROWS_AT_FIRST = 40
"""With more, the table of a dataset shows whole runs until somebody chooses subsets."""


@dataclass(frozen=True, slots=True)
class TableSource:
    """The runs of a results page with their rows, and the choices of its address. is_run: the page is about one run."""

    dataset: Dataset
    runs: Sequence[Run]
    rows: list[ReportRow]
    form: TableForm
    answers: AnswersForm
    is_run: bool

    @property
    def table(self) -> Table:
        return table_of_choice(self.rows, self.form.table_choice, runs=self.runs)

    @property
    def choice_notes(self) -> list[str]:
        """Return which answers count, for a box above the figures."""
        return choice_notes(self.rows)

    def without_choice_notes(self, table: Table) -> Table:
        """Return the table without the notes of the box above it."""
        said = set(self.choice_notes)
        return replace(table, notes=tuple(note for note in table.notes if note not in said))

    @property
    def means(self) -> list[PromptMean] | None:
        """Return the means over prompts; None if the address does not choose them."""
        return means_over_prompts(self.runs, self.rows) if self.form.table_choice.over_prompts else None


def dataset_source(request: SignedInRequest, dataset_id: int, *, only_shown: bool = False) -> TableSource:
    """Return the runs of a dataset that this person may see. Raises Http404 for an invisible dataset.

    only_shown: without the rows of subsets where the table is too long to show them at first.
    """
    dataset = visible_dataset(request, dataset_id)
    runs = visible_runs(request).ordinary().filter(dataset=dataset).order_by("pk")
    attributes = list(dataset.attributes.values_list("name", flat=True))
    if (attribute := request.GET.get("attribute")) in attributes:
        runs = runs.filter(attribute__name=attribute)
    return table_source(request, dataset, list(runs), only_shown=only_shown)


def run_source(request: SignedInRequest, run_id: int) -> TableSource:
    """Return one run. Raises Http404 if this person may not see it."""
    run = visible_run(request, run_id)
    return table_source(request, run.dataset, [run], is_run=True)


def table_source(
    request: SignedInRequest, dataset: Dataset, runs: Sequence[Run], *, is_run: bool = False, only_shown: bool = False
) -> TableSource:
    by = chosen_field(request.GET, dataset.context_fields)
    names = subset_names(dataset, subsets_by=by)
    answers = AnswersForm(request.GET, dataset=dataset, names=ANSWERS, subsets=names)
    chosen = [run for run in runs if str(run.pk) in request.GET.getlist("run")] or runs
    in_reports = [run for run in chosen if not run.asks_null_pairs]
    choice = answers.report_choice
    is_long = len(in_reports) * (1 + len(names)) > MOST_ROWS_AT_FIRST
    wanted = request.GET.getlist("subset") or ([ALL] if is_long else [])
    only_all = only_shown and wanted == [ALL] and not choice.groups
    rows = report_rows(dataset, runs=in_reports, choice=choice, shown=[ALL] if only_all else ())
    subsets = [ALL, *names] if only_all else list(dict.fromkeys(row.subset for row in rows if not row.subsets))
    of_run = {"column": RUN_COLUMNS, "subset": subsets}
    of_dataset = {"column": DATASET_COLUMNS, "subset": [ALL] if is_long else subsets, "sort": [dataset_page.USUAL_SORT]}
    form = TableForm(
        request.GET,
        attributes=list(dataset.attributes.values_list("name", flat=True)),
        subsets=subsets,
        usual=of_run if is_run else of_dataset,
        runs=() if is_run else runs,
    )
    return TableSource(dataset, chosen, rows, form, answers, is_run)
