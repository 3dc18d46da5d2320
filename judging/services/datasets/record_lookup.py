"""Where the records of a file belong in a dataset."""

from __future__ import annotations

from collections.abc import Iterator

from judging.formats import ComparisonRecord, Problem, ScoreRecord, describe_value
from judging.models import Attribute, Candidate, Context, Dataset


class Places:
    """The rows of a dataset by the identifiers of its file.

    attributes: by name. contexts: key -> id. candidates: context key, candidate key -> id.
    """

    def __init__(self, dataset: Dataset) -> None:
        self.attributes: dict[str, Attribute] = {attribute.name: attribute for attribute in dataset.attributes.all()}
        self.contexts: dict[str, int] = dict(Context.objects.filter(dataset=dataset).values_list("key", "pk"))
        candidates = Candidate.objects.filter(context__dataset=dataset).order_by()
        self.candidates: dict[tuple[str, str], int] = {
            (context, key): pk for context, key, pk in candidates.values_list("context__key", "key", "pk")
        }

    def problems(self, record: ComparisonRecord | ScoreRecord, candidate_fields: tuple[str, ...]) -> Iterator[Problem]:
        """What of a record the dataset does not have. candidate_fields: those that name a candidate."""
        if record.attribute not in self.attributes:
            expected = f"an attribute of the dataset: {', '.join(self.attributes) or 'it has none'}"
            yield Problem(record.file, record.line, "attribute", describe_value(record.attribute), expected)
        if record.context not in self.contexts:
            value = describe_value(record.context)
            yield Problem(record.file, record.line, "context", value, "a context of the dataset")
            return
        for field in candidate_fields:
            key = getattr(record, field)
            if (record.context, key) not in self.candidates:
                expected = f"a candidate of context {describe_value(record.context)}"
                yield Problem(record.file, record.line, field, describe_value(key), expected)
