"""A table of a study by the parameters of its page's address, such as `rows=judge&columns=subset&figure=accuracy`."""

from collections.abc import Sequence
from urllib.parse import parse_qs

from evenhand.options import options_of, read_options
from evenhand.refusals import Refused
from judging.models import Run, Study
from rankings.studies.dimensions import DIMENSIONS
from rankings.studies.pivots.pivot_choice import PivotChoice
from rankings.studies.study_choice import study_choice

NOT_ON_THE_PAGE = ("only", "subsets_by", "without_system", "without_context")
TABLE_OPTIONS = [option for option in options_of(study_choice) if option.name not in NOT_ON_THE_PAGE]
TABLE_PARAMETERS = (*(option.name for option in TABLE_OPTIONS), "sort", *DIMENSIONS)
"""Parameters that a table may have. `sort` changes no figure, and is left out."""


def table_choice(query: str, study: Study, runs: Sequence[Run]) -> PivotChoice:
    """Return the table of a query. Empty parameters are the usual ones. Raises Refused with every problem."""
    values = parse_qs(query.lstrip("?"))
    only = tuple(f"{name}={text}" for name in DIMENSIONS for text in values.pop(name, ()))
    values.pop("sort", None)
    try:
        read = read_options(
            TABLE_OPTIONS, {name: texts if name == "group" else texts[-1] for name, texts in values.items()}
        )
    except Refused as refused:
        raise Refused(*(f"table: {problem}" for problem in refused.problems)) from refused
    return study_choice(study, runs, only=only, **read)
