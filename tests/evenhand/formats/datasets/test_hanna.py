"""HANNA: one rater's ratings of one story per line."""

import pytest

from evenhand.formats import AttributeRecord, CandidateRecord, ContextRecord, DatasetRecord, read_dataset
from tests.evenhand.formats.small_files import csv_file, dataset_problems, text_file

HEADER = ["Story ID", "Prompt", "Human", "Story", "Model", "Relevance", "Surprise", "Worker ID", "Name"]


def line(story: str = "0", worker: str = "w1", *, prompt: str = "A door opens.", ratings: tuple[str, str] = ("4", "2")):
    return [story, prompt, "The human story.", f"Story {story}.", f"M{story}", *ratings, worker, "x"]


def test_read_dataset_keeps_the_ratings_of_each_rater_and_adds_no_score():
    file = csv_file(
        HEADER, line("0", "w1"), line("0", "w2", ratings=("5", "")), line("7", "w1"), line("8", prompt="Rain.")
    )

    assert read_dataset([file]) == DatasetRecord(
        context_noun="prompt",
        candidate_noun="story",
        attributes=(
            AttributeRecord("Relevance", minimum=1, maximum=5),
            AttributeRecord("Surprise", minimum=1, maximum=5),
        ),
        contexts=(
            ContextRecord(
                key="0",
                text="A door opens.",
                reference="The human story.",
                candidates=(
                    CandidateRecord(
                        "0", "Story 0.", "M0", ratings={"Relevance": {"w1": 4, "w2": 5}, "Surprise": {"w1": 2}}
                    ),
                    CandidateRecord("7", "Story 7.", "M7", ratings={"Relevance": {"w1": 4}, "Surprise": {"w1": 2}}),
                ),
            ),
            ContextRecord(
                key="1",
                text="Rain.",
                reference="The human story.",
                candidates=(
                    CandidateRecord("8", "Story 8.", "M8", ratings={"Relevance": {"w1": 4}, "Surprise": {"w1": 2}}),
                ),
            ),
        ),
        format="hanna",
    )


def test_read_dataset_refuses_two_human_stories_about_one_prompt():
    other = ["The other story." if cell == "The human story." else cell for cell in line("7")]

    assert dataset_problems(csv_file(HEADER, line("0"), other)) == [
        'data.csv:3: Human: "The other story." — expected the same as in data.csv, line 2: it is the same context'
    ]


def test_read_dataset_numbers_raters_without_a_name_in_the_file():
    file = csv_file(HEADER, line(worker=""), line(worker="", ratings=("1", "1")))

    [candidate] = read_dataset([file]).contexts[0].candidates

    assert candidate.ratings == {"Relevance": {"rater-1": 4, "rater-2": 1}, "Surprise": {"rater-1": 2, "rater-2": 1}}


@pytest.mark.parametrize(
    ("column", "cell", "problem"),
    [
        (0, "", "Story ID: missing — expected a text"),
        (1, "", "Prompt: missing — expected a text"),
        (3, "Other.", 'Story: "Other." — expected "Story 0.", as on the other lines of story "0"'),
        (4, "M9", 'Model: "M9" — expected "M0", as on the other lines of story "0"'),
        (5, "6", 'Relevance: "6" — expected a number from 1 to 5'),
        (7, "w1", 'Worker ID: "w1" — expected another worker: this one already rated the story'),
    ],
)
def test_read_dataset_refuses_a_line(column, cell, problem):
    row = line("0", "w2")
    row[column] = cell

    assert dataset_problems(csv_file(HEADER, line("0", "w1"), row)) == [f"data.csv:3: {problem}"]


def test_read_dataset_shortens_a_long_header_and_that_of_a_file_in_another_format():
    file = text_file('{"context": "' + "x" * 300 + '"}\n', name="data.json")

    problems = dataset_problems(file, format="hanna")

    header = '"{\\"context\\": \\"' + "x" * 47 + '…" (315 characters)'
    assert problems[0] == f"data.json:1: Story ID: missing — expected a column of this name; the file has {header}"

    file = csv_file([f"c{number}" for number in range(30)])

    [problem, *_] = dataset_problems(file, format="hanna")

    assert problem.endswith("the file has " + ", ".join(f"c{number}" for number in range(20)) + " and 10 more")


def test_read_dataset_puts_all_stories_into_one_context_on_request():
    file = csv_file(HEADER, line("0", "w1"), line("8", prompt="Rain."), line("0", "w2", ratings=("5", "3")))

    [context] = read_dataset([file], "hanna-one-context").contexts

    assert (context.key, context.text, context.reference) == ("0", "", "")
    assert [candidate.text for candidate in context.candidates] == [
        "Prompt: A door opens.\n\nGenerated Story: Story 0.",
        "Prompt: Rain.\n\nGenerated Story: Story 8.",
    ]
    assert context.candidates[0].ratings == {"Relevance": {"w1": 4, "w2": 5}, "Surprise": {"w1": 2, "w2": 3}}
