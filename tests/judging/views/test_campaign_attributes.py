"""Pages of campaigns on several attributes: the form, the guidelines, the question, own votes, the campaign's page."""

import pytest
from django.urls import reverse

from judging.models import Attribute, Campaign
from tests.campaigns import make_annotator, make_ready_campaign, vote
from tests.factories import make_dataset, make_user

pytestmark = pytest.mark.django_db

NAMES = ("coherence", "fluency", "relevance")


@pytest.fixture
def ann():
    return make_annotator("ann")


@pytest.fixture
def dataset():
    dataset = make_dataset(candidates=(2, 2), attributes=NAMES)
    for name, adjective in zip(NAMES, ("coherent", "fluent", "relevant"), strict=True):
        Attribute.objects.filter(name=name).update(adjective=adjective, definition=f"What {name} means.")
    return dataset


@pytest.fixture
def campaign(dataset, ann):
    """A campaign on fluency, then coherence."""
    attributes = [dataset.attributes.get(name=name) for name in ("fluency", "coherence")]
    return make_ready_campaign(ann, dataset=dataset, attributes=attributes, questions={"coherence": "Which hangs?"})


def page(client, name, *args):
    return client.get(reverse(name, args=args)).content.decode()


def create(client, dataset, **values):
    """Post the form of a new campaign on a dataset."""
    client.force_login(make_user("rita", "researcher"))
    address = f"{reverse('campaign-new')}?dataset={dataset.pk}"
    return client.post(address, {"name": "New", "votes_per_pair": 1} | values)


@pytest.mark.parametrize(
    ("orders", "problem"),
    [
        (("1", "1"), "Order: 2 attributes have the number 1. Give each its own."),
        (("0", ""), "Order: “0” — give a whole number from 1 to 1,000."),
        (("x", ""), "Order: “x” — give a whole number from 1 to 1,000."),
    ],
)
def test_form_refuses_an_order_that_is_none_and_keeps_the_values(client, dataset, orders, problem):
    values = {f"attributes_order_{name}": order for name, order in zip(NAMES[:2], orders, strict=True)}

    response = create(client, dataset, attributes=NAMES[:2], **values)

    assert response.context["form"].errors["attributes"] == [problem]
    html = response.content.decode()
    assert f'name="attributes_order_coherence" value="{orders[0]}"' in html
    assert html.count(' checked aria-invalid="true">') == 2
    assert not Campaign.objects.exists()


def test_form_ticks_the_first_attribute_at_first(client, dataset):
    client.force_login(make_user("rita", "researcher"))

    html = client.get(reverse("campaign-new"), {"dataset": dataset.pk}).content.decode()

    first = dataset.attributes.first()
    assert f'name="attributes" value="coherence" id="id_attributes_{first.pk}" checked>' in html
    assert 'placeholder="Which summary is more fluent?"' in html


def test_questions_are_changed_by_attribute_before_the_first_vote(client, campaign):
    client.force_login(make_user("root", "admin"))
    address = reverse("campaign-edit", args=[campaign.pk])
    values = {"question_0": "Which flows?", "question_1": "", "allow_ties": "on"}

    client.post(address, values | {"annotators": [person.username for person in campaign.annotators.all()]})

    assert campaign.own_questions() == {"fluency": "Which flows?", "coherence": ""}
    assert "Question on fluency" in page(client, "campaign-edit", campaign.pk)


def test_guidelines_list_all_questions_with_their_definitions(client, ann, campaign):
    client.force_login(ann)

    html = page(client, "guidelines", campaign.pk)

    assert "You answer 2 questions on each pair, one after the other." in html
    assert "<strong>Which summary is more fluent?</strong> What fluency means." in html
    assert "<strong>Which hangs?</strong> What coherence means." in html


def test_each_pair_asks_the_question_of_its_attribute_and_names_the_others(client, ann, campaign):
    client.force_login(ann)

    first = page(client, "annotate", campaign.pk)
    vote(campaign, ann)
    second = page(client, "annotate", campaign.pk)

    assert "<title>Which summary is more fluent? · Evenhand</title>" in first
    assert '<li aria-current="step">fluency</li>' in first
    assert "<title>Which hangs? · Evenhand</title>" in second
    assert '<li aria-current="step">coherence</li>' in second
    assert "What coherence means." in second
    assert "What fluency means." not in second


def test_own_votes_name_their_questions(client, ann, campaign):
    votes = [vote(campaign, ann) for _ in range(2)]
    client.force_login(ann)

    html = page(client, "vote-list", campaign.pk)
    change = page(client, "vote-change", campaign.pk, votes[0].assignment.key)

    assert html.index("<p>Which hangs?</p>") < html.index("<p>Which summary is more fluent?</p>")
    assert "Which summary is more fluent?" in change
    assert "Which hangs?" not in change


def test_researchers_see_progress_and_agreement_of_each_attribute(client, ann, campaign):
    vote(campaign, ann)
    client.force_login(make_user("rita", "researcher"))

    html = page(client, "campaign", campaign.pk)

    assert "<strong>0</strong> of <strong>4</strong> questions have all their votes." in html
    assert "<strong>1</strong> of <strong>12</strong> votes recorded." in html
    assert "Pairwise agreement:" not in html
    table = html.split('aria-label="Attributes"')[1].split("</table>")[0]
    assert table.index("fluency") < table.index("coherence")
    assert "1 of 6" in table
    assert "0 of 6" in table
    assert f"{reverse('dataset-quality', args=[campaign.dataset_id])}?attribute=coherence" in table
