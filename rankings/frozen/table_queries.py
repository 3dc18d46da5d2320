"""A table of a study by the parameters of its page's address, such as `rows=judge&columns=subset&figure=accuracy`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from urllib.parse import parse_qs

from evenhand.numerics.correlation.coefficients import LEVELS
from evenhand.refusals import Refused, did_you_mean
from judging.models import Run, Study
from rankings.report.report_choice import ORDERS, UNPARSED, ReportChoice, SubsetGroup
from rankings.studies.dimensions import DIMENSIONS
from rankings.studies.pivots.pivot_choice import PivotChoice
from rankings.studies.study_choice import StudyOptions, study_choice

DEBIAS = {"": None, "no": False, "yes": True}
TEXT_PARAMETERS = ("rows", "columns", "figure", "ranking", "preset")
ALLOWED_VALUES: Mapping[str, Sequence[str]] = {
    "level": LEVELS,
    "order": list(ORDERS),
    "unparsed": list(UNPARSED),
    "debias": list(DEBIAS),
}
TABLE_PARAMETERS = (*TEXT_PARAMETERS, *ALLOWED_VALUES, "group", "sort", *DIMENSIONS)
"""Parameters that a table may have. `sort` changes no figure, and is left out."""


def table_choice(query: str, study: Study, runs: Sequence[Run]) -> PivotChoice:
    """Return the table of a query. Empty parameters are the usual ones. Raises Refused with every problem."""
    values = parse_qs(query.lstrip("?"))
    last = {name: texts[-1] for name, texts in values.items()}
    problems = [
        f'table: there is no parameter "{name}"{did_you_mean(name, TABLE_PARAMETERS)}; '
        f"there are: {', '.join(TABLE_PARAMETERS)}"
        for name in values
        if name not in TABLE_PARAMETERS
    ]
    problems += [
        f'table: {name} is "{last[name]}"; give one of: {", ".join(filter(None, choices))}'
        for name, choices in ALLOWED_VALUES.items()
        if last.get(name, choices[0]) not in choices
    ]
    if problems:
        raise Refused(*problems)
    options = StudyOptions(
        **{name: last.get(name, "") for name in TEXT_PARAMETERS},
        level=last.get("level"),  # type: ignore[arg-type]  # checked above
        debias=DEBIAS[last.get("debias", "")],
        only=[f"{name}={text}" for name in DIMENSIONS for text in values.get(name, ())],
        answers=ReportChoice(
            order=last.get("order", "both"),  # type: ignore[arg-type]
            unparsed=last.get("unparsed", "excluded"),  # type: ignore[arg-type]
            groups=tuple(map(SubsetGroup.parse, values.get("group", ()))),
        ),
    )
    return study_choice(study, runs, options)
