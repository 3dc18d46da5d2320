"""Guesses of mappings, from the names and values of columns."""

import pytest

from evenhand.formats import UnknownTable, guess_dataset_mapping, read_dataset
from tests.evenhand.formats.people_tables import PEOPLE_TABLES, csv_bytes, json_lines_bytes
from tests.evenhand.formats.small_files import SourceFile

NEITHER = {"both-bad": ("both_bad",), "cannot-judge": ("can't tell",)}
LONG = "A text that is long enough to be one, number {}."


def guess(rows, layout=""):
    return guess_dataset_mapping([SourceFile("d.csv", csv_bytes(rows))], layout)


def pair_rows(*winners, **more):
    return [
        {"prompt": LONG.format(i), "response_a": LONG.format(f"{i}a"), "response_b": LONG.format(f"{i}b")}
        | {"winner": winner}
        | more
        for i, winner in enumerate(winners)
    ]


@pytest.mark.parametrize("make", PEOPLE_TABLES.values(), ids=PEOPLE_TABLES)
def test_files_as_people_have_them_are_read_by_the_guess(make):
    table = make()

    try:
        record = read_dataset([table.file])
    except UnknownTable as unknown:
        record = read_dataset([table.file], mapping=unknown.mapping)

    candidates = [candidate for context in record.contexts for candidate in context.candidates]
    assert (len(record.contexts), len(candidates)) == (table.contexts, table.candidates)
    assert sum(len({*one.scores, *one.ratings}) for one in candidates) == table.scores
    assert sum(len(context.votes) for context in record.contexts) == table.votes
    assert [attribute.name for attribute in record.attributes] == list(table.attributes)
    assert record.ignored == tuple(table.ignored)


@pytest.mark.parametrize(
    ("values", "choices"),
    [
        (("A", "B", "tie"), {"first": ("A",), "second": ("B",), "tie": ("tie",)}),
        (("1", "2", "1"), {"first": ("1",), "second": ("2",)}),
        (("1.0", "2.0", "1.5"), {"first": ("1.0",), "second": ("2.0",), "tie": ("1.5",)}),
        (
            ("model_a", "model_b", "both_bad"),
            {"first": ("model_a",), "second": ("model_b",), "both-bad": ("both_bad",)},
        ),
        (("A>B", "B>>A", "A=B"), {"first": ("A>B",), "second": ("B>>A",), "tie": ("A=B",)}),
        (
            ("Response A is better", "B wins", "same"),
            {"first": ("Response A is better",), "second": ("B wins",)} | {"tie": ("same",)},
        ),
        (("0", "1", "0"), {}),
        (("0", "1", "2"), {"first": ("1",), "second": ("2",)}),
        (("good", "B", "bad"), {"second": ("B",)}),
        (("A", "B", "neither"), {"first": ("A",), "second": ("B",)}),
    ],
)
def test_choices_are_guessed_and_what_is_not_clear_stays_open(values, choices):
    mapping = guess(pair_rows(*values))

    assert {meaning: tuple(found) for meaning, found in mapping.choices.items()} == choices


def test_choices_between_zero_and_one_are_sides_if_the_columns_are():
    rows = [
        {"q": LONG.format(i), "answer0": LONG.format(f"{i}a"), "answer1": LONG.format(f"{i}b"), "label": i}
        for i in (0, 1)
    ]

    assert guess(rows).choices == {"first": ("0",), "second": ("1",)}


def test_columns_of_several_raters_are_guessed():
    mapping = guess(pair_rows("", "", annotator1="1", annotator2="2") + pair_rows("", annotator1="0", annotator2="2"))

    assert mapping.named("vote:") == {"annotator1": "annotator1", "annotator2": "annotator2"}
    assert mapping.choices == {"first": ("1",), "second": ("2",)}


