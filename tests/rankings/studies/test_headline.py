"""The sentence and the bold cells of a study's table: only rows that can be compared compete."""

import re

import pytest

from judging.models import Run
from judging.services.studies.study_changes import create_study
from rankings.studies.pivots.pivot_table import NOT_COMPARED_NOTE
from tests.rankings.pages import headline, read
from tests.rankings.studies import compared, make_dataset
from tests.rankings.studies.many_contexts import contexts, right_in, wrong_in

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("forget_reports", "researcher")]

BEST = re.compile(r'data-column="([^"]*)"[^>]*>(?:(?!</td>).)*class="best"', re.DOTALL)
BY_JUDGE = {"rows": "judge", "columns": "attribute"}


def best_rows(page):
    """Return the rows with a bold cell, and their columns."""
    rows = {}
    for row in page.split('<th scope="row"')[1:]:
        name = re.sub(r"<[^>]*>", "", row.partition(">")[2].partition("</th>")[0]).strip()
        if columns := BEST.findall(row.partition("</tr>")[0]):
            rows[name] = columns
    return rows


def study_of(*right, name="Many"):
    dataset = make_dataset(contexts(), name=name)
    return create_study(name, runs=[compared(dataset, right_in(n), judge=f"right in {n}") for n in right])


def in_one_context():
    """Answers on the first context alone, all right."""
    return "\n".join(right_in(1).splitlines()[:4]) + "\n"


def test_unfinished_run_does_not_lead(client):
    study = study_of(28, 20)
    ahead = compared(study.runs.first().dataset, right_in(30), judge="ahead")
    study.runs.add(ahead, through_defaults={"position": 9})
    Run.objects.filter(pk=ahead.pk).update(status=Run.Status.RUNNING)

    page = read(client, "study", study, **BY_JUDGE)

    [sentence] = headline(page)
    assert sentence.startswith("Partial (1 of 3 runs unfinished): of the rows that are compared, right in 28 leads")
    assert best_rows(page) == {"right in 28": ["overall"]}
    assert NOT_COMPARED_NOTE in page


def test_table_with_one_finished_run_has_no_leader_yet(client):
    study = study_of(28, 20, 10)
    Run.objects.exclude(judge__name="right in 10").update(status=Run.Status.RUNNING)

    page = read(client, "study", study, **BY_JUDGE)

    assert headline(page) == ["Partial (2 of 3 runs unfinished): no leader yet."]
    assert best_rows(page) == {}


def test_figure_without_an_interval_is_not_compared(client):
    dataset = make_dataset(contexts(), name="Few")
    low = compared(dataset, wrong_in(range(6)), judge="low")
    mid = compared(dataset, right_in(25), judge="mid")
    study = create_study("Few", runs=[low, mid, compared(dataset, in_one_context(), judge="one context")])

    page = read(client, "study", study, rows="judge", columns="subset")

    [sentence] = headline(page)
    assert sentence.startswith("Of the rows that are compared, mid leads on all contexts: accuracy 83.3")
    assert sentence.endswith("The other is not significantly worse (Holm).")


def test_rows_of_different_subsets_have_a_range_and_are_compared_within_their_subset(client):
    study = study_of(28, 15)

    page = read(client, "study", study, rows="subset", columns="judge")

    [sentence] = headline(page)
    assert sentence.startswith("Accuracy on right in 28: 93.3")
    assert "down to" in sentence
    assert best_rows(page) == {}

    page = read(client, "study", study, rows="subset,judge", columns="attribute")

    [sentence] = headline(page)
    assert re.sub(r" \d+\.\d\u202f% ±\d+\.\d", "", sentence) == (
        "Highest accuracy by subset: all · right in 28, even · right in 28, odd · right in 28."
    )
    assert re.findall(r'class="best"', page) == ['class="best"'] * 3


def test_rows_with_the_same_figure_lead_together(client):
    dataset = make_dataset(contexts(), name="Equal")
    judges = {"one": 28, "two": 28, "three": 15}
    study = create_study("Equal", runs=[compared(dataset, right_in(n), judge=name) for name, n in judges.items()])

    [sentence] = headline(read(client, "study", study, **BY_JUDGE))

    assert sentence.startswith("one and two lead: accuracy 93.3")


def test_cell_without_a_run_has_a_dash_and_the_reason(client):
    dataset = make_dataset(contexts(), name="Holes")
    asked = [("GPT", "one"), ("GPT", "two"), ("Llama", "one")]
    runs = []
    for judge, prompt in asked:
        head, *lines = right_in(20).splitlines()
        text = "\n".join([f"{head},prompt", *(f"{line},{prompt}" for line in lines)]) + "\n"
        runs.append(compared(dataset, text, judge=judge))

    page = read(client, "study", create_study("Holes", runs=runs), rows="judge", columns="prompt")

    assert re.findall(r'data-column="two"[^>]*><a class="missing"[^>]*data-reason="([^"]*)"', page) == ["no such run"]
    assert re.findall(r"<li id=\"figures-note-\d+\">(.*?)</li>", page) == ["no such run"]


def test_dimension_of_both_rows_and_columns_is_explained(client):
    study = study_of(28, 15)

    page = read(client, "study", study, rows="judge,attribute", columns="attribute")
    plain = read(client, "study", study, **BY_JUDGE)

    note = "Attribute stands in the columns already, so the rows are judge."
    assert (note in page, note in plain) == (True, False)
