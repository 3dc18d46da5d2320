"""Files of recorded judgments: read, completed by what texts tell, checked and stored, in one way for each kind."""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from django.db import transaction

from evenhand.file_problems import InvalidFile, Problem, describe_value, list_names
from evenhand.formats import (
    MAX_FILE_BYTES,
    RECORDED_COMPARISON_COLUMNS,
    RECORDED_RATING_COLUMNS,
    RECORDED_SCORE_COLUMNS,
    RECORDED_VOTE_COLUMNS,
    REPLY_COLUMNS,
    CheckedRow,
    DiskDictionary,
    RecordedColumns,
    SourceFile,
    StoreIsFull,
    TableMapping,
    clean_name,
    read_comparisons,
    read_ratings,
    read_replies,
    read_scores,
    read_votes,
)
from evenhand.refusals import Refused
from judging.models import NOTHING_LEFT_OUT, Candidate, Context, Dataset, Exclusion, Run, User
from judging.services.datasets.recorded.answer_rows import COMPARISONS, SCORES
from judging.services.datasets.recorded.judgment_mappings import save_judgment_mapping
from judging.services.datasets.recorded.recorded_runs import check_judgments, import_judgments
from judging.services.datasets.recorded.recorded_votes import (
    ImportedRatings,
    ImportedVotes,
    check_ratings,
    check_votes,
    import_ratings,
    import_votes,
)
from judging.services.datasets.recorded.verdicts_in_replies import find_reply_reader

# Field of a candidate -> the fields of its system and its text.
_CANDIDATES = {
    "first": ("system_first", "text_first"),
    "second": ("system_second", "text_second"),
    "candidate": ("system", "candidate_text"),
}
PREVIEWED_RECORDS = 20
USUAL_CELLS = (None, "", False, 0, "ordinary")
"""A column with nothing else says nothing, and previews leave it out."""


class NamesByText:
    """The identifiers of a dataset by hashes of texts, on disk. mapping: of the judgments, if they have one."""

    def __init__(self, dataset: Dataset, mapping: TableMapping | None) -> None:
        mapping = mapping or TableMapping("")
        self._attributes = list(dataset.attributes.values_list("name", flat=True))
        self._names = DiskDictionary()
        self._several = DiskDictionary()
        self._has_context_text = "context" not in mapping.columns and "context_text" in mapping.columns
        self._fields = {
            field: tuple(name for name in names if name in mapping.columns)
            for field, names in _CANDIDATES.items()
            if field not in mapping.columns and not mapping.columns.keys().isdisjoint(names)
        }
        if self._has_context_text:
            for key, text in Context.objects.filter(dataset=dataset).values_list("key", "text").iterator():
                self._add((_hash(text),), key)
        if self._fields:
            self._add_candidates(dataset)

    def find_names(self, rows: Iterable[CheckedRow]) -> Iterator[CheckedRow]:
        """Yield the rows with an attribute, and identifiers in place of texts. A row without is a problem."""
        only = self._attributes[0] if len(self._attributes) == 1 else ""
        for row in rows:
            values = dict(row.values)
            if not values.setdefault("attribute", only):
                expected = f"a column that names one of the dataset's attributes: {list_names(self._attributes)}"
                row.add_problem("attribute", "missing", expected)
                continue
            if self._has_context_text and not self._find(row, values, "context", ("context_text",)):
                continue
            if all(self._find(row, values, field, names) for field, names in self._fields.items()):
                yield replace(row, values=values)

    def _add_candidates(self, dataset: Dataset) -> None:
        candidates = Candidate.objects.filter(context__dataset=dataset).order_by()
        for context, key, system, text in candidates.values_list("context__key", "key", "system", "text").iterator():
            values = {"system": system, "text": _hash(text)}
            for kinds in set(map(_kinds, self._fields.values())):
                self._add((context, *kinds, *(values[kind] for kind in kinds)), key)

    def _add(self, name: tuple[str, ...], key: str) -> None:
        if not self._names.add(name, key):
            self._several.add(name, True)

    def _find(self, row: CheckedRow, values: dict[str, object], field: str, names: tuple[str, ...]) -> bool:
        """Put an identifier into the values in place of the texts that name it. Return False after a problem."""
        texts = [str(values.pop(name, "")) for name in names]
        known = [text if name.startswith("system") else _hash(text) for name, text in zip(names, texts, strict=True)]
        of_context = () if field == "context" else (str(values.get("context", "")), *_kinds(names))
        name = (*of_context, *known)
        key = self._names.get(name)
        if key is not None and self._several.get(name) is None:
            values[field] = key
            return True
        what = (
            "context of the dataset" if field == "context" else f"candidate of context {describe_value(of_context[0])}"
        )
        expected = f"only one {what} like this; name it by its identifier" if key is not None else f"a {what}"
        row.add_problem(names[-1], describe_value(texts[-1]), expected)
        return False


