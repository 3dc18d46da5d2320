"""Look up the rows of a dataset by the keys that records name, and report unknown keys."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

from evenhand.file_problems import InvalidFile, Problem, ProblemLog, describe_value
from evenhand.formats import ComparisonRecord, RatingRecord, RecordedVote, ScoreRecord
from evenhand.refusals import Refused
from judging.models import Attribute, Candidate, Context, Dataset

AnyRecord = ComparisonRecord | ScoreRecord | RecordedVote | RatingRecord
_RecordT = TypeVar("_RecordT", bound=AnyRecord)


class DatasetKeys:
    """Ids of a dataset's rows by their keys.

    attributes: by name. contexts: by key. candidates: by context key and candidate key.
    """

    def __init__(self, dataset: Dataset) -> None:
        self.attributes: dict[str, Attribute] = {attribute.name: attribute for attribute in dataset.attributes.all()}
        self.contexts: dict[str, int] = dict(Context.objects.filter(dataset=dataset).values_list("key", "pk"))
        candidates = Candidate.objects.filter(context__dataset=dataset).order_by()
        self.candidates: dict[tuple[str, str], int] = {
            (context, key): pk for context, key, pk in candidates.values_list("context__key", "key", "pk")
        }

    def problems(self, record: AnyRecord, candidate_fields: tuple[str, ...]) -> Iterator[Problem]:
        """Find keys of a record that the dataset lacks. candidate_fields: the fields that name a candidate."""
        if record.attribute not in self.attributes:
            expected = f"an attribute of the dataset: {', '.join(self.attributes) or 'it has none'}"
            yield Problem(record.file, record.line, "attribute", describe_value(record.attribute), expected)
        if record.context not in self.contexts:
            yield Problem(
                record.file, record.line, "context", describe_value(record.context), "a context of the dataset"
            )
            return
        for field in candidate_fields:
            key = getattr(record, field)
            if (record.context, key) not in self.candidates:
                expected = f"a candidate of context {describe_value(record.context)}"
                yield Problem(record.file, record.line, field, describe_value(key), expected)


def merge_problems(
    found: Sequence[Problem], records: Iterable[_RecordT], find_problems: Callable[[_RecordT], Iterable[Problem]]
) -> list[Problem]:
    """Return problems by file and line: those found in the files, then those that each record has with the dataset.

    Of each kind, the first problems are listed and the others counted. A field has only its first problem.
    """
    known = {(problem.file, problem.line, problem.field) for problem in found}
    files: dict[str, None] = {}
    log = ProblemLog()
    try:
        for record in records:
            files.setdefault(record.file)
            for one in find_problems(record):
                if (one.file, one.line, one.field) not in known:
                    log.add(one.file, one.line, one.field, one.value, one.expected)
        log.raise_if_any()
    except InvalidFile as invalid:
        found = [*found, *invalid.problems]
    order = list(dict.fromkeys([*files, *(problem.file for problem in found)]))
    return sorted(found, key=lambda problem: (order.index(problem.file), problem.line or 0))


def refuse_if_any(problems: Sequence[Problem], *others: str) -> None:
    """Raise Refused with all problems. others: those that belong to no file, which come first."""
    if problems or others:
        raise Refused(*others, *map(str, problems), more=sum(problem.more for problem in problems))