def test_marks_of_the_winner_are_guessed():
    rows = [row | {"winner_model_a": 1, "winner_model_b": 0, "winner_tie": 0} for row in pair_rows("x" * 30, "y" * 30)]
    for row in rows:
        del row["winner"]

    columns = guess(rows).columns

    assert (columns["won:first"], columns["won:tie"]) == ("winner_model_a", "winner_tie")


def test_an_identifier_of_each_line_is_no_context():
    rows = [
        {"id": i, "article": LONG.format(i // 2), "summary": LONG.format(f"s{i}"), "model": f"m{i % 2}"}
        for i in range(6)
    ]

    assert "context" not in guess(rows).columns


def test_numbers_of_lines_and_lengths_are_no_scores():
    rows = [
        {
            "Unnamed: 0": i,
            "prompt": LONG.format(i),
            "response": LONG.format(f"r{i}"),
            "token_count_len": 12,
            "clarity": 3,
        }
        for i in range(3)
    ]

    assert guess(rows).named("score:") == {"clarity": "clarity"}


def test_names_in_fields_have_no_equals_sign():
    rows = [{"prompt": LONG.format(i), "response": LONG.format(f"r{i}"), "k=3": i} for i in range(2)]

    assert guess(rows).named("score:") == {"k-3": "k=3"}


def test_keys_that_the_first_object_lacks_are_seen():
    rows = [
        {"prompt": LONG.format(1), "response": LONG.format(2)},
        {"prompt": LONG.format(3), "response": LONG.format(4), "clarity": 2},
    ]

    mapping = guess_dataset_mapping([SourceFile("d.jsonl", json_lines_bytes(rows))])

    assert mapping.named("score:") == {"clarity": "clarity"}


def test_the_guess_of_a_layout_keeps_to_its_fields():
    mapping = guess(pair_rows("A", "B"), "wide")

    assert mapping.layout == "wide"
    assert mapping.named("text:") == {"response_a": "response_a", "response_b": "response_b"}


def test_a_column_of_numbers_with_missing_scores_is_a_score():
    rows = [
        {"prompt": LONG.format(i), "response": LONG.format(f"{i}r"), "clarity": clarity, "grade": grade, "empty": "NA"}
        for i, (clarity, grade) in enumerate([("4", "A"), ("NA", "B"), ("-", "-"), ("2.5", "A")])
    ]

    assert guess(rows).columns == {"context_text": "prompt", "text": "response", "score:clarity": "clarity"}


def test_an_instruction_and_its_input_are_one_context():
    rows = [
        row | {"instruction": row.pop("prompt"), "input": f"He go {i}."} for i, row in enumerate(pair_rows("A", "B"))
    ]

    assert guess(rows).columns_of("context_text") == ["instruction", "input"]


@pytest.mark.parametrize(("turns", "columns"), [((1, 2), ["question_id", "turn"]), ((1, 1), ["question_id"])])
def test_the_turn_is_part_of_an_identifier_that_names_several_texts(turns, columns):
    rows = [
        {"question_id": 81, "turn": turn, "question": LONG.format(turn), "model": model, "answer": LONG.format(model)}
        for turn in turns
        for model in "xy"
    ]

    assert guess(rows).columns_of("context") == columns


BATTLES = [
    {"model_a": "amber", "model_b": "birch", "winner": "model_a", "language": "en"},
    {"model_a": "birch", "model_b": "cedar", "winner": "tie (bothbad)", "language": "en"},
]
OF_QUESTIONS = [row | {"question_id": f"q{number}", "judge": "u1"} for number, row in enumerate(BATTLES)]


@pytest.mark.parametrize(("name", "write"), [("d.csv", csv_bytes), ("d.jsonl", json_lines_bytes)])
def test_battles_without_texts_are_recognised(name, write):
    record = read_dataset([SourceFile(name, write(BATTLES))])

    assert [(one.key, [two.key for two in one.candidates], one.fields) for one in record.contexts] == [
        ("0", ["amber", "birch"], {"language": "en"}),
        ("1", ["birch", "cedar"], {"language": "en"}),
    ]
    assert [vote.choice for context in record.contexts for vote in context.votes] == ["first", "both-bad"]
    assert record.format == "battles"


@pytest.mark.parametrize(("name", "write"), [("d.csv", csv_bytes), ("d.jsonl", json_lines_bytes)])
def test_battles_with_most_columns_of_mt_bench_are_battles(name, write):
    record = read_dataset([SourceFile(name, write(OF_QUESTIONS))])

    assert [(one.key, one.votes[0].rater) for one in record.contexts] == [("q0", "u1"), ("q1", "u1")]


@pytest.mark.parametrize(
    "names", [("left", "right", "winner"), ("model_1", "model_2", "preference"), ("a", "b", "result")]
)
def test_battles_may_name_their_columns_otherwise(names):
    rows = [dict(zip(names, row, strict=True)) for row in (("amber", "birch", "amber"), ("birch", "cedar", "tie"))]

    votes = [
        vote.choice
        for context in read_dataset([SourceFile("d.csv", csv_bytes(rows))]).contexts
        for vote in context.votes
    ]

    assert votes == ["first", "tie"]


@pytest.mark.parametrize(
    "more", [{"prompt": LONG}, {"response_a": LONG, "response_b": LONG}, {"reply": "A B C " * 9, "id": "0" * 32}]
)
def test_battles_with_texts_wait_for_a_mapping(more):
    with pytest.raises(UnknownTable) as unknown:
        read_dataset([SourceFile("d.csv", csv_bytes([row | more for row in BATTLES]))])

    assert unknown.value.mapping.layout in ("pairs", "candidates")


def test_battles_with_choices_of_unknown_meaning_wait_for_a_mapping():
    rows = [row | {"winner": winner} for row in BATTLES for winner in ("model_a", "model_b", "0")]

    with pytest.raises(UnknownTable) as unknown:
        read_dataset([SourceFile("d.csv", csv_bytes(rows))])

    assert unknown.value.mapping.columns["system_second"] == "model_b"


def test_votes_on_candidates_with_identifiers_are_no_battles():
    rows = [{"context": "c1", "attribute": "overall", "first": "a", "second": "b", "choice": "first", "rater": "h1"}]

    with pytest.raises(UnknownTable):
        read_dataset([SourceFile("d.csv", csv_bytes(rows))])


@pytest.mark.parametrize("layout", ["candidates", "pairs"])
def test_columns_of_conversations_are_named_in_the_guess(layout):
    talk = "\n\nHuman: Why?\n\nAssistant: Because {}."
    rows = [{"response_a": talk.format(i), "response_b": talk.format(-i), "winner": "A"} for i in (1, 2)]
    rows = rows if layout == "pairs" else [{"response": row["response_a"]} for row in rows]

    mapping = guess(rows, layout)

    texts = [column for field, column in mapping.columns.items() if field.startswith("text")]
    assert mapping.columns_of("messages") == texts


def test_numbers_that_may_be_no_human_scores_are_not_guessed_to_be_some():
    names = ("temperature", "created_at", "price", "rank", "num_responses", "topP", "turns", "latency_seconds")
    rows = [
        {"prompt": LONG.format(i), "model": model, "output": LONG.format(f"{i}{model}"), "fun": 4 + i}
        | dict.fromkeys(names, i)
        for i in (0, 1)
        for model in "AB"
    ]

    assert guess(rows, "candidates").named("score:") == {"fun": "fun"}


def test_a_mapping_whose_texts_cannot_be_read_is_not_offered():
    row = {"instruction": LONG, "completions": [{"model": "m1", "response": "So."}, {"model": "m2", "response": "No."}]}

    with pytest.raises(UnknownTable) as unknown:
        read_dataset([SourceFile("d.jsonl", json_lines_bytes([row]))])

    [problem] = unknown.value.problems
    assert problem.expected.endswith("or map its columns: --layout LAYOUT --map FIELD=COLUMN")
