"""Writing a dataset and reading it back."""

import json
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from evenhand.formats import (
    AttributeRecord,
    CandidateRecord,
    ContextRecord,
    DatasetRecord,
    SourceFile,
    VoteRecord,
    read_dataset,
    write_dataset,
)
from evenhand.formats.checked_rows import clean_name
from tests.evenhand.formats.small_files import many_examples

# Whatever UTF-8 can hold but U+0000, among it separators, emoji, quotes and combining characters.
texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20)
labels = texts.map(clean_name)  # a name, or none
names = labels.filter(bool)
LARGEST = 1e50
numbers = st.floats(-LARGEST, LARGEST)


@st.composite
def attribute_records(draw) -> AttributeRecord:
    minimum, maximum = sorted(draw(st.tuples(numbers, numbers).filter(lambda pair: pair[0] != pair[1])))
    return AttributeRecord(
        name=draw(names),
        adjective=draw(labels),
        definition=draw(texts),
        minimum=draw(st.sampled_from([None, minimum])),
        maximum=draw(st.sampled_from([None, maximum])),
    )


@st.composite
def candidate_records(draw, attributes: list[AttributeRecord]) -> CandidateRecord:
    def score(attribute: AttributeRecord) -> st.SearchStrategy[float]:
        minimum = -LARGEST if attribute.minimum is None else attribute.minimum
        return st.floats(minimum, LARGEST if attribute.maximum is None else attribute.maximum)

    def some(values: dict) -> dict:
        return draw(st.fixed_dictionaries({}, optional=values))

    raters = {one.name: st.dictionaries(names, score(one), min_size=1, max_size=3) for one in attributes}
    return CandidateRecord(
        key=draw(names),
        text=draw(texts),
        system=draw(labels),
        scores=some({one.name: score(one) for one in attributes}),
        ratings=some(raters),
    )


@st.composite
def context_records(draw, attributes: list[AttributeRecord]) -> ContextRecord:
    candidates = draw(st.lists(candidate_records(attributes), min_size=1, max_size=3, unique_by=lambda one: one.key))
    votes: st.SearchStrategy[list[VoteRecord]] = st.just([])
    if attributes and len(candidates) > 1:
        pairs = st.permutations([one.key for one in candidates])
        vote = st.builds(
            lambda attribute, pair, *answer: VoteRecord(attribute.name, pair[0], pair[1], *answer),
            st.sampled_from(attributes),
            pairs,
            st.sampled_from(["first", "second", "tie", "both-bad", "cannot-judge"]),
            names,
            *(st.none() | st.floats(0, LARGEST),) * 2,  # strength and confidence
            texts,
            st.none() | st.floats(0, LARGEST),  # seconds
            *(labels, texts, st.booleans()),
        )
        votes = st.lists(vote, max_size=3)
    return ContextRecord(
        key=draw(names),
        text=draw(texts.filter(str.strip)),
        subset=draw(labels.filter(lambda subset: subset != "all")),
        reference=draw(texts),
        candidates=tuple(candidates),
        votes=tuple(draw(votes)),
    )


@st.composite
def dataset_records(draw) -> DatasetRecord:
    attributes = draw(st.lists(attribute_records(), max_size=3, unique_by=lambda one: one.name))
    contexts = st.lists(context_records(attributes), min_size=1, max_size=3, unique_by=lambda one: one.key)
    return DatasetRecord(
        description=draw(texts),
        licence=draw(texts),
        context_noun=draw(labels),
        candidate_noun=draw(labels),
        attributes=tuple(attributes),
        contexts=tuple(draw(contexts)),
    )


@many_examples
@given(dataset_records())
def test_write_dataset_loses_nothing_keeps_the_order_and_writes_no_line_separator_inside_a_line(record):
    lines = list(write_dataset(record))

    copy = read_dataset([SourceFile("export.jsonl", "".join(lines).encode())])

    assert "".join(lines).splitlines(keepends=True) == lines
    # as text, because equal dictionaries may differ in their order
    assert str(replace(copy, contexts=tuple(copy.contexts))) == str(record)


def test_write_dataset_writes_the_documented_keys():
    record = DatasetRecord(
        description="d",
        attributes=(AttributeRecord("overall", minimum=1.0, maximum=5.0),),
        contexts=(
            ContextRecord(
                key="c",
                text="“t”\u2028🙂",
                candidates=(
                    CandidateRecord("a", "", ratings={"overall": {"r1": 4.0, "r2": 4.5}}),
                    CandidateRecord("b", "x", system="M", scores={"overall": 4.25}),
                ),
                votes=(VoteRecord("overall", "a", "b", "tie", "h"),),
            ),
        ),
        format="hanna",
    )

    header, line = write_dataset(record)

    assert header == (
        '{"dataset": {"description": "d", "attributes": [{"name": "overall", "minimum": 1, "maximum": 5}]}}\n'
    )
    assert line == (
        '{"context": "c", "text": "“t”\\u2028🙂", "candidates": ['
        '{"candidate": "a", "text": "", "ratings": {"overall": {"r1": 4, "r2": 4.5}}}, '
        '{"candidate": "b", "system": "M", "text": "x", "scores": {"overall": 4.25}}], '
        '"votes": [{"attribute": "overall", "first": "a", "second": "b", "choice": "tie", "rater": "h"}]}\n'
    )


def test_write_dataset_writes_no_score_for_ratings():
    ratings = {"overall": {"r1": 4.0, "r2": 5.0}}
    record = DatasetRecord(
        attributes=(AttributeRecord("overall"),),
        contexts=(ContextRecord("c", "t", candidates=(CandidateRecord("a", "x", ratings=ratings),)),),
    )

    header, line = write_dataset(record)

    assert json.loads(line)["candidates"] == [{"candidate": "a", "text": "x", "ratings": ratings}]
    copy = read_dataset([SourceFile("export.jsonl", (header + line).encode())])
    assert copy == replace(record, format="evenhand")
