"""The form of a mapping: a layout, the field of each column, and the meaning of each choice."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from django import forms
from django.utils.text import Truncator

from evenhand.file_problems import describe_value
from evenhand.formats import (
    DATASET_LAYOUTS,
    LAYOUTS,
    ColumnValues,
    TableMapping,
    guess_meanings,
    is_number,
    list_choices,
    missing_fields,
    number_columns,
    option_of,
    scores_without_system,
    split_field,
)

LAYOUT_TITLES = {
    "candidates": "one candidate per line",
    "wide": "one context per line, with a column for each system",
    "pairs": "one pair per line, with a winner",
    "votes": "one vote per line, on candidates with identifiers",
}
FIELD_TITLES = {
    "context": "identifier of the context",
    "context_text": "text of the context",
    "messages": "conversations",
    "subset": "subset",
    "field:": "what else is known of the context, named …",
    "reference": "reference text",
    "candidate": "identifier of the candidate",
    "system": "system that wrote the candidate",
    "text": "text of the candidate",
    "score:": "human score, named …",
    "rater": "rater",
    "attribute": "attribute of this line",
    "score": "score on the attribute of this line",
    "text:": "texts of the system named …",
    "text_first": "first text",
    "text_second": "second text",
    "system_first": "system of the first text",
    "system_second": "system of the second text",
    "chosen": "chosen text",
    "rejected": "rejected text",
    "choice": "choice of the better text",
    "vote:": "choice of the rater named …",
    "choice:": "choice on the question named …",
    "won:first": "1 if the first text won",
    "won:second": "1 if the second text won",
    "won:tie": "1 if it was a tie",
    "candidate_text": "text of the candidate",
    "first": "identifier of the first candidate",
    "second": "identifier of the second candidate",
    "p_first": "probability that the first is better",
    "p_first_before": "p_first of the same question without thinking",
    "score_before": "score of the same question without thinking",
    "thinking": "thinking of the judge",
    "thinking_tokens": "number of tokens that the judge thought",
    "problem": "problem of the answer",
    "prompt": "name of the prompt",
    "method": "method",
    "judge": "judge",
    "reply": "whole reply of the judge, with the answer",
    "error": "error of the judge",
    "raw_first": "log-probability of the first",
    "raw_second": "log-probability of the second",
    "raw_tie": "log-probability of a tie",
    "strength": "strength of the preference",
    "confidence": "confidence",
    "comment": "comment",
    "seconds": "seconds on the pair",
    "campaign": "campaign",
    "guidelines": "guidelines",
    "purpose": "purpose of the vote (ordinary, gold, repeat …)",
    "reading_aids": "reading aids that the rater used (differences, scrolling)",
    "gold_answer": "known answer of a gold pair (first, second or tie)",
    "voted_at": "time of the vote (UTC)",
    "exclude_reason": "reason why the vote is excluded",
    "excluded": "excluded: true or false",
    "occurrence": "number of the rater's vote on the pair, from 0",
}
RECORDED_TITLES = {"text": "reply of the judge", "score": "score", "context": "identifier of the context"}
MEANING_TITLES = {
    "first": "the first text",
    "second": "the second text",
    "tie": "a tie",
    "both-bad": "both are bad",
    "cannot-judge": "cannot judge",
    "none": "no vote",
    "unparsed": "not readable",
    "error": "an error",
}
EXAMPLES = 3
_BY_NAME = re.compile(r"by-name:([0-9]{1,5}):([0-9]{1,5})")


@dataclass(frozen=True, slots=True)
class MappingForm:
    """The fields of a mapping page. columns: with their first values, in the order of the file."""

    mapping: TableMapping
    columns: Sequence[ColumnValues]
    form: forms.Form

    def column_rows(self) -> list[dict[str, object]]:
        """Return name, examples, and the two inputs of each column."""
        return [
            {
                "name": column.name,
                "examples": column.distinct[:EXAMPLES],
                "field": self.form[f"column-{number}"],
                "label": self.form[f"name-{number}"] if f"name-{number}" in self.form.fields else None,
                "messages": self.form[f"messages-{number}"] if f"messages-{number}" in self.form.fields else None,
            }
            for number, column in enumerate(self.columns)
        ]

    @property
    def choice_columns(self) -> list[str]:
        return [column.name for column in _choice_columns(self.mapping, self.columns)]

    def value_rows(self) -> list[dict[str, object]]:
        """Return value and input of each choice."""
        values = choice_values(self.mapping, self.columns)
        return [{"value": value, "field": self.form[f"meaning-{number}"]} for number, value in enumerate(values)]


def make_mapping_form(mapping: TableMapping, columns: Sequence[ColumnValues]) -> MappingForm:
    """Return the form that shows a mapping."""
    form = forms.Form()
    form.fields["layout"] = forms.ChoiceField(
        label="Layout", choices=list(LAYOUT_TITLES.items()), initial=mapping.layout
    )
    conversations = mapping.columns_of("messages")
    field_of = {
        column: field for field, column in reversed([*mapping.columns.items()]) if option_of(field) != "messages"
    }
    for number, column in enumerate(columns):
        kind, name = split_field(field_of.get(column.name, ""), mapping.layout)
        form.fields[f"column-{number}"] = _select(
            f"Meaning of {column.name}", {"": "ignored", **_field_titles(mapping.layout)}, kind
        )
        if kind.endswith(":"):
            form.fields[f"name-{number}"] = forms.CharField(label=f"Name for {column.name}", initial=name)
        if column.as_conversation or column.name in conversations:
            example = Truncator(column.as_conversation).chars(90)
            form.fields[f"messages-{number}"] = forms.BooleanField(
                label=f"Conversations: “{example}”", initial=column.name in conversations, required=False
            )
    for number, value in enumerate(choice_values(mapping, columns)):
        titles = _meaning_titles(mapping, columns)
        by_name = next((one for one in titles if one.startswith("by-name")), "") if mapping.sides_by_name else ""
        initial = mapping.meaning_of(value) or ("" if value in LAYOUTS[mapping.layout].meanings else by_name)
        form.fields[f"meaning-{number}"] = (
            forms.CharField(label=f"Number for {value}, or none", initial=initial, required=False)
            if mapping.has_scores
            else _select(f"Meaning of {value}", titles, initial)
        )
    return MappingForm(mapping, columns, form)


def read_posted_mapping(
    data: Mapping[str, str], columns: Sequence[ColumnValues], *, layout: str = ""
) -> tuple[TableMapping, list[str]]:
    """Return the mapping that a form holds, and what is wrong with it. layout: "" for the one that was posted.

    A column that was just mapped to `score:` or `text:` has no name yet. It is named like the column.
    """
    layout, is_fixed = layout or data.get("layout", ""), bool(layout)
    if not is_fixed and layout not in DATASET_LAYOUTS:
        return TableMapping("candidates"), [f"layout: {describe_value(layout)} is not in the list"]
    fields: dict[str, str] = {}
    problems = []
    for field, column in number_columns(_posted_columns(data, columns)):
        if field in fields:
            title = field_title(field, layout)
            problems.append(f"{title}: {fields[field]} and {column}; choose one column")
        else:
            fields[field] = column
    mapping = TableMapping(layout, fields, {})
    mapping = TableMapping(layout, fields, _posted_choices(data, mapping, columns)).in_order()
    return mapping, [*problems, *_incomplete(mapping)]


def _posted_columns(data: Mapping[str, str], columns: Sequence[ColumnValues]) -> Iterator[tuple[str, str]]:
    """Yield the fields of each column: what was chosen for it, and whether it holds conversations."""
    for number, column in enumerate(columns):
        field = data.get(f"column-{number}", "")
        if field.endswith(":"):
            field += data.get(f"name-{number}", "").strip() or column.label
        if field:
            yield field, column.name
        if data.get(f"messages-{number}"):
            yield "messages", column.name


def _incomplete(mapping: TableMapping) -> Iterator[str]:
    """Yield what a mapping of the form still lacks."""
    for names in missing_fields(mapping):
        yield f"{' or '.join(FIELD_TITLES[name] for name in names)}: choose a column"
    for name in scores_without_system(mapping):
        yield f"{name}: name the score SYSTEM:SCORE, with the name of a system"
    for name in mapping.columns:
        if "=" in name:
            yield f"{name.partition(':')[2]}: a name may not contain the sign ="
    if mapping.layout in DATASET_LAYOUTS and mapping.choice_columns and not mapping.choices:
        yield "choices: choose what they mean"


def field_title(field: str, layout: str) -> str:
    """Return the title of a field, or the name of a score or system."""
    kind, name = split_field(field, layout)
    return name or FIELD_TITLES[kind]


def choice_values(mapping: TableMapping, columns: Sequence[ColumnValues]) -> list[str]:
    """Return the first values of the columns of choices."""
    return list_choices(_choice_columns(mapping, columns))


def _posted_choices(
    data: Mapping[str, str], mapping: TableMapping, columns: Sequence[ColumnValues]
) -> dict[str, tuple[str, ...]]:
    """Return the meanings of the form's choices. Those of another column than before are guessed."""
    choice_columns = _choice_columns(mapping, columns)
    if data.get("choice-columns") != ", ".join(column.name for column in choice_columns):
        if mapping.has_scores:
            return {}
        by_name = {column.name: column for column in columns}
        return guess_meanings(choice_columns, {field: by_name[name] for field, name in mapping.columns.items()})
    choices: dict[str, tuple[str, ...]] = {}
    for number, value in enumerate(choice_values(mapping, columns)):
        meaning = data.get(f"meaning-{number}", "").strip()
        if names := _BY_NAME.fullmatch(meaning):
            sides = [columns[int(number)].name for number in names.groups() if int(number) < len(columns)]
            choices |= {"first": (f"@{sides[0]}",), "second": (f"@{sides[1]}",)} if len(sides) == 2 else {}
        elif meaning in LAYOUTS[mapping.layout].meanings or (mapping.has_scores and is_number(meaning)):
            choices[meaning] = (*choices.get(meaning, ()), value)
    return choices


