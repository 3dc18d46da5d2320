"""The menu of tables of papers, and the notes above them."""

import html
import json
import re

import pytest

from judging.services.studies.study_changes import create_study
from tests.rankings.pages import read
from tests.rankings.studies import answers, compared, make_dataset, one_context
from tests.rankings.studies.many_contexts import contexts, right_in

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("forget_reports", "researcher")]

WITHOUT_PREFERENCE = "people prefer no candidate of a compared pair; collect votes or scores"


def offered(page):
    """The titles of the tables of papers."""
    menu = page.partition('<ul class="presets">')[2].partition("</ul>")[0]
    return [html.unescape(title) for title in re.findall(r"<a [^>]*>(.*?)</a>", menu)]


@pytest.mark.parametrize(
    ("attribute", "subset", "fitting", "other"),
    [
        ("overall", "Neighbor", "LLMBar, both orders", "position bias on SummEval"),
        ("relevance", "", "position bias on SummEval", "LLMBar, both orders"),
    ],
)
def test_only_tables_of_papers_that_fit_the_dataset_are_offered(client, attribute, subset, fitting, other):
    [context] = one_context(2, 1)
    context = json.loads(json.dumps({**context, "subset": subset}).replace("overall", attribute))
    run = compared(make_dataset([context]), answers("a b first", "b a second").replace("overall", attribute))

    titles = offered(read(client, "study", create_study("Hard", runs=[run])))

    assert any(fitting in title for title in titles)
    assert not any(other in title for title in titles)
    assert any("accuracy on all datasets" in title for title in titles)


def test_table_without_a_value_names_the_reason_once_and_leads_to_accuracy(client):
    dataset = make_dataset(one_context(2, 2))
    study = create_study("Ties", runs=[compared(dataset, answers("a b 0.9"), judge=name) for name in ("one", "two")])

    page = read(client, "study", study, preset="comparative-7")
    correlations = read(client, "study", study, preset="comparative-6")

    assert re.findall(r"<p>(No cell has a value: .*?)</p>", page) == [f"No cell has a value: {WITHOUT_PREFERENCE}."]
    assert '<a class="button quiet" href="?figure=accuracy">Show accuracy</a>' in correlations
    assert "Show accuracy" not in page


def test_note_of_a_table_stands_above_it_and_names_fewer_comparisons(client):
    study = create_study("Many", runs=[compared(make_dataset(contexts()), right_in(20))])

    page = read(client, "study", study, preset="comparative-7")

    note = "raw accuracy on SummEval: Pairs count whose two human scores differ."
    assert page.index(note) < page.index('<table class="figures"')

    page = read(client, "study", study, preset="poe-48")

    assert "These runs have 3 comparisons per context, the paper 48." in page
    assert "Curves at 48" not in page
