"""Which comparisons an adaptive run holds out, as rows that are looked for."""

from __future__ import annotations

from django.db import connection
from django.db.models import Q
from django.db.models.expressions import RawSQL

from judging.models import Run

ELEMENTS = {"postgresql": "jsonb_array_elements", "sqlite": "json_each"}
"""By database, the function that makes rows of a JSON array; the column of both is called `value`."""
COMPARISONS = """
    SELECT answer.id FROM judging_chunk AS part, {elements}(part.held_out) AS pair, judging_comparison AS answer
    WHERE part.run_id = %s AND answer.run_id = part.run_id
    AND answer.first_id = CAST(pair.value ->> 0 AS bigint) AND answer.second_id = CAST(pair.value ->> 1 AS bigint)
"""


def held_out(run: Run) -> Q:
    """Comparisons of pairs that a run holds out; none of a run that is not adaptive."""
    return Q(pk__in=RawSQL(COMPARISONS.format(elements=ELEMENTS[connection.vendor]), [run.pk]))
