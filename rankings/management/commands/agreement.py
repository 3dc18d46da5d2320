"""`agreement`: agreement between people, and of each judge with people."""

from collections.abc import Iterator
from typing import Any

from django.core.management.base import CommandParser

from evenhand.numerics import Figure
from judging.management.rows_by_name import get_attributes, get_dataset
from rankings.agreement.agreement_report import agreement_report
from rankings.agreement.agreement_row import AgreementReport, AttributeAgreement, agreement_long_form
from rankings.agreement.rater_groups import EVERYONE, RaterGroup
from rankings.management.report_command import LongReportCommand
from rankings.tables.long_form import LongForm
from rankings.tables.text_table import aligned, number_cell

RATER_FIELDS = {
    "Rater": "name",
    "Kind": "kind",
    "Answers": "votes",
    "Ties": "ties",
    "P(first)": "p_first",
    "Order agreement": "order_agreement",
    "Longer text": "prefers_longer",
    "With majority": "accuracy",
    "Mean kappa": "mean_cohen_kappa",
}
VOTE_FIELDS = {
    "Subset": "subset",
    "Of": "one",
    "With": "other",
    "Agreement per vote": "per_vote",
    "Without ties": "per_vote_decided",
}
GROUP_ROWS = {
    "Percent agreement": "percent_agreement",
    "Mean Cohen's kappa": "mean_cohen_kappa",
    "Fleiss' kappa": "fleiss_kappa",
    "Krippendorff's alpha": "krippendorff_alpha",
    "Order-free alpha": "order_free_alpha",
}


class Command(LongReportCommand):
    help = "Print the agreement between people, and of each judge with people (figures: docs/reference/agreement.md)."
    examples = (
        "agreement --dataset SummEval",
        "agreement --dataset SummEval --attribute coherence --json",
        "agreement --dataset MT-Bench --raters expert=expert_* --raters author=author_* --subsets-by turn",
    )

    def add_arguments(self, parser: CommandParser) -> None:
        self.add_dataset_option(parser)
        parser.add_argument("--attribute", metavar="A", help="default: all attributes")
        parser.add_argument(
            "--raters",
            action="append",
            default=[],
            metavar="NAME=PATTERN,PATTERN",
            help="a group of people, such as expert=expert_*; may be repeated (default: everyone in one group)",
        )
        self.add_order_argument(parser)
        self.add_subsets_argument(parser)

    def run(self, options: dict[str, Any]) -> AgreementReport:
        dataset = get_dataset(options["dataset"])
        attributes = get_attributes(dataset, [options["attribute"]] if options["attribute"] is not None else [])
        choice, groups = self.answers_of(options), tuple(map(RaterGroup.parse, options["raters"])) or EVERYONE
        runs = dataset.runs.ordinary().order_by("pk")
        return agreement_report(dataset, attributes=attributes, runs=runs, choice=choice, groups=groups)

    def long_form_of(self, result: AgreementReport) -> LongForm:
        return agreement_long_form(result)

    def show_report(self, result: AgreementReport) -> None:
        self.write_left_out(result.without)
        for row in result.attributes:
            self.stdout.write("\n".join(agreement_lines(row)))


def agreement_lines(row: AttributeAgreement) -> Iterator[str]:
    """Yield the tables of one attribute as text."""
    yield f"{row.attribute}: {row.pairs} pairs"
    raters = [[text_cell(getattr(rater, field)) for field in RATER_FIELDS.values()] for rater in row.raters]
    yield aligned([list(RATER_FIELDS), *raters])
    groups = (row.people, row.judges)
    figures = [[title, *(text_cell(getattr(group, field)) for group in groups)] for title, field in GROUP_ROWS.items()]
    counts = [["Pairs with two ratings", *(text_cell(group.shared_pairs) for group in groups)]]
    yield aligned([["", "People", "Judges"], *counts, *figures])
    if row.ratings.raters:
        alphas = map(text_cell, (row.ratings.krippendorff_alpha_ordinal, row.ratings.krippendorff_alpha_interval))
        yield "Ratings of {} people: alpha ordinal {}, interval {}".format(row.ratings.raters, *alphas)
    if row.votes:
        cells = [[text_cell(getattr(couple, field)) for field in VOTE_FIELDS.values()] for couple in row.votes]
        yield aligned([list(VOTE_FIELDS), *cells])
    for judge in row.judges_against_people:
        test = judge.alternative_annotator_test
        verdict = "passed" if test.passed else f"undefined: {test.undefined}" if test.undefined else "failed"
        yield (
            f"{judge.name}: alpha of people {text_cell(judge.alpha_people)}, "
            f"with the judge {text_cell(judge.alpha_with_judge)}; alternative annotator test {verdict}"
        )


def text_cell(value: Figure | str | float) -> str:
    """Write a figure, a count or a name."""
    return number_cell(value.value) if isinstance(value, Figure) else str(value)
