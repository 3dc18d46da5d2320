"""Counts of related rows, as subqueries."""

from typing import Any

from django.db.models import Count, IntegerField, QuerySet, Subquery
from django.db.models.functions import Coalesce


def count_rows(rows: QuerySet[Any], *, by: str, distinct: str = "") -> Coalesce:
    """Count the rows that refer to the outer row by the field `by`; with `distinct`, the values of that field.

    A join would multiply the outer rows, and grouped rows cannot be locked.
    """
    number = Count(distinct, distinct=True) if distinct else Count("pk")
    counted = rows.order_by().values(by).annotate(number=number).values("number")
    return Coalesce(Subquery(counted, output_field=IntegerField()), 0)
