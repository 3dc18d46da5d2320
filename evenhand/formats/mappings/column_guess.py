"""Columns of a table that are given to fields one by one."""

from collections.abc import Sequence

from evenhand.formats.mappings.column_values import ColumnValues, words_of

# Usual names of columns by field, the surest first.
FIELD_NAMES = {
    "context": "context_id prompt_id question_id pair_id doc_id document_id article_id item_id example_id instance_id "
    "sample_id task_id context item id idx index uid",
    "context_text": "context_text prompt instruction question input article document source dialogue dialog query post "
    "passage context user_prompt task src story_prompt text_input",
    "subset": "subset category domain topic dataset split source section task_type",
    "reference": "reference gold reference_text gold_answer ground_truth target highlights",
    "candidate": "candidate candidate_id response_id output_id summary_id answer_id",
    "system": "system model generator model_name system_name system_id model_id method team author",
    "text": "text response output answer summary completion generation candidate_text story translation hypothesis "
    "model_output generated_text reply prediction",
    "rater": "rater annotator annotator_id rater_id worker worker_id judge user_id labeler evaluator participant",
    "attribute": "attribute dimension aspect criterion metric quality",
    "score": "score rating value human_score",
    "choice": "choice winner preference preferred label better vote verdict judgment judgement best human_preference "
    "overall_preference result",
    "chosen": "chosen chosen_response preferred_response",
    "rejected": "rejected rejected_response dispreferred_response",
}
SIDES = (("a", "b"), ("1", "2"), ("first", "second"), ("left", "right"), ("0", "1"))

Sides = Sequence[tuple[str, str]]


class ColumnGuess:
    """The fields found so far, and the columns that are still free."""

    def __init__(self, columns: Sequence[ColumnValues]) -> None:
        self.free = list(columns)
        self.fields: dict[str, str] = {}
        self.choices: dict[str, tuple[str, ...]] = {}
        self.taken: dict[str, ColumnValues] = {}

    def take(self, field: str, column: ColumnValues | None) -> ColumnValues | None:
        """Give a column to a field. Without a column nothing happens."""
        if column is not None:
            self.free.remove(column)
            self.fields[field] = column.name
            self.taken[field] = column
        return column

    def named(self, field: str, among: Sequence[ColumnValues] | None = None) -> ColumnValues | None:
        """Return the free column with the surest name for a field."""
        by_words = {column.words: column for column in reversed(self.free if among is None else among)}
        return next((by_words[name] for name in FIELD_NAMES[field].split() if name in by_words), None)

    def take_named(self, field: str, among: Sequence[ColumnValues] | None = None) -> ColumnValues | None:
        return self.take(field, self.named(field, among))

    def take_sides(
        self, first: str, second: str, stems: str, *, texts_only: bool = False, sides: Sides = SIDES, bare: Sides = ()
    ) -> ColumnValues | None:
        """Give two columns such as `response_a` and `response_b` to two fields. Return the first of them."""
        found = find_sides(self.free, stems, texts_only=texts_only, sides=sides, bare=bare)
        if found:
            self.take(first, found[0])
            self.take(second, found[1])
        return found[0] if found else None

    def free_numbers(self) -> list[ColumnValues]:
        return [column for column in self.free if column.is_numeric]

    def free_names(self) -> list[ColumnValues]:
        """Return the free columns of a few short values, as names of subsets and attributes are."""
        return [one for one in self.free if not one.is_text and not one.is_numeric and not one.is_unique]


def names_field(name: str, field: str) -> bool:
    """Return True for a usual name of a field's column."""
    return words_of(name) in FIELD_NAMES[field].split()


def find_sides(
    columns: Sequence[ColumnValues], stems: str, *, texts_only: bool = False, sides: Sides = SIDES, bare: Sides = ()
) -> tuple[ColumnValues, ColumnValues] | None:
    """Return two columns that differ only in their side.

    texts_only: with texts, any stem will do if none is known. bare: names without a stem that will do, too.
    """
    by_words = {column.words: column for column in columns}
    known = [(stem, side) for stem in stems.split() for side in sides]
    names = [(f"{stem}_{first}", f"{stem}_{second}") for stem, (first, second) in known]
    names += [(f"{first}_{stem}", f"{second}_{stem}") for stem, (first, second) in known]
    if texts_only:
        texts = [column.words for column in columns if column.is_text]
        names += [(name, name.removesuffix(a) + b) for name in texts for a, b in sides if name.endswith(a)]
    for first, second in (*names, *bare):
        if first in by_words and second in by_words and not (texts_only and by_words[first].is_numeric):
            return by_words[first], by_words[second]
    return None
