"""The dataclasses of agreement, for commands, pages and the HTTP API."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Literal

from evenhand.numerics.figure import CountedFigure, IntervalFigure
from evenhand.report_json import Help, IfAny, Unwritten, as_json
from rankings.report.left_out import ExcludedVotes, LeftOutParts, with_left_out
from rankings.report.long_lines import figure_lines, without
from rankings.tables.long_form import Line, LongForm

RATER_COLUMNS = ("rater", "other")


@dataclass(frozen=True)
class RaterRow:
    """Figures of one rater, the same for a person and a judge. run, judge, method, prompt: only of a judge."""

    name: str
    kind: Literal["human", "judge"]
    run: int | None
    judge: str | None
    method: str | None
    prompt: str | None
    votes: int
    pairs: int
    ties: int
    unparsed: int
    errors: int
    p_first: IntervalFigure
    order_agreement: IntervalFigure
    tie_rate: CountedFigure
    prefers_longer: IntervalFigure
    accuracy: IntervalFigure
    mean_cohen_kappa: CountedFigure
    mean_order_free_alpha: CountedFigure


@dataclass(frozen=True)
class GroupRow:
    """The agreement between some raters."""

    raters: int
    pairs: int
    shared_pairs: int
    percent_agreement: IntervalFigure
    mean_cohen_kappa: CountedFigure
    mean_order_free_alpha: CountedFigure
    fleiss_kappa: IntervalFigure
    krippendorff_alpha: IntervalFigure
    order_free_alpha: IntervalFigure


@dataclass(frozen=True)
class PeopleRow(GroupRow):
    """The agreement between people. human: one person with the majority of the others."""

    human: IntervalFigure


@dataclass(frozen=True)
class PersonTest:
    """The alternative annotator test of a judge against one person."""

    name: str
    p_value: float
    pairs: int


@dataclass(frozen=True)
class AlternativeAnnotatorRow:
    """The alternative annotator test of a judge. left_out: people with too few pairs."""

    passed: bool | None
    winning_rate: float | None
    advantage: float | None
    epsilon: float
    people: list[PersonTest]
    left_out: list[str]
    undefined: IfAny[str] = None


@dataclass(frozen=True)
class JudgeRow:
    """A judge compared with people, on the pairs that it and at least two people answered."""

    name: str
    run: int | None
    shared_pairs: int
    human: IntervalFigure
    alpha_people: IntervalFigure
    alpha_with_judge: IntervalFigure
    order_free_alpha_people: IntervalFigure
    order_free_alpha_with_judge: IntervalFigure
    alternative_annotator_test: AlternativeAnnotatorRow


@dataclass(frozen=True)
class PairOfRaters:
    """The agreement of two raters."""

    one: str
    other: str
    percent_agreement: IntervalFigure
    cohen_kappa: IntervalFigure
    order_free_alpha: IntervalFigure


@dataclass(frozen=True)
class RatingAgreement:
    """The agreement of people who rated single candidates."""

    raters: int
    candidates: int
    shared_candidates: int
    krippendorff_alpha_ordinal: IntervalFigure
    krippendorff_alpha_interval: IntervalFigure


@dataclass(frozen=True)
class VoteAgreementRow:
    """Couples of votes on the same pair, one of each side. one: a group of people. other: a group or a judge."""

    subset: str
    one: str
    other: str
    per_vote: Annotated[IntervalFigure, Help("Share of couples with the same outcome of three.")]
    per_vote_decided: Annotated[IntervalFigure, Help("The same without ties of either side.")]


@dataclass(frozen=True)
class AttributeAgreement:
    """The agreement on one attribute."""

    attribute: str
    pairs: int
    raters: list[RaterRow]
    people: PeopleRow
    judges: GroupRow
    judges_against_people: list[JudgeRow]
    pairs_of_raters: list[PairOfRaters]
    votes: list[VoteAgreementRow]
    ratings: RatingAgreement
    excluded_votes: Annotated[IfAny[ExcludedVotes], Help("Votes that researchers excluded, with their reasons.")] = None


@dataclass(frozen=True)
class AgreementReport:
    """The agreement on each attribute; docs/reference/agreement.md defines each number."""

    dataset: str
    dataset_id: Unwritten[int]
    attributes: list[AttributeAgreement]
    order: Annotated[IfAny[Literal["given"]], Help("Only comparisons in the dataset's order were read.")] = None
    subsets_by: Annotated[IfAny[str], Help("The field of contexts whose values are the subsets.")] = None
    without: Annotated[IfAny[LeftOutParts], Help("What the report leaves out.")] = None


def agreement_long_form(report: AgreementReport) -> LongForm:
    """Return every figure of an agreement report. rater, other: the raters that a figure is about.

    variant: of groups, `people` or `judges`; of ratings of single candidates, `ratings`; else a part of the figure.
    """
    form = LongForm(lambda: (line for row in report.attributes for line in _lines_of(row)), RATER_COLUMNS)
    return with_left_out(form, report.without)


def _lines_of(row: AttributeAgreement) -> Iterator[Line]:
    judges = {
        rater.name: {"run": rater.run, "judge": rater.judge, "method": rater.method, "prompt": rater.prompt}
        for rater in row.raters
    }
    raters: list[RaterRow | JudgeRow] = [*row.raters, *row.judges_against_people]
    for one in raters:
        names = {"attribute": row.attribute, "rater": one.name, **judges.get(one.name, {})}
        yield from figure_lines(without(as_json(one), ("name", "kind", "run", "judge", "method", "prompt")), names)
    for pair in row.pairs_of_raters:
        names = {"attribute": row.attribute, "rater": pair.one, "other": pair.other}
        yield from figure_lines(without(as_json(pair), ("one", "other")), names)
    for couple in row.votes:
        names = {"attribute": row.attribute, "subset": couple.subset, "rater": couple.one, "other": couple.other}
        yield from figure_lines(without(as_json(couple), ("subset", "one", "other")), names)
    for group, figures in (("people", row.people), ("judges", row.judges), ("ratings", row.ratings)):
        for line in figure_lines(as_json(figures), {"attribute": row.attribute}):
            yield {**line, "variant": group}
