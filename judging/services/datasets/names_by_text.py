"""Find what judgments do not name: the only attribute; contexts and candidates, by their texts or systems."""

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import replace

from evenhand.file_problems import describe_value, list_names
from evenhand.formats import CheckedRow, DiskDictionary, TableMapping
from judging.models import Candidate, Context, Dataset

# Field of a candidate -> the fields of its system and its text.
_CANDIDATES = {
    "first": ("system_first", "text_first"),
    "second": ("system_second", "text_second"),
    "candidate": ("system", "candidate_text"),
}


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
