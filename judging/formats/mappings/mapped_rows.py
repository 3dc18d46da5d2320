"""One line of a table, read by the names of fields instead of columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import field as dataclass_field

from judging.file_problems import describe_value
from judging.formats.checked_rows import MAX_KEY_LENGTH, MAX_NAME_LENGTH, CheckedRow
from judging.formats.datasets.dataset_draft import (
    RESERVED_SUBSET,
    RESERVED_SUBSET_ADVICE,
    ContextDraft,
    DatasetDraft,
    read_field,
)
from judging.formats.mappings.cell_texts import answer_of, is_conversation, prompt_of
from judging.formats.mappings.reading_notes import ReadingNotes
from judging.formats.mappings.table_mapping import TableMapping

ANSWER_FIELDS = ("text", "text_first", "chosen", "text_second", "rejected")


def is_answer(field: str) -> bool:
    """Return True for a field with the text of a candidate."""
    return field in ANSWER_FIELDS or field.startswith("text:")


@dataclass(frozen=True, slots=True)
class MappedRow:
    """A row and its mapping. Problems name the column. notes: of all rows."""

    row: CheckedRow
    mapping: TableMapping
    notes: ReadingNotes = dataclass_field(default_factory=ReadingNotes)

    def has(self, field: str) -> bool:
        """Return True if the field has a column with a value on this line."""
        return self.value(field) not in (None, "")

    def value(self, field: str) -> object:
        return self.row.values.get(self.mapping.columns[field]) if field in self.mapping.columns else None

    def add_problem(self, field: str, value: str, expected: str) -> None:
        self.row.add_problem(self.mapping.columns.get(field, ""), value, expected)

    def text(self, field: str, *, may_be_empty: bool = True, max_length: int | None = None) -> str:
        """Return the text of a field; "" if it has no column."""
        if field not in self.mapping.columns:
            return ""
        value = self.value(field)
        text = "" if value is None else answer_of(value) if is_answer(field) else prompt_of(value)
        return self._checked(field, text, may_be_empty=may_be_empty, max_length=max_length)

    def texts(self, field: str) -> list[str]:
        """Return the texts of a field that may hold several."""
        value = self.value(field)
        if isinstance(value, list) and value and all(isinstance(text, str) for text in value):
            return [self._checked(field, text) for text in value]
        return [self.text(field)]

    def key(self, field: str) -> str:
        """Return an identifier, which may not be empty."""
        return self.text(field, may_be_empty=False, max_length=MAX_KEY_LENGTH)

    def name(self, field: str) -> str:
        """Return the name of a rater or an attribute, which may not be empty."""
        return self.text(field, may_be_empty=False, max_length=MAX_NAME_LENGTH)

    def system(self, field: str) -> str:
        return self.text(field, max_length=MAX_KEY_LENGTH)

    def context_text(self) -> str:
        """Return the context's text, or else the prompt of the first conversation on the line."""
        if "context_text" in self.mapping.columns:
            return self.text("context_text", may_be_empty=False)
        for field in ANSWER_FIELDS:
            if is_conversation(self.value(field)):
                return self._checked(field, prompt_of(self.value(field)), may_be_empty=False)
        expected = "a column for context_text, or conversations with a prompt"
        self.row.add_problem("", "no context", expected, most=1)
        return ""

    def subset(self) -> str:
        subset = self.text("subset", max_length=MAX_NAME_LENGTH)
        if subset == RESERVED_SUBSET:
            self.add_problem("subset", describe_value(subset), RESERVED_SUBSET_ADVICE)
        return subset

    def fields(self) -> dict[str, str]:
        """Return name -> value of the context's further fields. An empty cell is no value."""
        values = {
            name: self.text(f"field:{name}") for name in self.mapping.named("field:") if self.has(f"field:{name}")
        }
        return {
            name: read_field(self.row, self.mapping.columns[f"field:{name}"], name, text)
            for name, text in values.items()
        }

    def find_or_add_context(self, draft: DatasetDraft) -> ContextDraft:
        """Return the context of this line. Lines with the same identifier, or else the same text, share one."""
        text, subset, reference, fields = self.context_text(), self.subset(), self.text("reference"), self.fields()
        if "context" not in self.mapping.columns:
            source = f"{subset}\0{text}" if text else ""
            context = draft.context_of_source(
                self.row, source, text=text, subset=subset, reference=reference, fields=fields
            )
            self._require_same(context, reference=reference)
            self._require_same_fields(context, fields)
            return context
        key = self.key("context")
        earlier = draft.find_context(key) if key else None
        if earlier is None:
            return draft.add_context(
                self.row, "context", key=key, text=text, subset=subset, reference=reference, fields=fields
            )
        self._require_same(earlier, context_text=text, subset=subset, reference=reference)
        self._require_same_fields(earlier, fields)
        return earlier

    def _require_same_fields(self, context: ContextDraft, fields: Mapping[str, str]) -> None:
        first = context.values
        for name in {**first.fields, **fields}:
            if fields.get(name) != first.fields.get(name):
                expected = f"the same as in {first.file}, line {first.line}: it is the same context"
                column = self.mapping.columns[f"field:{name}"]
                self.row.add_problem(column, describe_value(fields.get(name, "")), expected)

    def _require_same(self, context: ContextDraft, **texts: str) -> None:
        first = context.values
        known = {"context_text": first.text, "subset": first.subset, "reference": first.reference}
        for field, text in texts.items():
            if text and text != known[field]:
                column = self.mapping.columns.get(field, "")
                expected = f"the same as in {first.file}, line {first.line}: it is the same context"
                self.row.add_problem(column, describe_value(text), expected)

    def _checked(
        self, field: str, text: str | None, *, may_be_empty: bool = True, max_length: int | None = None
    ) -> str:
        column = self.mapping.columns[field]
        if text is None:
            self.row.add_problem(column, describe_value(self.value(field)), "a text")
            return ""
        return self.row.check_text(column, text, may_be_empty=may_be_empty, max_length=max_length)
