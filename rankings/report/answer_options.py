"""The options of all reports that say which answers count."""

from collections.abc import Mapping
from typing import Annotated

from evenhand.options import Option, options_of
from judging.models import Exclusion
from rankings.report.report_choice import ORDERS, SUBSET, UNPARSED, Order, ReportChoice, SubsetGroup, Unparsed


def chosen_answers(
    *,
    order: Annotated[
        Order,
        Option(
            "given: read only comparisons in the dataset's order of candidates.", "Order of candidates", choices=ORDERS
        ),
    ] = "both",
    unparsed: Annotated[
        Unparsed,
        Option(
            "wrong: count unparsed answers and errors as wrong in every accuracy.",
            "Unparsed and errors",
            choices=UNPARSED,
        ),
    ] = "excluded",
    without_system: Annotated[
        tuple[str, ...], Option("Leave out these systems, as if the dataset lacked them.", "Systems left out")
    ] = (),
    without_context: Annotated[
        tuple[str, ...], Option("Leave out these contexts, as if the dataset lacked them.", "Contexts left out")
    ] = (),
    subsets_by: Annotated[
        str, Option("The field of contexts whose values are the subsets, such as turn.", "Subsets by")
    ] = SUBSET,
    group: Annotated[
        tuple[str, ...],
        Option("NAME=SUBSET,SUBSET: a further row, pooled over these subsets.", "Groups of subsets"),
    ] = (),
) -> ReportChoice:
    """Return the choice of answers. Raises Refused for a group that is written in another way."""
    exclusion = Exclusion.of(systems=without_system, contexts=without_context)
    return ReportChoice(order, unparsed, tuple(map(SubsetGroup.parse, group)), subsets_by, exclusion)


ANSWERS: Mapping[str, Option] = {option.name: option for option in options_of(chosen_answers)}
LEFT_OUT = ("without_system", "without_context")
