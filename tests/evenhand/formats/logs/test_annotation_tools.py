"""Exports of annotation tools: the votes of people, by the words of labels."""

import json

import pytest

from evenhand.formats import SourceFile, TableMapping, read_dataset, read_votes
from evenhand.formats.logs.pair_fields import UNCLEAR_TEXTS
from tests.evenhand.formats.logs.examples import argilla_records, label_studio_tasks
from tests.evenhand.formats.small_files import outputs, problems, text_file


def test_label_studio_annotations_become_votes():
    format, contexts, notes = outputs(label_studio_tasks())

    candidates = [("text1", "", "So."), ("text2", "", "Because.")]
    assert (format, contexts) == ("label-studio", [("7", "Why?", "", candidates)])
    assert notes == [
        "1 answers to stars that prefer no text",
        "1 skipped annotations",
        f'1 records {UNCLEAR_TEXTS}: "image"',
    ]
    votes = read_votes([label_studio_tasks()])
    assert [(one.context, one.attribute, one.vote.choice, one.vote.rater, one.vote.seconds) for one in votes] == [
        ("7", "pw", "first", "10", 4.5),
        ("7", "pw", "second", "ann@example.org", 4.5),
    ]
    assert read_dataset([label_studio_tasks()]).contexts[0].votes == tuple(one.vote for one in votes)


def test_argilla_responses_become_votes():
    format, contexts, notes = outputs(argilla_records())

    candidates = [("response-1", "", "So."), ("response-2", "", "Because.")]
    assert (format, contexts) == ("argilla", [("r1", "Why?", "", candidates)])
    assert notes == [
        "1 suggestions for the question preference, which no person gave",
        '1 answers to comment that prefer no text: "Both are short."',
        f'1 records {UNCLEAR_TEXTS}: "text"',
    ]
    assert [(one.attribute, one.vote.choice, one.vote.rater) for one in read_votes([argilla_records()])] == [
        ("preference", "first", "u1"),
        ("preference", "tie", "u2"),
        ("ranking", "second", "u1"),
    ]


def choice_tasks(*labels, **data):
    """Label Studio tasks, one a label, with a control of choices."""
    fields = {"prompt": "Why?", "answer_a": "So.", "answer_b": "No."} | data
    tasks = []
    for number, label in enumerate(labels):
        result = {"from_name": "best", "type": "choices", "value": {"choices": [label]}}
        annotation = {"completed_by": number, "result": [result]}
        tasks.append({"id": number, "data": fields, "annotations": [annotation]})
    return SourceFile("export.json", json.dumps(tasks).encode())


def choices_of(dataset):
    return [vote.choice for context in dataset.contexts for vote in context.votes]


def test_labels_of_a_project_are_read_by_their_words_with_a_note():
    dataset = read_dataset([choice_tasks("Response A", "Response B", "About the same", "Response A", "A")])

    assert choices_of(dataset) == ["first", "second", "tie", "first", "first"]
    assert dataset.notes == (
        'export.json: best: labels are read by their words: "Response A" as first, "Response B" as second, '
        '"About the same" as tie',
    )


def test_label_that_is_not_clear_among_others_is_refused_until_a_person_says_what_it_means():
    file = choice_tasks("A", "B", "Comparable", "Skip it")
    said = TableMapping("", {}, {"tie": ("Comparable",), "none": ("Skip it",)})

    assert problems(lambda: read_dataset([file])) == [
        'export.json: best: no meaning of "Comparable", "Skip it" — expected what each label means: '
        "--choice first=Comparable, or second, tie, none …"
    ]
    assert choices_of(read_dataset([file], mapping=said)) == ["first", "second", "tie"]
    assert [one.vote.choice for one in read_votes([file], mapping=said)] == ["first", "second", "tie"]


def test_labels_of_which_none_is_clear_are_refused_and_comments_are_not():
    repeated = choice_tasks("Links", "Rechts", "Links")
    comments = choice_tasks("Short.", "Too long.")

    (problem,) = problems(lambda: read_dataset([repeated]))

    assert problem.startswith('export.json: best: no meaning of "Links", "Rechts" — expected')
    assert read_dataset([comments]).notes == (
        'export.json: not used: 2 answers to best that prefer no text: "Short.", "Too long."',
    )


@pytest.mark.parametrize("names", [("model_a", "model_b"), ("system1", "system2"), ("Model A", "Model B")])
def test_models_of_a_task_are_the_systems_of_its_texts(names):
    _, contexts, notes = outputs(choice_tasks("A", category="chat", **dict(zip(names, ("m1", "m2"), strict=True))))

    assert contexts == [("0", "Why?", "", [("answer_a", "m1", "So."), ("answer_b", "m2", "No.")])]
    assert notes == []


def test_models_may_be_in_the_metadata_of_a_record():
    records = json.loads(argilla_records().content)
    records[0]["metadata"] = {"model_1": "m1", "model_2": "m2"}

    _, contexts, _ = outputs(SourceFile("argilla.json", json.dumps(records).encode()))

    assert [one[1] for one in contexts[0][3]] == ["m1", "m2"]


def test_two_texts_need_no_context():
    tasks = json.loads(choice_tasks("A").content)
    tasks[0]["data"] = {"text1": "So.", "text2": "No."}

    _, contexts, _ = outputs(SourceFile("export.json", json.dumps(tasks).encode()))

    assert contexts == [("0", "", "", [("text1", "", "So."), ("text2", "", "No.")])]


def test_fields_of_a_log_are_named_by_a_person_where_they_are_not_clear():
    file = choice_tasks("A", answer_a="So.", answer_b="No.", summary_a="S.", summary_b="N.")
    said = TableMapping("", {"text_first": "summary_b", "text_second": "summary_a"})

    (problem,) = problems(lambda: read_dataset([file]))
    (context,) = read_dataset([file], mapping=said).contexts

    assert problem == (
        f'export.json: not used: 1 records {UNCLEAR_TEXTS}: "prompt, answer_a, answer_b, summary_a, summary_b"'
        " — expected at least one context"
    )
    assert [(one.key, one.text) for one in context.candidates] == [("summary_b", "N."), ("summary_a", "S.")]


def test_meanings_of_labels_without_a_layout_are_for_logs_only():
    table = text_file("prompt,answer_a\nWhy?,So.\n", "table.csv")

    (problem, *_) = problems(lambda: read_dataset([table], mapping=TableMapping("", {}, {"first": ("A",)})))

    assert problem == 'layout: "" — expected one of candidates, wide, pairs, votes'


@pytest.mark.parametrize(
    ("label", "choice"),
    [
        *(("left", "first"), ("2", "second"), ("A is preferred", "first"), ("Answer B wins", "second")),
        *(("Equal", "tie"), ("A=B", "tie"), ("Both are bad", "both-bad"), ("Neither is better", "both-bad")),
    ],
)
def test_label_has_the_meaning_of_its_words(label, choice):
    assert choices_of(read_dataset([choice_tasks(label)])) == [choice]


@pytest.mark.parametrize("label", ["0", "Rejected", "Comparable", "C"])
def test_label_without_a_clear_meaning_is_no_vote(label):
    assert choices_of(read_dataset([choice_tasks(label)])) == []
