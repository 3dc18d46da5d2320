"""The contexts of a dataset while its files are read. They are held in a temporary database, not in memory."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass
from operator import eq
from typing import Any, overload

from evenhand.formats.records import CandidateRecord, ContextRecord, VoteRecord
from evenhand.formats.temporary_database import TemporaryDatabase

_TABLES = """
CREATE TABLE context (id INTEGER PRIMARY KEY, key BLOB UNIQUE, data BLOB);
CREATE TABLE candidate (id INTEGER PRIMARY KEY, context INTEGER, key BLOB, data BLOB, UNIQUE (context, key));
CREATE TABLE vote (id INTEGER PRIMARY KEY, context INTEGER, data BLOB);
CREATE TABLE name (context INTEGER, name BLOB, value TEXT, PRIMARY KEY (context, name)) WITHOUT ROWID;
CREATE INDEX vote_by_context ON vote (context);
"""


@dataclass(frozen=True, slots=True)
class StoredContext:
    """A context without its candidates. file, line: where it first appeared."""

    key: str
    text: str
    subset: str
    reference: str
    fields: Mapping[str, str]
    file: str
    line: int


class DraftStore:
    """Contexts with their candidates and votes, in order. SQLite deletes the temporary file when it closes it."""

    def __init__(self) -> None:
        self._database = TemporaryDatabase(_TABLES)
        self._length = 0

    def __len__(self) -> int:
        """The number of contexts."""
        return self._length

    def add_context(self, context: StoredContext, key: str) -> int | None:
        """Add a context and return its id; None if the key is taken. An empty key is never taken."""
        insert = "INSERT INTO context (key, data) VALUES (?, ?)"
        added = self._database.insert(insert, _key(key), _pack(astuple(context)))
        self._length += added is not None
        return added

    def find_context(self, key: str) -> tuple[int, StoredContext] | None:
        row = self._database.execute("SELECT id, data FROM context WHERE key = ?", (_key(key),)).fetchone()
        return (row[0], StoredContext(*json.loads(row[1]))) if row else None

    def add_candidate(self, context: int, candidate: CandidateRecord) -> bool:
        """Add a candidate and return True; False if its key is taken. An empty key is never taken."""
        insert = "INSERT INTO candidate (context, key, data) VALUES (?, ?, ?)"
        return self._database.insert(insert, context, _key(candidate.key), _pack_candidate(candidate)) is not None

    def find_candidate(self, context: int, key: str) -> CandidateRecord | None:
        found = self._database.execute(
            "SELECT data FROM candidate WHERE context = ? AND key = ?", (context, _key(key))
        ).fetchone()
        return CandidateRecord(*json.loads(found[0])) if found else None

    def replace_candidate(self, context: int, candidate: CandidateRecord) -> None:
        self._database.execute(
            "UPDATE candidate SET data = ? WHERE context = ? AND key = ?",
            (_pack_candidate(candidate), context, _key(candidate.key)),
        )

    def add_vote(self, context: int, vote: VoteRecord) -> None:
        self._database.insert("INSERT INTO vote (context, data) VALUES (?, ?)", context, _pack(astuple(vote)))

    def find_name(self, context: int, name: bytes) -> str:
        """Return the value stored under a name in a context; "" if there is none."""
        query = "SELECT value FROM name WHERE context = ? AND name = ?"
        row = self._database.execute(query, (context, name)).fetchone()
        return row[0] if row else ""

    def set_name(self, context: int, name: bytes, value: str) -> None:
        self._database.insert("INSERT OR REPLACE INTO name VALUES (?, ?, ?)", context, name, value)

    def large_contexts(self, *, candidates: int, characters: int, votes: int) -> Iterator[StoredContext]:
        """Yield the contexts that have more candidates, characters or votes than these."""
        if not self._length:
            return
        rows = self._database.execute(
            "SELECT data FROM context WHERE id IN (SELECT context FROM candidate GROUP BY context "
            "HAVING count(*) > ? OR sum(length(data)) > ?) "
            "OR id IN (SELECT context FROM vote GROUP BY context HAVING count(*) > ?)",
            (candidates, characters, votes),
        )
        for (data,) in rows:
            yield StoredContext(*json.loads(data))

    def records(self, start: int = 0, end: int | None = None) -> Iterator[ContextRecord]:
        """Yield the contexts at positions `start` to `end` with their candidates and votes."""
        rows = self._database.execute(
            "SELECT id, data FROM context WHERE id > ? AND id <= ? ORDER BY id",
            (start, len(self) if end is None else end),
        )
        for context_id, data in rows:
            context = StoredContext(*json.loads(data))
            yield ContextRecord(
                key=context.key,
                text=context.text,
                subset=context.subset,
                reference=context.reference,
                fields=context.fields,
                candidates=tuple(CandidateRecord(*values) for values in self._data_of("candidate", context_id)),
                votes=tuple(VoteRecord(*values) for values in self._data_of("vote", context_id)),
            )

    def _data_of(self, table: str, context: int) -> Iterator[Any]:
        rows = self._database.execute(f"SELECT data FROM {table} WHERE context = ? ORDER BY id", (context,))
        return (json.loads(data) for (data,) in rows)


class StoredContexts(Sequence[ContextRecord]):
    """The contexts of a store as records, each made when it is read."""

    def __init__(self, store: DraftStore) -> None:
        self._store = store

    def __len__(self) -> int:
        return len(self._store)

    def __iter__(self) -> Iterator[ContextRecord]:
        return self._store.records()

    @overload
    def __getitem__(self, index: int) -> ContextRecord: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[ContextRecord, ...]: ...

    def __getitem__(self, index: int | slice) -> ContextRecord | tuple[ContextRecord, ...]:
        if isinstance(index, slice):
            return tuple(self[position] for position in range(*index.indices(len(self))))
        position = range(len(self))[index]
        return next(self._store.records(position, position + 1))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and len(self) == len(other) and all(map(eq, self, other))

    __hash__ = None  # type: ignore[assignment]


def _key(key: str) -> bytes | None:
    """Return the stored form of a key, in which half surrogate pairs are allowed."""
    return key.encode("utf-8", "surrogatepass") or None


def _pack_candidate(candidate: CandidateRecord) -> bytes:
    return _pack([candidate.key, candidate.text, candidate.system, candidate.scores, candidate.ratings])


def _pack(values: object) -> bytes:
    return json.dumps(values).encode()
