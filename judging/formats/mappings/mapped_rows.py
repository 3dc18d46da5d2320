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
from judging.formats.mappings.cell_texts import Conversation, looks_structured, plain_text, read_conversation
from judging.formats.mappings.reading_notes import ReadingNotes
from judging.formats.mappings.table_mapping import JOINED_BY, TableMapping

ANSWER_FIELDS = ("text", "text_first", "chosen", "text_second", "rejected", "candidate_text")


def is_answer(field: str) -> bool:
    """Return True for a field with the text of a candidate."""
    return field in ANSWER_FIELDS or field.startswith("text:")


def is_text_field(field: str) -> bool:
    """Return True for a field with a text, not a name."""
    return field in ("context_text", "reference") or is_answer(field)


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
        text = self.read_text(field)
        return self._checked(field, text, may_be_empty=may_be_empty, max_length=max_length)

    def read_text(self, field: str) -> str | None:
        """Return the text of a field, unchecked; None if a cell is no text. The cells of several columns are joined."""
        columns = self.mapping.columns_of(field) if field in JOINED_BY else [self.mapping.columns[field]]
        texts = [self._read_cell(field, column) for column in columns]
        known = [text for text in texts if text is not None]
        return JOINED_BY.get(field, "").join(filter(None, known)) if len(known) == len(texts) else None

    def _read_cell(self, field: str, column: str) -> str | None:
        value = self.row.values.get(column)
        if value is None:
            return ""
        if found := self.find_conversation(field, column):
            if found.nulls:
                self.notes.add_cell(column, "with a message that is null, read as empty", self.row, value)
            return found.prompt if field == "context_text" else found.answer
        if is_text_field(field) and (isinstance(value, list) or (isinstance(value, str) and looks_structured(value))):
            self._note_structure(column, value)
        return plain_text(value)

    def find_conversation(self, field: str, column: str) -> Conversation | None:
        """Return the conversation in a cell. A text is one only where the mapping or the layout says so.

        The layout says so of chosen and rejected texts, and of texts without a column for the context's text.
        """
        value, is_declared = self.row.values.get(column), column in self.mapping.columns_of("messages")
        is_by_layout = field in ("chosen", "rejected") or "context_text" not in self.mapping.columns
        may_be_one = is_declared or is_by_layout or not isinstance(value, str)
        return read_conversation(value, is_declared=is_declared) if is_text_field(field) and may_be_one else None

    def _note_structure(self, column: str, value: object) -> None:
        """Note a cell that is read as plain text, and how it is read as a conversation if it may be one."""
        is_declared = column in self.mapping.columns_of("messages")
        other = None if is_declared else read_conversation(value, is_declared=True)
        advice = f"; for conversations, use --map messages={column}" if other else ""
        fact = f"like a list or a conversation, read as plain text{advice}"
        self.notes.add_cell(column, fact, self.row, value, (other.answer or other.prompt) if other else None)

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
        """Return the context's text, or else the prompt of the first conversation on the line; "" if there is none."""
        if "context_text" in self.mapping.columns:
            return self.text("context_text", may_be_empty=False)
        for field, column in self.mapping.columns.items():
            if is_answer(field) and (found := self.find_conversation(field, column)) and found.has_both:
                return self._checked(field, found.prompt, may_be_empty=False)
        if self.mapping.layout == "candidates" and "context" not in self.mapping.columns:
            expected = "a column for context or context_text, or conversations with a prompt"
            self.row.add_problem("", "no context", expected, most=1)
        self.notes.lines_without_context += any(map(is_answer, self.mapping.columns))
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
        """Return the context of this line. Lines with the same identifier, or else the same text, share one.

        Other texts that are not read, such as an `input` next to the instruction, are noted where they differ.
        """
        context = self._find_or_add_context(draft)
        for column in self.notes.unread_texts:
            value = plain_text(self.row.values.get(column)) or ""
            if context.differs_in(column, value):
                advice = f"if it is part of the context's text, add --map context_text={column}"
                self.notes.add_cell(
                    column, f"other than on the first line of its context, not read; {advice}", self.row, value
                )
        return context

    def _find_or_add_context(self, draft: DatasetDraft) -> ContextDraft:
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
            is_open = self.find_conversation(field, column) is not None
            expected = "a conversation that ends with an answer, not with the user" if is_open else "a text"
            value = self.value(field)
            if not is_open and isinstance(value, list) and any(isinstance(one, dict) for one in value):
                expected = "a text; write the objects of a list of candidates on lines of their own"
            self.row.add_problem(column, describe_value(value), expected)
            return ""
        return self.row.check_text(column, text, may_be_empty=may_be_empty, max_length=max_length)
