"""The menu of tables of papers, and the notes above them."""

import html
import re

import pytest

from judging.services.studies.study_changes import create_study
from tests.rankings.pages import read
from tests.rankings.studies import answers, compared, make_dataset, one_context
from tests.rankings.studies.many_contexts import contexts, right_in

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("forget_reports", "researcher")]

WITHOUT_PREFERENCE = "no comparison is of a pair on which people prefer one candidate"


def entries(page):
    """Return the title of each table of a paper, and why it has no value."""
    menu = page[page.index('<ul class="presets">') :].partition("</ul>")[0]
    texts = [re.sub(r"<[^>]*>", "", html.unescape(one)) for one in re.findall(r"<li.*?</li>", menu)]
    return [text.partition(" · no value: ")[::2] for text in texts]


def test_tables_without_a_value_come_last_with_the_reason(client):
    dataset = make_dataset(one_context(2, 1))
    study = create_study("Hard", runs=[compared(dataset, answers("a b first", "b a second"), judge="hard")])

    page = read(client, "study", study)

    reasons = [reason for _, reason in entries(page)]
    assert reasons == sorted(reasons, key=bool)
    why = dict(entries(page))
    [debiased] = [reason for title, reason in why.items() if "debiased accuracy on SummEval" in title]
    assert debiased == "every p_first is 0, 1/2 or 1, so no threshold can be set"
    assert [reason for title, reason in why.items() if "LLMBar, both orders" in title] == [""]


def test_table_without_a_value_names_the_reason_once_and_leads_to_accuracy(client):
    dataset = make_dataset(one_context(2, 2))
    study = create_study("Ties", runs=[compared(dataset, answers("a b 0.9"), judge=name) for name in ("one", "two")])

    page = read(client, "study", study, preset="comparative-7")
    correlations = read(client, "study", study, preset="comparative-6")

    assert re.findall(r"<p>(No cell has a value: .*?)</p>", page) == [f"No cell has a value: {WITHOUT_PREFERENCE}."]
    assert '<a class="button quiet" href="?figure=accuracy">Show accuracy</a>' in correlations
    assert "Show accuracy" not in page


def test_note_of_a_table_stands_above_it(client):
    study = create_study("Many", runs=[compared(make_dataset(contexts()), right_in(20))])

    page = read(client, "study", study, preset="comparative-7")

    note = "raw accuracy on SummEval: Pairs count whose two human scores differ."
    assert page.index(note) < page.index('<table class="figures"')


def test_table_of_fewer_comparisons_names_those_of_the_runs(client):
    study = create_study("Many", runs=[compared(make_dataset(contexts()), right_in(20))])

    page = read(client, "study", study, preset="poe-48")

    assert "These runs have 3 comparisons per context, the paper 48." in page
    assert "Curves at 48" not in page
