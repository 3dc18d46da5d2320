"""The layouts of tables: the fields of their columns, those that a table needs, and the meanings of its choices.

A field that ends in a colon is followed by a name: `score:NAME`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import get_args

from evenhand.formats.records import VoteChoice

CONTEXT_FIELDS = ("context", "context_text", "messages", "subset", "field:", "reference")
PAIR_FIELDS = ("text_first", "text_second", "system_first", "system_second")
CHOICE_FIELDS = ("choice", "choice:", "vote:", "won:first", "won:second", "won:tie", "rater", "attribute")
MEANINGS = (*get_args(VoteChoice), "none")  # none: such a line has no vote
# Contexts and candidates may be named by their texts or systems, which the dataset is searched for.
NAMED_BY: Mapping[str, tuple[str, ...]] = {
    "context": ("context_text",),
    "first": ("text_first", "system_first"),
    "second": ("text_second", "system_second"),
    "candidate": ("candidate_text", "system"),
}
_THINKING = ("problem", "thinking_tokens", "thinking")


@dataclass(frozen=True, slots=True)
class TableLayout:
    """Fields of a kind of table. needed: of each group, one field has a column. meanings: of choices."""

    fields: tuple[str, ...]
    needed: tuple[tuple[str, ...], ...] = ()
    meanings: tuple[str, ...] = MEANINGS


@dataclass(frozen=True, slots=True)
class RecordedColumns:
    """The columns of a file of recorded judgments, and the layout of other tables that hold them.

    noun: comparisons, scores, ratings or votes. ignored: exports write them for people to read.
    answers: a line with none of these is unparsed. meanings: of choices.
    in_replies: the answers are in the texts of replies.
    named_by: required column -> the fields of a mapping that may take its place.
    """

    noun: str
    required: tuple[str, ...]
    optional: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    meanings: tuple[str, ...] = ()
    in_replies: bool = False
    named_by: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: NAMED_BY)

    @property
    def title(self) -> str:
        """The noun, and where the answers are if they have no columns of their own."""
        return f"{self.noun} in replies" if self.in_replies else self.noun

    @property
    def layout(self) -> str:
        """The name of the layout of mappings to these columns."""
        return f"recorded-{self.noun}{'-in-replies' if self.in_replies else ''}"

    @property
    def needed(self) -> tuple[str, ...]:
        """The columns that every file has. A dataset may have only one attribute."""
        return tuple(name for name in self.required if name != "attribute")

    def all(self) -> tuple[str, ...]:
        return (*self.required, *self.optional, *self.ignored)

    def table_layout(self) -> TableLayout:
        groups = {name: (name, *self.named_by.get(name, ())) for name in self.required}
        fields = [*(one for group in groups.values() for one in group), *self.optional, "messages"]
        needed = [groups[name] for name in self.needed]
        if not {*self.answers} <= {*self.required}:
            needed.append(self.answers)
        return TableLayout(tuple(dict.fromkeys(fields)), tuple(needed), self.meanings)

    def of_replies(self) -> "RecordedColumns":
        """Return the columns of a file with replies in place of the columns of answers."""
        return RecordedColumns(
            self.noun,
            required=(*(name for name in self.required if name not in self.answers), "reply"),
            optional=("judge", "prompt", "method", "error"),
            in_replies=True,
        )


VOTE_DETAILS = (
    *("strength", "confidence", "comment", "seconds", "campaign", "guidelines", "excluded", "purpose"),
    *("reading_aids", "gold_answer", "voted_at", "exclude_reason"),
)
RECORDED_COMPARISON_COLUMNS = RecordedColumns(
    noun="comparisons",
    required=("context", "attribute", "first", "second"),
    optional=(
        *("p_first", "choice", "judge", "prompt", "method", "text", "raw_first", "raw_second", "raw_tie", "error"),
        *("p_first_before", *_THINKING),
    ),
    ignored=(
        *("decision", "drawn", "prompt_text", "answer_prefix", "label_first", "label_second", "label_tie"),
        *("samples_first", "samples_second", "samples_tie", "samples_unparsed", "temperature", "reasonings_cut"),
    ),
    answers=("p_first", "choice"),
    meanings=("first", "second", "tie", "unparsed", "error"),
)
RECORDED_SCORE_COLUMNS = RecordedColumns(
    noun="scores",
    required=("context", "attribute", "candidate", "score"),
    optional=("judge", "prompt", "method", "text", "error", "score_before", *_THINKING),
    ignored=(
        *("prompt_text", "answer_prefix", "label_first", "label_second"),
        *("samples_read", "samples_unparsed", "temperature", "reasonings_cut"),
    ),
    answers=("score",),
)
RECORDED_RATING_COLUMNS = RecordedColumns("ratings", ("context", "attribute", "candidate", "rater", "score"))
RECORDED_VOTE_COLUMNS = RecordedColumns(
    noun="votes",
    required=("context", "attribute", "first", "second", "choice", "rater"),
    optional=(*VOTE_DETAILS, "occurrence"),
    ignored=(  # of files with skipped pairs or answers of judges, which `export_votes` writes on request
        *("rater_type", "p_first", "run", "prompt", "skip_reason", "changes"),
        *("shown_at", "changed_at", "first_system", "second_system"),
    ),
    meanings=get_args(VoteChoice),
    named_by={**NAMED_BY, "choice": ("choice:", "vote:"), "rater": ("vote:",)},
)
REPLY_COLUMNS: Mapping[str, RecordedColumns] = {
    columns.noun: columns.of_replies() for columns in (RECORDED_COMPARISON_COLUMNS, RECORDED_SCORE_COLUMNS)
}
"""The columns of files with replies, for comparisons and for scores."""

DATASET_LAYOUTS: Mapping[str, TableLayout] = {
    "candidates": TableLayout(
        (*CONTEXT_FIELDS, "candidate", "system", "text", "score:", "rater", "attribute", "score"), (("text",),)
    ),
    "wide": TableLayout((*CONTEXT_FIELDS, "text:", "score:"), (("text:",),)),
    "pairs": TableLayout(
        (*CONTEXT_FIELDS, *PAIR_FIELDS, "chosen", "rejected", *CHOICE_FIELDS),
        (("text_first", "chosen", "system_first"), ("text_second", "rejected", "system_second")),
    ),
    "votes": TableLayout((*CONTEXT_FIELDS, "first", "second", *PAIR_FIELDS, *CHOICE_FIELDS), (("first",), ("second",))),
}
LOG_LAYOUTS: Mapping[str, TableLayout] = {"": TableLayout(("context_text", *PAIR_FIELDS))}
"""Logs of annotation tools have no layout, but a person may name some of their fields."""
RECORDED_LAYOUTS: Mapping[str, TableLayout] = {
    columns.layout: columns.table_layout()
    for columns in (
        *(RECORDED_COMPARISON_COLUMNS, RECORDED_SCORE_COLUMNS, RECORDED_RATING_COLUMNS, RECORDED_VOTE_COLUMNS),
        *REPLY_COLUMNS.values(),
    )
}
LAYOUTS: Mapping[str, TableLayout] = {**DATASET_LAYOUTS, **LOG_LAYOUTS, **RECORDED_LAYOUTS}
