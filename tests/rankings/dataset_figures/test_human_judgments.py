"""Human scores and rater agreement by attribute, as a page and as a part of the dataset's page."""

import numpy as np
import pytest
from django.urls import reverse

from evenhand.formats import RatingRecord
from judging.models import HumanScore, Vote
from judging.services.datasets.recorded.recorded_votes import import_ratings
from rankings.dataset_figures.human_judgments import human_judgments
from tests.factories import make_dataset
from tests.rankings.agreement.panels import judged, voted_dataset
from tests.rankings.pages import read

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("forget_reports")]


@pytest.fixture
def rated():
    """Candidates a to e. Three raters give each candidate 1 to 5; c0's candidate a also has its own score, 4.5."""
    dataset = make_dataset(candidates=(5,), attributes=("coherence", "fluency"))
    other = make_dataset("Others", candidates=(5,))
    HumanScore.objects.all().delete()
    for one in (dataset, other):
        attribute = one.attributes.get(name="coherence")
        for value, candidate in enumerate(one.contexts.get().candidates.all(), start=1):
            for shift, rater in enumerate(("h1", "h2", "h3")):
                HumanScore.objects.create(
                    candidate=candidate, attribute=attribute, rater=rater, value=min(5, value + shift)
                )
    first = dataset.contexts.get().candidates.first()
    HumanScore.objects.create(candidate=first, attribute=dataset.attributes.get(name="coherence"), value=4.5)
    return dataset


def test_scores_are_the_datasets_own_or_the_mean_of_the_ratings_or_there_is_none(rated):
    scores, none = (row.scores for row in human_judgments(rated).rows)

    known = [4.5, (2 + 3 + 4) / 3, (3 + 4 + 5) / 3, 14 / 3, 5]
    assert {bar.label: bar.count for bar in scores.histogram.bars} == {"3": 1, "4": 1, "4.5": 1, "4.667": 1, "5": 1}
    assert (scores.count, scores.mean, scores.sd) == (
        5,
        pytest.approx(np.mean(known)),
        pytest.approx(np.std(known, ddof=1)),
    )
    assert (none.count, none.mean, none.sd, none.histogram) == (0, None, None, None)


def test_agreement_equals_that_of_the_agreement_page(client, researcher):
    dataset = voted_dataset()
    judged(dataset, "careful")
    shown = client.get(reverse("dataset-agreement", args=[dataset.pk])).context["report"].attributes[0]

    [row] = human_judgments(dataset).rows

    assert row.agreement.people == shown.people
    assert row.agreement.ratings == shown.ratings
    assert row.votes == sum(rater.votes for rater in shown.raters if rater.kind == "human")


def test_new_rating_changes_the_figures(client, researcher, rated):
    before = human_judgments(rated).rows[0].scores.mean

    import_ratings([RatingRecord("new.csv", 1, "c0", "coherence", "b", "h4", 5.0)], dataset=rated)

    assert human_judgments(rated).rows[0].scores.mean == pytest.approx(before + ((2 + 3 + 4 + 5) / 4 - 3) / 5)


def test_part_is_the_same_table_without_the_frame_of_a_page(client, researcher, rated):
    part = read(client, "dataset-human-judgments", rated, part="")

    assert "no candidate has the ratings of two people" in part
    assert "<html" not in part
    assert part.strip() in read(client, "dataset-human-judgments", rated)


def test_page_draws_no_column_that_every_attribute_lacks(client, researcher):
    dataset = make_dataset(candidates=(2,))
    HumanScore.objects.all().delete()

    page = read(client, "dataset-human-judgments", dataset)

    assert "Mean (sd)" not in page
    assert "Votes" not in page


def test_dataset_page_loads_the_part_and_leads_to_the_page(client, researcher, rated):
    address = reverse("dataset-human-judgments", args=[rated.pk])

    page = read(client, "dataset", rated)

    assert f'hx-get="{address}?part"' in page
    assert f'href="{address}"' in page


def test_votes_that_no_figure_counts_are_named_beside_those_that_figures_count(client, researcher):
    dataset, other = voted_dataset(), voted_dataset(name="Others")
    votes = Vote.objects.filter(attribute__dataset=dataset).order_by("pk")
    total = votes.count()
    changes = [{"choice": "both-bad"}, {"choice": "cannot-judge"}, {"choice": "cannot-judge"}, {"excluded": True}]
    for vote, change in zip(votes, changes, strict=False):
        Vote.objects.filter(pk=vote.pk).update(**change)

    [row] = human_judgments(dataset).rows

    assert (row.votes, row.excluded_votes) == (total - 4, "1 both bad, 2 cannot judge, 1 other, excluded")
    assert human_judgments(other).rows[0].excluded_votes == ""
    page = client.get(reverse("dataset-human-judgments", args=[dataset.pk])).content.decode()
    assert f'{total - 4} <span class="soft">· 1 both bad, 2 cannot judge, 1 other, excluded</span>' in page
