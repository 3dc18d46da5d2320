"""One line of a table, read by the names of fields instead of columns."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evenhand.file_problems import describe_value
from evenhand.formats.checked_rows import MAX_KEY_LENGTH, MAX_NAME_LENGTH, CheckedRow
from evenhand.formats.datasets.dataset_draft import (
    RESERVED_SUBSET,
    RESERVED_SUBSET_ADVICE,
    ContextDraft,
    DatasetDraft,
    read_field,
)
from evenhand.formats.mappings.cell_texts import (
    Conversation,
    is_missing_score,
    looks_structured,
    plain_text,
    read_conversation,
)
from evenhand.formats.mappings.table_mapping import JOINED_BY, TableMapping, is_number

_OR_NO_SCORE = ", or an empty cell for no score; for words: --choice NUMBER=WORD"
ANSWER_FIELDS = ("text", "text_first", "chosen", "text_second", "rejected", "candidate_text")


def is_answer(field: str) -> bool:
    """Return True for a field with the text of a candidate."""
    return field in ANSWER_FIELDS or field.startswith("text:")


def is_text_field(field: str) -> bool:
    """Return True for a field with a text, not a name."""
    return field in ("context_text", "reference") or is_answer(field)


@dataclass(frozen=True, slots=True)
class MappedRow:
    """A row and its mapping. Problems name the column.

    unread_texts: columns that are not read, but are named as the texts of contexts are.
    """

    row: CheckedRow
    mapping: TableMapping
    unread_texts: Sequence[str] = ()

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
                self.row.count(f"{column}: cells with a message that is null, read as empty", describe_value(value))
            return found.prompt if field == "context_text" else found.answer
        if is_text_field(field) and (isinstance(value, list) or (isinstance(value, str) and looks_structured(value))):
            self._note_structure(column, value)
        return plain_text(value)

    def find_conversation(self, field: str, column: str) -> Conversation | None:
        """Return the conversation in a cell. A text is one only where the mapping or the layout says so.

        The layout says so of chosen and rejected texts, and of texts without a column for the context's text.
        """
        if not is_text_field(field):
            return None
        value, is_declared = self.row.values.get(column), column in self.mapping.columns_of("messages")
        is_by_layout = field in ("chosen", "rejected") or "context_text" not in self.mapping.columns
        may_be_one = is_declared or is_by_layout or not isinstance(value, str)
        return read_conversation(value, is_declared=is_declared) if may_be_one else None

    def _note_structure(self, column: str, value: object) -> None:
        """Note a cell that is read as plain text, and how it is read as a conversation if it may be one."""
        is_declared = column in self.mapping.columns_of("messages")
        other = None if is_declared else read_conversation(value, is_declared=True)
        advice = f" (for conversations: --map messages={column})" if other else ""
        or_else = f" or {describe_value(other.answer or other.prompt)}" if other else ""
        fact = f"cells like a list or a conversation, read as plain text{advice}"
        self.row.count(f"{column}: {fact}", f"{describe_value(value)}{or_else}")

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
        if any(map(is_answer, self.mapping.columns)):
            self.row.count("lines without a text of the context")
        return ""

    def subset(self) -> str:
        subset = self.text("subset", max_length=MAX_NAME_LENGTH)
        if subset == RESERVED_SUBSET:
            self.add_problem("subset", describe_value(subset), RESERVED_SUBSET_ADVICE)
        return subset

    def fields(self) -> dict[str, str]:
        """Return name -> value of the context's further fields. An empty cell is no value."""
        return {
            name: read_field(self.row, column, name, self.text(f"field:{name}"))
            for name, column in self.mapping.named("field:").items()
            if self.has(f"field:{name}")
        }

    def context_values(self) -> dict[str, Any]:
        """Return what the line says of its context, except its identifier."""
        texts = {"text": self.context_text(), "subset": self.subset(), "reference": self.text("reference")}
        return {**texts, "fields": self.fields()}

    def find_or_add_context(self, draft: DatasetDraft) -> ContextDraft:
        """Return the context of this line. Lines with the same identifier, or else the same text, share one.

        Other texts that are not read, such as an `input` next to the instruction, are noted where they differ.
        """
        values = self.context_values()
        if "context" not in self.mapping.columns:
            source = f"{values['subset']}\0{values['text']}" if values["text"] else ""
            context = draft.context_of_source(self.row, source, **values)
        else:
            key = self.key("context")
            earlier = draft.find_context(key) if key else None
            context = earlier or draft.add_context(self.row, "context", key=key, **values)
        self._require_same(context, values)
        for column in self.unread_texts:
            value = plain_text(self.row.values.get(column)) or ""
            if context.differs_in(column, value):
                advice = f"if it is part of the context's text: --map context_text={column}"
                fact = f"cells other than on the first line of their context, not read ({advice})"
                self.row.count(f"{column}: {fact}", describe_value(value))
        return context

    def _require_same(self, context: ContextDraft, values: Mapping[str, Any]) -> None:
        """Log where a later line of a context differs from its first. An empty text is no difference."""
        first, columns = context.values, self.mapping.columns
        for name in ("text", "subset", "reference"):
            if values[name]:
                column = columns.get("context_text" if name == "text" else name, "")
                context.require_same(self.row, column, values[name], getattr(first, name))
        for name in {**first.fields, **values["fields"]}:
            value, earlier = values["fields"].get(name, ""), first.fields.get(name, "")
            context.require_same(self.row, columns[f"field:{name}"], value, earlier)

    def score(self, column: str) -> float | None:
        """Return the number in a column of scores; None for no score. A word may mean a number."""
        value = self.row.values.get(column)
        if isinstance(value, str) and (meaning := self.mapping.meaning_of(value)):
            return float(meaning) if is_number(meaning) else None
        if is_missing_score(value):
            self.row.log.count("cells read as no score", describe_value(value))
            return None
        return None if value is None or value == "" else self.row.number(column, or_else=_OR_NO_SCORE)

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
