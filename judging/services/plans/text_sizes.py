"""Sizes of a dataset's texts in characters, and items grouped by context."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.db.models.functions import Length

from judging.models import Candidate, Dataset
from judging.services.plans.question_texts import CandidateIds


@dataclass(frozen=True, slots=True)
class TextSize:
    """A candidate's context id, and the number of characters of its text and of its context's."""

    context: int
    text: int
    context_text: int


def load_sizes(dataset: Dataset) -> dict[int, TextSize]:
    """Load candidate id -> size for a whole dataset."""
    lengths = Candidate.objects.filter(context__dataset=dataset).annotate(
        length=Length("text"), context_length=Length("context__text")
    )
    rows = lengths.values_list("pk", "context_id", "length", "context_length")
    return {pk: TextSize(context, text, context_text) for pk, context, text, context_text in rows}


def group_by_context(sizes: Mapping[int, TextSize], items: Iterable[CandidateIds]) -> list[list[CandidateIds]]:
    groups: dict[int, list[CandidateIds]] = defaultdict(list)
    for item in items:
        groups[sizes[item[0]].context].append(item)
    return list(groups.values())
