"""`diagnostics`: whether the answers of a run can be relied on."""

from collections.abc import Iterator
from typing import Any

from django.core.management.base import CommandParser

from judging.management.rows_by_name import get_run
from judging.models import Run
from rankings.diagnostics.diagnostics_report import CONSISTENCY, diagnostics_of
from rankings.diagnostics.prediction_powered import FIGURES
from rankings.management.base import ReportCommand
from rankings.management.commands.scores import shown
from rankings.report.tables import aligned

Row = dict[str, Any]


class Command(ReportCommand):
    help = "Print calibration, consistency, raters' fit, reliability and prediction-powered estimates of a run."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("run", type=int, metavar="RUN")
        self.add_json_argument(parser)

    def run(self, options: dict[str, Any]) -> Row:
        run = get_run(options["run"])
        return diagnostics_of(run, beside=Run.objects.filter(attribute=run.attribute_id).order_by("pk"))

    def show(self, result: Row) -> None:
        self.stdout.write("\n".join(lines_of(result)), ending="")


def lines_of(found: Row) -> Iterator[str]:
    """All but the histogram, for a terminal."""
    calibration, consistency = found["calibration"], found["consistency"]
    yield f"{found['judge']}, {found['prompt']} on {found['attribute']} (run {found['run']})"
    figures = {
        "calibration error": calibration["expected_calibration_error"],
        "Brier score": calibration["brier_score"],
        "P(first) and score difference": calibration["score_differences"]["correlation"],
    } | {name.replace("_", " "): consistency[name] for name in CONSISTENCY}
    yield aligned([["", "value", "low", "high", "n", ""], *(figure_line(*item) for item in figures.items())])
    parts = [[shown(part["mean_p_first"]["value"]), *numbers(part["share_first"])] for part in calibration["bins"]]
    if parts:
        yield aligned([["P(first)", "people prefer first", "low", "high", "n"], *parts])
    by_ranking = [[name, *(shown(one["value"]) for one in row.values())] for name, row in found["reliability"].items()]
    yield aligned([["ranking", "split-half", "separation", "index"], *by_ranking])
    yield aligned([["rater", "n", "infit", "outfit", ""], *map(rater_line, found["rater_fit"]["raters"])])
    yield from powered_lines(found["prediction_powered"])


def figure_line(title: str, figure: Row) -> list[str]:
    return [title, *numbers(figure), figure.get("undefined", "")]


def numbers(figure: Row) -> list[str]:
    ends = (shown(figure[field]) for field in ("value", "low", "high"))
    return [*ends, "-" if figure["n"] is None else str(figure["n"])]


def rater_line(rater: Row) -> list[str]:
    outside = "outside the usual range" if rater["outside_usual_range"] else ""
    fit = (shown(rater[name]["value"]) for name in ("infit", "outfit"))
    return [rater["name"], f"{rater['infit']['n']}", *fit, outside]


def powered_lines(powered: Row) -> Iterator[str]:
    if powered.get("undefined"):
        yield f"people with the judge: undefined: {powered['undefined']}\n"
        return
    titles = ["system", "labelled", "others", *(name.replace("_", " ") for name in FIGURES)]
    yield aligned([titles, *map(system_line, powered["systems"])])


def system_line(row: Row) -> list[str]:
    counted = (str(row[name]) for name in ("labelled_pairs", "other_pairs"))
    return [row["system"], *counted, *(shown(row[name]["value"]) for name in FIGURES)]
