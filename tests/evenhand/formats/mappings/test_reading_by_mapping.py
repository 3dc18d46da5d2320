"""Tables of each layout, read by a mapping."""

import pytest

from evenhand.formats import CandidateRecord, TableMapping, VoteRecord, read_dataset
from tests.evenhand.formats.mappings.mapped_rows import (
    CANDIDATES,
    CHOSEN,
    PAIRS,
    RATINGS,
    SYSTEMS,
    TIDY,
    VOTES,
    WIDE,
    read,
    read_problems,
)
from tests.evenhand.formats.people_tables import csv_bytes, json_lines_bytes
from tests.evenhand.formats.small_files import SourceFile, problems

WORDS = "; for words: --choice NUMBER=WORD"


def test_candidates_of_one_text_are_one_context_numbered_from_0():
    record = read(
        CANDIDATES,
        {"q": "Why?", "a": "So.", "m": "M1", "s": 3},
        {"q": "How?", "a": "Thus.", "m": "M1"},
        {"q": "Why?", "a": "No.", "m": "M2", "s": None},
    )

    assert [(context.key, context.text) for context in record.contexts] == [("0", "Why?"), ("1", "How?")]
    assert record.contexts[0].candidates == (
        CandidateRecord("M1", "So.", "M1", {"clarity": 3.0}),
        CandidateRecord("M2", "No.", "M2"),
    )


def test_texts_of_one_system_are_numbered():
    record = read(CANDIDATES, *({"q": "Why?", "a": f"Sample {i}.", "m": "M1", "s": 1} for i in range(3)))

    assert [candidate.key for candidate in record.contexts[0].candidates] == ["M1", "M1-2", "M1-3"]


def test_lines_of_several_raters_are_one_candidate():
    record = read(RATINGS, *({"q": "Why?", "a": "So.", "m": "M1", "r": rater, "s": i} for i, rater in enumerate("xy")))

    [candidate] = record.contexts[0].candidates
    assert candidate.ratings == {"clarity": {"x": 0.0, "y": 1.0}}


def test_lines_of_several_attributes_are_one_candidate():
    rows = [{"q": "Why?", "a": "So.", "m": "M1", "r": "x", "d": name, "s": 2} for name in ("fun", "depth")]

    record = read(TIDY, *rows)

    assert [attribute.name for attribute in record.attributes] == ["fun", "depth"]
    assert record.contexts[0].candidates[0].ratings == {"fun": {"x": 2.0}, "depth": {"x": 2.0}}


def test_a_repeated_candidate_is_refused_with_advice():
    row = {"q": "Why?", "a": "So.", "m": "M1", "s": 3}

    assert read_problems(CANDIDATES, row, row) == [
        'd.jsonl:2: a: "M1" again — expected each candidate once for a context; '
        "map the column that differs to candidate, rater or attribute"
    ]


def test_a_rater_who_rates_twice_is_refused():
    row = {"q": "Why?", "a": "So.", "m": "M1", "s": 3, "r": "x"}

    assert len(read_problems(RATINGS, row, row)) == 1


def test_wide_rows_are_contexts_and_empty_cells_no_candidates():
    record = read(WIDE, {"id": 7, "q": "Why?", "one": "So.", "two": "", "f": 2}, {"id": 8, "q": "Why?", "two": "No."})

    assert [context.key for context in record.contexts] == ["7", "8"]
    assert record.contexts[0].candidates == (CandidateRecord("M1", "So.", "M1", {"fun": 2.0}),)
    assert [candidate.key for candidate in record.contexts[1].candidates] == ["M2"]