def _kinds(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return what the fields of a candidate hold, the same for both sides of a pair."""
    return tuple("system" if name.startswith("system") else "text" for name in names)


def _hash(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=20).hexdigest()


@dataclass(frozen=True, slots=True)
class RecordedKind:
    """One kind of recorded judgments. needs_judge: False for votes and ratings, which belong to people."""

    columns: RecordedColumns
    read: Callable[..., Sequence[Any]]
    needs_judge: bool = True

    @property
    def noun(self) -> str:
        return self.columns.noun


JUDGMENT_KINDS: Mapping[str, RecordedKind] = {
    kind.noun: kind
    for kind in (
        RecordedKind(RECORDED_COMPARISON_COLUMNS, read_comparisons),
        RecordedKind(RECORDED_SCORE_COLUMNS, read_scores),
        RecordedKind(RECORDED_VOTE_COLUMNS, read_votes, needs_judge=False),
        RecordedKind(RECORDED_RATING_COLUMNS, read_ratings, needs_judge=False),
    )
}


def kind_of_files(noun: str, pattern: str, dataset: Dataset | None) -> RecordedKind:
    """Return the kind of judgments: answers in columns, or by a verdict pattern in the texts of replies.

    noun: a key of JUDGMENT_KINDS. pattern: empty for answers in columns. Raises Refused for an unknown pattern.
    """
    if pattern and noun not in REPLY_COLUMNS:
        raise Refused("verdict_pattern: Only comparisons and scores are read from replies.")
    if not pattern or dataset is None:
        return JUDGMENT_KINDS[noun]
    read_reply = find_reply_reader(pattern, noun=noun, dataset=dataset)
    return RecordedKind(REPLY_COLUMNS[noun], partial(read_replies, noun=noun, read_reply=read_reply))


@dataclass(frozen=True, slots=True)
class JudgmentFiles:
    """The content of files. problems: found in the files alone. notes: what was not used.

    mapping: by which a table was read; None for our own columns and for logs.
    """

    kind: RecordedKind
    records: Sequence[Any]
    problems: Sequence[Problem]
    notes: Sequence[str]
    mapping: TableMapping | None = None


def read_judgments(
    kind: RecordedKind,
    files: Sequence[SourceFile],
    *,
    dataset: Dataset | None = None,
    mapping: TableMapping | None = None,
    judge: str = "",
    max_bytes: int = MAX_FILE_BYTES,
) -> JudgmentFiles:
    """Read files with all their problems. None is raised, so that they are reported with those of the dataset.

    dataset: has the attribute of judgments that name none, and the texts by which a mapping names its rows.
    judge: the only judge to read, of files that name their judges.
    """
    notes: list[str] = []
    options: dict[str, Any] = {"judge": judge} if kind.needs_judge else {}
    if dataset:
        options["find_names"] = NamesByText(dataset, mapping).find_names
    try:
        records = kind.read(files, mapping=mapping, notes=notes, max_bytes=max_bytes, **options)
    except InvalidFile as invalid:
        return JudgmentFiles(kind, invalid.records, invalid.problems, notes, mapping)
    return JudgmentFiles(kind, records, (), notes, mapping)


@contextmanager
def _refuse_without_space() -> Iterator[None]:
    try:
        yield
    except StoreIsFull as full:
        advice = "free space in the folder of temporary files, or split the files"
        raise Refused(f"no space to compare all records with those of the dataset — {advice}") from full


@_refuse_without_space()
@transaction.atomic
def store_judgments(
    read: JudgmentFiles,
    *,
    dataset: Dataset,
    judge_name: str = "",
    model: str = "",
    owner: User | None = None,
    exclusion: Exclusion = NOTHING_LEFT_OUT,
) -> list[Run] | ImportedVotes | ImportedRatings:
    """Store what was read, as runs of a judge, votes or ratings.

    owner: of the runs; None on the command line. The mapping is stored with the dataset if its owner may change that.
    exclusion: systems and contexts that the runs left out. Raises Refused with every problem; then nothing is stored.
    """
    may_change = owner is None or Dataset.objects.changeable_by(owner).filter(pk=dataset.pk).exists()
    if may_change and read.mapping and read.mapping.layout:
        save_judgment_mapping(dataset, read.kind.columns.title, read.mapping)
    if read.kind.noun == "ratings":
        return import_ratings(read.records, dataset=dataset, problems=read.problems)
    if read.kind.noun == "votes":
        return import_votes(read.records, dataset=dataset, problems=read.problems)
    return import_judgments(
        SCORES if read.kind.noun == "scores" else COMPARISONS,
        read.records,
        dataset=dataset,
        judge_name=clean_name(judge_name),
        model=model,
        owner=owner,
        problems=read.problems,
        exclusion=exclusion,
    )


@_refuse_without_space()
def check_read(read: JudgmentFiles, *, dataset: Dataset, judge_name: str = "", owner: User | None = None) -> None:
    """Raise Refused with every problem that storing would meet. Nothing is stored."""
    if read.kind.noun == "ratings":
        check_ratings(read.records, dataset=dataset, problems=read.problems)
    elif read.kind.noun == "votes":
        check_votes(read.records, dataset=dataset, problems=read.problems)
    else:
        kind = SCORES if read.kind.noun == "scores" else COMPARISONS
        name = clean_name(judge_name)
        check_judgments(kind, read.records, dataset=dataset, judge_name=name, owner=owner, problems=read.problems)


def preview_judgments(read: JudgmentFiles) -> tuple[list[str], list[list[object]]]:
    """Return the columns with a value in the first rows, and these rows as they were read."""
    of_records = JUDGMENT_KINDS[read.kind.noun].columns
    columns = (*of_records.required, *of_records.optional)
    rows = [[_value_of(record, name) for name in columns] for record in read.records[:PREVIEWED_RECORDS]]
    used = [any(row[number] not in USUAL_CELLS for row in rows) for number in range(len(columns))]
    names = [name for name, is_used in zip(columns, used, strict=True) if is_used]
    return names, [[value for value, is_used in zip(row, used, strict=True) if is_used] for row in rows]


def _value_of(record: object, name: str) -> object:
    return getattr(record, name) if hasattr(record, name) else getattr(getattr(record, "vote", None), name, None)
