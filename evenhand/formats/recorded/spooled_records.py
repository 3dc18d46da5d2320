"""Records of a file in a temporary database, because a large file does not fit into memory."""

import marshal
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, overload

from evenhand.formats.temporary_database import DiskDictionary, TemporaryDatabase

RecordT = TypeVar("RecordT")
FEW_RECORDS = 200_000  # hashes of this number of keys take 14 MB


@dataclass(frozen=True, slots=True)
class RecordForm(Generic[RecordT]):
    """The stored form of one kind of record. to_values: its plain values. from_values: the record again."""

    to_values: Callable[[RecordT], tuple[Any, ...]]
    from_values: Callable[[Sequence[Any]], RecordT]


class SpooledRecords(Sequence[RecordT]):
    """Records on disk, in order, each made when it is read."""

    def __init__(self, form: RecordForm[RecordT]) -> None:
        self._form = form
        self._database = TemporaryDatabase("CREATE TABLE record (id INTEGER PRIMARY KEY, data BLOB)")
        self._count = 0

    def append_all(self, records: Iterable[RecordT]) -> None:
        """Add records at the end. Raises StoreIsFull."""
        rows = ((marshal.dumps(self._form.to_values(record)),) for record in records)
        self._count += self._database.insert_all("INSERT INTO record (data) VALUES (?)", rows)

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[RecordT]:
        return self._read(0, self._count)

    @overload
    def __getitem__(self, index: int) -> RecordT: ...

    @overload
    def __getitem__(self, index: slice) -> list[RecordT]: ...

    def __getitem__(self, index: int | slice) -> RecordT | list[RecordT]:
        if isinstance(index, slice):
            return [self[position] for position in range(*index.indices(self._count))]
        position = range(self._count)[index]
        return next(self._read(position, position + 1))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and len(self) == len(other) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]

    def _read(self, start: int, end: int) -> Iterator[RecordT]:
        """Yield the records at positions `start` to `end`. SQLite numbers rows from 1."""
        query = "SELECT data FROM record WHERE id > ? AND id <= ? ORDER BY id"
        for (data,) in self._database.execute(query, (start, end)):
            yield self._form.from_values(marshal.loads(data))


def find_repeated(
    records: Sequence[RecordT], key_of: Callable[[RecordT], tuple[str | int, ...]]
) -> Iterator[tuple[RecordT, RecordT]]:
    """Yield each record whose key an earlier one has, after the first one with this key."""
    if len(records) <= FEW_RECORDS and len({hash(key_of(record)) for record in records}) == len(records):
        return  # all keys differ for certain
    positions = DiskDictionary()
    for position, record in enumerate(records):
        if not positions.add(key_of(record), position):
            yield records[positions.get(key_of(record))], record