def test_pairs_share_candidates_with_the_same_text():
    record = read(
        PAIRS,
        {"q": "Why?", "a": "So.", "b": "No.", "w": "A", "r": "x"},
        {"q": "Why?", "a": "No.", "b": "Yes.", "w": "=", "r": "y"},
        {"q": "Why?", "a": "So.", "b": "Yes.", "w": "skip", "r": "y"},
        {"q": "Why?", "a": "So.", "b": "Yes.", "w": "", "r": "y"},
    )

    assert [(one.key, one.text) for one in record.contexts[0].candidates] == [("1", "So."), ("2", "No."), ("3", "Yes.")]
    assert record.contexts[0].votes == (
        VoteRecord("overall", "1", "2", "first", "x"),
        VoteRecord("overall", "2", "3", "tie", "y"),
    )


def test_equal_texts_of_a_pair_are_two_candidates():
    record = read(PAIRS, *({"q": "Why?", "a": "So.", "b": "So.", "w": "=", "r": rater} for rater in "xy"))

    assert [one.key for one in record.contexts[0].candidates] == ["1", "2"]
    assert [(vote.first, vote.second) for vote in record.contexts[0].votes] == [("1", "2")] * 2


def test_candidates_of_a_pair_are_named_by_their_systems():
    record = read(SYSTEMS, {"q": "Why?", "a": "So.", "b": "No.", "ma": "M1", "mb": "M1", "w": "B", "r": "x"})

    assert [(one.key, one.system) for one in record.contexts[0].candidates] == [("M1", "M1"), ("M1-2", "M1")]
    assert record.contexts[0].votes[0].choice == "second"


def test_a_choice_may_name_the_system():
    choices = {"first": ("@ma",), "second": ("@mb",), "tie": ("tie",)}
    mapping = TableMapping("pairs", SYSTEMS.columns, choices)
    row = {"q": "Why?", "a": "So.", "b": "No.", "ma": "M1", "mb": "M2", "r": "x"}

    record = read(mapping, row | {"w": "M2"}, row | {"w": "tie"})

    assert [vote.choice for vote in record.contexts[0].votes] == ["second", "tie"]
    assert read_problems(mapping, row | {"w": "M3"}) == [
        'd.jsonl:1: w: "M3" — expected one of the name in ma, the name in mb, tie'
    ]


def test_a_fixed_choice_that_is_the_system_of_the_other_side_is_refused():
    mapping = TableMapping("pairs", SYSTEMS.columns, {"first": ("M1",), "second": ("M2",)})
    row = {"q": "Why?", "a": "So.", "b": "No.", "ma": "M1", "mb": "M2", "r": "x", "w": "M1"}

    assert [vote.choice for vote in read(mapping, row).contexts[0].votes] == ["first"]
    [problem] = read_problems(mapping, row | {"ma": "M2", "mb": "M1"})
    assert "it is said to mean first, but is the name of second on this line" in problem


def test_an_unknown_choice_is_a_problem():
    assert read_problems(PAIRS, {"q": "Why?", "a": "So.", "b": "No.", "w": "C", "r": "x"}) == [
        'd.jsonl:1: w: "C" — expected one of A, B, =, skip'
    ]


def test_spaces_around_a_choice_do_not_matter():
    record = read(PAIRS, {"q": "Why?", "a": "So.", "b": "No.", "w": " B ", "r": "x"})

    assert record.contexts[0].votes[0].choice == "second"


def test_every_chosen_text_beats_every_rejected_one():
    record = read(CHOSEN, {"q": "Why?", "good": ["So.", "Thus."], "bad": ["No.", "Yes."]})

    votes = record.contexts[0].votes
    assert [(vote.first, vote.second) for vote in votes] == [("1", "3"), ("1", "4"), ("2", "3"), ("2", "4")]
    assert {(vote.choice, vote.rater) for vote in votes} == {("first", "gold")}


