"""The page of a context: its candidates side by side, with human scores and votes."""

import pytest
from django.urls import reverse

from judging.models import Candidate, HumanScore, Vote
from tests.factories import make_dataset

pytestmark = pytest.mark.django_db


@pytest.fixture
def read(client, researcher):
    """The text of a page, as a researcher gets it."""
    return lambda name, *args, **query: client.get(reverse(name, args=args), query).content.decode()


def test_context_leads_to_its_neighbours(client, researcher):
    one, middle, other = make_dataset(candidates=(1, 1, 1)).contexts.order_by("position")

    shown = [client.get(reverse("context", args=[context.pk])).context for context in (one, middle, other)]

    assert [(page["previous"], page["next"]) for page in shown] == [(None, middle), (one, other), (middle, None)]


def test_context_shows_the_mean_of_ratings_where_there_is_no_score(read):
    dataset = make_dataset(candidates=(2,))
    rated, scored = dataset.contexts.get().candidates.all()
    attribute = dataset.attributes.get()
    for rater, value in (("h1", 2), ("h2", 5)):
        HumanScore.objects.create(candidate=rated, attribute=attribute, rater=rater, value=value)
        HumanScore.objects.create(candidate=scored, attribute=attribute, rater=rater, value=value)
    HumanScore.objects.create(candidate=scored, attribute=attribute, value=4.25)

    page = read("context", dataset.contexts.get().pk)

    assert "coherence <strong>3.5</strong>" in page
    assert "coherence <strong>4.25</strong>" in page


@pytest.mark.parametrize("n", [1, 20])
def test_context_needs_the_same_queries_for_any_number_of_candidates(client, researcher, django_assert_num_queries, n):
    context = make_dataset(candidates=(n,)).contexts.get()

    with django_assert_num_queries(12):
        client.get(reverse("context", args=[context.pk]))


@pytest.fixture
def context():
    """A context with the texts a, b and c, without judgments on two attributes."""
    context = make_dataset(candidates=(3,), attributes=("coherence", "fluency")).contexts.get()
    HumanScore.objects.all().delete()
    return context


def score(context, **scores: float) -> None:
    for key, value in scores.items():
        HumanScore.objects.create(
            candidate=context.candidates.get(key=key), attribute=context.dataset.attributes.first(), value=value
        )


def vote(context, first: str, second: str, choice: str, *, rater: str = "h1", **fields: object) -> None:
    sides = {
        side: Candidate.objects.get(context=context, key=key)
        for side, key in {"first": first, "second": second}.items()
    }
    fields = {"attribute": context.dataset.attributes.first(), "rater": rater} | fields
    Vote.objects.create(context=context, choice=choice, **sides, **fields)


def keys_of(client, context, **query: str) -> list[str]:
    shown = client.get(reverse("context", args=[context.pk]), query).context["page_obj"]
    return [row.candidate.key for row in shown]


def test_context_sorts_candidates_by_the_score_of_an_attribute(client, researcher, context):
    score(context, b=5, c=1)

    assert keys_of(client, context) == ["a", "b", "c"]
    assert keys_of(client, context, sort="coherence") == ["b", "c", "a"]
    assert keys_of(client, context, sort="fluency") == ["a", "b", "c"]


def test_context_sorts_candidates_without_scores_by_the_votes_they_won(client, researcher, context):
    vote(context, "a", "b", "second")
    vote(context, "a", "c", "tie")

    assert keys_of(client, context, sort="coherence") == ["b", "c", "a"]


def test_context_counts_the_votes_of_each_candidate_that_count_in_figures(client, researcher, context):
    fluency = context.dataset.attributes.get(name="fluency")
    vote(context, "a", "b", "first")
    vote(context, "b", "a", "second")
    vote(context, "b", "a", "first", rater="h2")
    vote(context, "a", "b", "tie", rater="h3")
    vote(context, "a", "b", "both-bad", rater="h4")
    vote(context, "a", "b", "first", rater="h5", excluded=True)
    vote(context, "a", "b", "second", attribute=fluency)

    rows = client.get(reverse("context", args=[context.pk])).context["page_obj"]

    counts = [[(one.won, one.lost, one.tied) for one in row.judgments.values()] for row in rows]
    assert counts == [[(2, 1, 1), (0, 1, 0)], [(1, 2, 1), (1, 0, 0)], [(0, 0, 0), (0, 0, 0)]]


def test_context_shows_votes_next_to_scores(read, context):
    score(context, a=4)
    vote(context, "a", "b", "first")

    page = " ".join(read("context", context.pk).split())

    assert 'coherence <strong>4</strong> <span class="soft">1 won, 0 lost</span>' in page
    assert 'coherence <span class="soft">0 won, 1 lost</span>' in page
    assert 'coherence <em class="undefined">no score</em>' in page


def test_context_of_many_candidates_has_pages(client, researcher):
    context = make_dataset(candidates=(50,)).contexts.get()

    assert len(keys_of(client, context)) == 48
    assert len(keys_of(client, context, page="2")) == 2


def test_context_loads_the_answers_of_judges_on_the_sorted_attribute(read, context):
    address = reverse("context-answers", args=[context.pk])

    assert f'hx-get="{address}?part&amp;attribute=fluency"' in read("context", context.pk, sort="fluency")
    assert f'<a href="{address}">' in read("context", context.pk)
