"""Aids for reading that annotators use on a pair: word differences, and texts that scroll together."""

from __future__ import annotations

from collections.abc import Collection

from django.db import transaction

from judging.models import Assignment, ReadingAid


@transaction.atomic
def note_reading_aid(assignment: Assignment, aid: ReadingAid) -> None:
    """Record that the annotator used an aid on an open pair. An answered pair stays as it was answered."""
    rows = Assignment.objects.select_for_update(no_key=True)
    current = rows.filter(pk=assignment.pk, status=Assignment.Status.OPEN).first()
    if current is None:
        return
    current.reading_aids = with_aids(current.reading_aids, [aid])
    current.save(update_fields=["reading_aids"])


def with_aids(used: str, aids: Collection[str]) -> str:
    """Return the names of aids, separated by spaces, each once and in their fixed order. used: such names."""
    names = {*used.split(), *aids}
    return " ".join(aid for aid in ReadingAid.values if aid in names)