def test_marked_winners_are_choices():
    columns = {"context_text": "q", "text_first": "a", "text_second": "b"}
    marks = {"won:first": "wa", "won:second": "wb", "won:tie": "wt"}
    mapping = TableMapping("pairs", columns | marks)
    row = {"q": "Why?", "a": "So.", "b": "No.", "wa": 0, "wb": 0, "wt": 0}

    record = read(mapping, row | {"wb": 1}, row | {"wt": 1}, row)

    assert [vote.choice for vote in record.contexts[0].votes] == ["second", "tie"]
    assert read_problems(mapping, row | {"wa": 1, "wb": 1}, row | {"wa": 2}) == [
        "d.jsonl:1: wb: a second winner — expected one marked column on a line",
        'd.jsonl:2: wa: "2" — expected 1 or 0',
    ]


def test_columns_of_several_raters_are_votes_of_each():
    mapping = TableMapping(
        "pairs",
        {"context_text": "q", "text_first": "a", "text_second": "b", "vote:x": "r1", "vote:y": "r2"},
        PAIRS.choices,
    )
    row = {"q": "Why?", "a": "So.", "b": "No."}

    record = read(mapping, row | {"r1": "A", "r2": "B"}, row | {"r1": None, "r2": "="})

    assert [(vote.rater, vote.choice) for vote in record.contexts[0].votes] == [
        ("x", "first"),
        ("y", "second"),
        ("y", "tie"),
    ]
    found = read_problems(mapping, row | {"r1": "C", "r2": "A"})
    assert found == ['d.jsonl:1: r1: "C" — expected one of A, B, =, skip']


def test_votes_name_candidates_by_their_identifiers():
    row = {"id": "c1", "q": "Why?", "f": "x", "s": "y", "a": "So.", "b": "No.", "w": "A", "r": "h1", "d": "fun"}
    swapped = row | {"f": "y", "s": "x", "a": "No.", "b": "So.", "r": "h2"}

    record = read(VOTES, row, swapped)

    assert [candidate.key for candidate in record.contexts[0].candidates] == ["x", "y"]
    assert [(vote.first, vote.rater, vote.attribute) for vote in record.contexts[0].votes] == [
        ("x", "h1", "fun"),
        ("y", "h2", "fun"),
    ]
    assert len(read_problems(VOTES, row, row | {"a": "Other."})) == 1
    assert len(read_problems(VOTES, row | {"s": "x", "b": "So."})) == 1


@pytest.mark.parametrize("mapping", [CANDIDATES, CHOSEN], ids=lambda mapping: mapping.layout)
def test_a_context_keeps_its_text_subset_and_reference(mapping):
    columns = {**mapping.columns, "context": "id", "subset": "sub", "reference": "ref"}
    mapping = TableMapping(mapping.layout, columns)
    row = {
        "id": "c1",
        "q": "Why?",
        "a": "So.",
        "good": "So.",
        "bad": "No.",
        "m": "M1",
        "s": 1,
        "sub": "news",
        "ref": "R",
    }

    context = read(mapping, row).contexts[0]

    assert (context.key, context.subset, context.reference) == ("c1", "news", "R")
    assert [
        line.split(" — ")[0] for line in read_problems(mapping, row, row | {"q": "How?", "m": "M2", "sub": "all"})
    ] == ['d.jsonl:2: sub: "all"', 'd.jsonl:2: q: "How?"', 'd.jsonl:2: sub: "all"']


@pytest.mark.parametrize("mapping", [CANDIDATES, CHOSEN, WIDE], ids=lambda mapping: mapping.layout)
def test_a_context_keeps_its_further_fields(mapping):
    mapping = TableMapping(mapping.layout, {**mapping.columns, "field:turn": "t", "field:language": "l"})
    texts = {"a": "So.", "one": "So.", "two": "No.", "good": "So.", "bad": "No."}
    row = {"id": "c1", "q": "Why?", "m": "M1", "s": 1, "f": 2, **texts}

    assert read(mapping, row | {"t": 2, "l": ""}).contexts[0].fields == {"turn": "2"}