def _choice_columns(mapping: TableMapping, columns: Sequence[ColumnValues]) -> list[ColumnValues]:
    """Return the columns of choices, and those of scores in words."""
    words = [column.name for column in columns if not column.is_numeric and column.name in mapping.columns_of("score")]
    return [column for column in columns if column.name in (*mapping.choice_columns, *words)]


def _field_titles(layout: str) -> dict[str, str]:
    if layout not in DATASET_LAYOUTS:
        return {name: (FIELD_TITLES | RECORDED_TITLES)[name] for name in LAYOUTS[layout].fields if name != "messages"}
    titles = {field: FIELD_TITLES[field] for field in LAYOUTS[layout].fields if field != "messages"}
    return titles | ({"score:": "human score, named SYSTEM:SCORE …"} if layout == "wide" else {})


def _meaning_titles(mapping: TableMapping, columns: Sequence[ColumnValues]) -> dict[str, str]:
    """Return the meanings of a choice with their titles. A choice may name the winner, as two columns have it."""
    numbers = {column.name: number for number, column in enumerate(columns)}
    fields = mapping.columns
    pairs = [tuple(mapping.sides_by_name.get(side, "") for side in ("first", "second"))]
    pairs += [(fields.get(f"{kind}first", ""), fields.get(f"{kind}second", "")) for kind in ("", "system_")]
    by_name = {
        f"by-name:{numbers[first]}:{numbers[second]}": f"the name of the winner, in {first} or {second}"
        for first, second in pairs
        if first in numbers and second in numbers
    }
    start = "choose …" if mapping.layout in DATASET_LAYOUTS else "as in the file"
    return {"": start, **{one: MEANING_TITLES[one] for one in LAYOUTS[mapping.layout].meanings}, **by_name}


def _select(label: str, titles: Mapping[str, str], initial: str) -> forms.ChoiceField:
    return forms.ChoiceField(label=label, choices=list(titles.items()), initial=initial, required=False)
