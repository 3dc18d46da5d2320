"""`scores`: one score per candidate, by one ranking of a run."""

from typing import Any

from django.core.management.base import CommandParser

from evenhand.numerics import Figure, rankings_with_chosen_pairs
from judging.management.exclusion_options import add_exclusion_arguments, read_exclusion
from judging.management.rows_by_name import get_run
from rankings.management.report_command import LongReportCommand
from rankings.scores.score_rows import ScoresReport, is_distorted, scores_long_form, scores_of
from rankings.tables.long_form import LongForm
from rankings.tables.text_table import aligned, number_cell

DISTORTION = (
    "run {run} chose its pairs by its own answers, which distorts {ranking}: texts that win were compared mostly with "
    "others that win; prefer {preferred}"
)
SCORE_COLUMNS = ("context", "candidate", "system", "score", "standard_error", "rank", "human")
WIN_RATE_COLUMNS = ("system", "win_rate", "low", "high", "n")


class Command(LongReportCommand):
    help = (
        "Print the score, standard error, rank and human score of every candidate of a run, "
        "then the win rate of each system."
    )
    examples = (
        "scores 7 --ranking bradley-terry",
        "scores 7 --ranking average-probability --average-orders --json",
    )

    def add_arguments(self, parser: CommandParser) -> None:
        self.add_run_argument(parser)
        parser.add_argument("--ranking", required=True, metavar="RANKING", help="a scoring run has only: score")
        parser.add_argument("--debias", action="store_true", help="debias by the threshold or the shifts of the run")
        parser.add_argument("--average-orders", action="store_true", help="use the mean of both orders of each pair")
        add_exclusion_arguments(parser)

    def run(self, options: dict[str, Any]) -> ScoresReport:
        run = get_run(options["run"])
        if is_distorted(run, options["ranking"]):
            preferred = ", ".join(ranking.name for ranking in rankings_with_chosen_pairs("sound"))
            self.note(DISTORTION.format(run=run.pk, ranking=options["ranking"], preferred=preferred))
        self.judged, self.chosen = run, {name: options[name] for name in ("ranking", "debias", "average_orders")}
        self.chosen["exclusion"] = read_exclusion(options)
        return scores_of(run, **self.chosen)

    def long_form_of(self, result: ScoresReport) -> LongForm:
        return scores_long_form(self.judged, result, **self.chosen)

    def show_report(self, result: ScoresReport) -> None:
        self.write_left_out(result.without)
        cells = [[number_cell(getattr(score, column)) for column in SCORE_COLUMNS] for score in result.scores]
        self.stdout.write(aligned([SCORE_COLUMNS, *cells]), ending="")
        if result.systems:
            rates = [[one.system, *_interval_cells(one.win_rate)] for one in result.systems]
            self.stdout.write("\n" + aligned([WIN_RATE_COLUMNS, *rates]), ending="")


def _interval_cells(figure: Figure) -> list[str]:
    return [number_cell(number) for number in (figure.value, figure.low, figure.high, figure.n)]