@pytest.mark.parametrize("by", [{}, {"context": "id"}], ids=["by text", "by identifier"])
def test_lines_of_one_context_have_the_same_fields(by):
    mapping = TableMapping("candidates", {**CANDIDATES.columns, **by, "field:turn": "t"})
    row = {"id": "c1", "q": "Why?", "a": "So.", "m": "M1", "s": 1, "t": 1}

    expected = "the same as in d.jsonl, line 1: it is the same context"
    assert read_problems(mapping, row, row | {"a": "No.", "t": 2}) == [f'd.jsonl:2: t: "2" — expected {expected}']


def test_equal_texts_of_two_subsets_are_two_contexts():
    mapping = TableMapping("candidates", {**CANDIDATES.columns, "subset": "sub"})
    rows = [{"q": "Why?", "a": "So.", "m": "M1", "s": 1, "sub": subset} for subset in ("news", "talk")]

    assert [(one.key, one.subset) for one in read(mapping, *rows).contexts] == [("0", "news"), ("1", "talk")]


def test_a_column_that_the_first_object_lacks_is_read():
    first, second = ({"q": "Why?", "a": "So.", "m": name} for name in ("M1", "M2"))

    [context] = read(CANDIDATES, first, second | {"s": 3}).contexts

    assert [one.scores for one in context.candidates] == [{}, {"clarity": 3.0}]


def test_a_line_that_lacks_a_field_of_its_context_is_refused():
    mapping = TableMapping("candidates", {**CANDIDATES.columns, "field:turn": "t"})
    row = {"q": "Why?", "m": "M1", "s": 1}

    [problem] = read_problems(mapping, row | {"a": "So.", "t": 1}, row | {"a": "No.", "t": ""})

    assert problem.startswith('d.jsonl:2: t: "" — expected the same as in d.jsonl, line 1')


def test_a_misspelt_column_is_a_problem():
    mapping = TableMapping("candidates", {"context_text": "q", "text": "answer"})
    expected = 'text: no column "answer" — expected a column of the file: q, a'

    assert read_problems(mapping, {"q": "Why?", "a": "So."}) == [f"d.jsonl:1: {expected}"]
    table = SourceFile("d.csv", csv_bytes([{"q": "Why?", "a": "So."}]))
    assert problems(lambda: read_dataset([table], mapping=mapping)) == [f"d.csv:1: {expected}"]


def test_a_table_without_any_context_is_refused():
    rows = [{"a": "So."}, {"a": "No."}]

    assert read_problems(TableMapping("candidates", {"text": "a"}), *rows) == [
        "d.jsonl:1: no context — expected a column for context or context_text, or conversations with a prompt "
        "(and 1 more of this kind)"
    ]


def test_an_incomplete_mapping_is_refused():
    assert read_problems(TableMapping("candidates", {"context_text": "q"}), {"q": "Why?"}) == [
        "map: text: missing — expected a column for it: --map text=COLUMN"
    ]


def test_values_that_are_no_texts_are_problems():
    [problem] = read_problems(CHOSEN, {"q": {"x": 1}, "good": "So.", "bad": "No."})[:1]

    assert problem == "d.jsonl:1: q: an object with 1 keys — expected a text"


def test_spellings_of_a_missing_score_are_read_as_no_score_and_noted():
    cells = ["NA", "n/a", "NaN", "NULL", "-", " - ", "4"]
    rows = [{"q": "Why?", "a": "So.", "m": f"M{i}", "s": cell} for i, cell in enumerate(cells)]

    table = read_dataset([SourceFile("d.csv", csv_bytes(rows))], mapping=CANDIDATES)

    assert [dict(one.scores) for one in table.contexts[0].candidates] == [{}, {}, {}, {}, {}, {}, {"clarity": 4.0}]
    assert table.notes == ('cells read as no score: 6 ("NA", "n/a", "NaN")',)


@pytest.mark.parametrize("cell", ["none", "?", "--", "n.a.", "missing"])
def test_any_other_text_in_a_column_of_scores_is_a_problem(cell):
    rows = [{"q": "Why?", "a": "So.", "m": "M1", "s": cell}]

    assert problems(lambda: read_dataset([SourceFile("d.csv", csv_bytes(rows))], mapping=CANDIDATES)) == [
        f'd.csv:2: s: "{cell}" — expected a number, or an empty cell for no score{WORDS}'
    ]


def test_a_line_without_a_choice_keeps_its_pair_and_is_noted():
    record = read(
        PAIRS,
        {"q": "Why?", "a": "So.", "b": "No.", "w": "A", "r": "h1"},
        {"q": "How?", "a": "So.", "b": "No.", "w": "", "r": "h1"},
    )
    two = read(PAIRS, *({"q": "Why?", "a": "So.", "b": f"{i}", "w": "skip", "r": "h1"} for i in range(2)))

    assert [(len(one.candidates), len(one.votes)) for one in record.contexts] == [(2, 1), (2, 0)]
    assert record.notes == ("lines without a vote, whose pairs are kept: 1 (line 2)",)
    assert two.notes == ("lines without a vote, whose pairs are kept: 2 (line 1, line 2)",)


def test_lines_without_a_choice_in_several_files_are_named_with_their_file():
    line = {"q": "Why?", "a": "So.", "b": "No.", "w": "", "r": "h1"}
    files = [SourceFile(f"{name}.jsonl", json_lines_bytes([line])) for name in ("one", "two")]

    record = read_dataset(files, mapping=PAIRS)

    places = "one.jsonl line 1, two.jsonl line 1"
    assert record.notes == (f"lines without a vote, whose pairs are kept: 2 ({places})",)


def test_pairs_without_a_column_of_choices_have_no_note():
    texts = {name: column for name, column in PAIRS.columns.items() if name not in ("choice", "rater")}

    assert read(TableMapping("pairs", texts), {"q": "Why?", "a": "So.", "b": "No."}).notes == ()


def rated(*words):
    return [{"q": "Why?", "a": "So.", "m": "M1", "r": f"r{number}", "s": word} for number, word in enumerate(words)]


def test_words_in_place_of_scores_mean_the_numbers_that_a_person_gives_them():
    scale = {"5": ("Strongly agree",), "4": ("Agree", "4 - Agree", "4/5"), "1.5": ("No",), "none": ("No idea",)}
    rows = rated("Strongly agree", " Agree ", "4 - Agree", "4/5", "No", "No idea", "NA", 3)

    record = read(TableMapping("candidates", RATINGS.columns, scale), *rows)

    (candidate,) = record.contexts[0].candidates
    assert candidate.ratings == {"clarity": {"r0": 5, "r1": 4, "r2": 4, "r3": 4, "r4": 1.5, "r7": 3}}


def test_word_in_place_of_scores_is_a_problem_once_in_each_column():
    mapping = TableMapping("candidates", {**RATINGS.columns, "score:depth": "d"})
    found = read_problems(mapping, *(row | {"d": "Agree"} for row in rated("Agree", "Agree")))

    assert read_problems(RATINGS, *rated("Agree", "Disagree", "Agree", 3, "Agree")) == [
        f'd.jsonl:1: s: "Agree" — expected a number, or an empty cell for no score{WORDS}',
        f'd.jsonl:2: s: "Disagree" — expected a number, or an empty cell for no score{WORDS}',
    ]
    assert [problem.partition(" — ")[0] for problem in found] == ['d.jsonl:1: s: "Agree"', 'd.jsonl:1: d: "Agree"']


def test_list_of_candidates_in_a_cell_is_refused_with_advice():
    rows = [{"q": "Why?", "a": [{"model": "M1", "response": "So."}], "m": "M1", "s": 1}]

    (problem,) = read_problems(CANDIDATES, *rows)

    assert problem.endswith("a text; write the objects of a list of candidates on lines of their own")
