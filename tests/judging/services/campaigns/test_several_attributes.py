"""Campaigns on several attributes: annotators answer all questions on two texts one after the other."""

import numpy as np
import pytest
from django.db import connection

from evenhand.formats.recorded.known_pairs import KnownPair
from evenhand.refusals import Refused
from judging.models import Assignment
from judging.services.campaign_pairs.gold_pairs import add_gold_pairs, set_check_shares
from judging.services.campaigns.next_pair import next_pair
from judging.services.campaigns.overlaps import Overlap, find_overlaps
from judging.services.campaigns.progress.campaign_report import attribute_progress
from judging.services.campaigns.skips_and_undo import skip_pair
from tests.campaigns import (
    act_at_random,
    answer,
    expire,
    make_annotator,
    make_campaign,
    make_ready_campaign,
    vote,
    wrong_places,
)
from tests.factories import make_dataset

pytestmark = pytest.mark.django_db

NAMES = ("coherence", "fluency", "relevance")


def make_dataset_with_attributes(candidates=(2, 2, 2), attributes=NAMES):
    return make_dataset(candidates=candidates, attributes=attributes)


def campaign_on_all(*people, candidates=(2, 2, 2), attributes=NAMES, **fields):
    """A campaign on all attributes of a new dataset, in its order."""
    dataset = make_dataset_with_attributes(candidates, attributes)
    return make_ready_campaign(*people, dataset=dataset, attributes=dataset.attributes.all(), **fields)


def shown(assignment):
    """The context and the attribute of a pair."""
    return assignment.pair.one.context.key, assignment.pair.attribute.name


def contexts_and_attributes(person):
    return [shown(one) for one in person.assignments.answered().with_texts()][::-1]


def test_attributes_of_a_pair_come_one_after_the_other_in_the_order_of_the_campaign():
    ann = make_annotator("ann")
    dataset = make_dataset_with_attributes()
    order = [dataset.attributes.get(name=name) for name in ("relevance", "coherence")]
    campaign = make_ready_campaign(ann, dataset=dataset, attributes=order)

    for _ in range(6):
        vote(campaign, ann)

    seen = contexts_and_attributes(ann)
    assert [attribute for _, attribute in seen] == ["relevance", "coherence"] * 3
    assert [context for context, _ in seen[::2]] == [context for context, _ in seen[1::2]]
    assert next_pair(campaign, annotator=ann) is None


def test_sides_are_the_same_on_all_attributes_of_a_pair():
    ann = make_annotator("ann")
    campaign = campaign_on_all(ann, candidates=(4,))

    for _ in range(18):
        vote(campaign, ann)

    sides = {}
    for one in ann.assignments.select_related("pair"):
        sides.setdefault((one.pair.one_id, one.pair.other_id), set()).add(one.swapped)
    assert {len(swapped) for swapped in sides.values()} == {1}
    assert sum(swapped == {True} for swapped in sides.values()) == 3


def test_pairs_need_their_votes_on_each_attribute():
    people = [make_annotator(name) for name in ("ann", "ben", "cem")]
    campaign = campaign_on_all(*people, votes_per_pair=2)

    for person in people:
        while assignment := next_pair(campaign, annotator=person):
            answer(assignment)

    assert wrong_places(campaign) == []
    assert [(one.attribute, one.done, one.complete) for one in attribute_progress(campaign)] == [
        (name, 6, 3) for name in NAMES
    ]


def test_skipping_one_question_keeps_the_others_of_the_pair():
    ann, ben = make_annotator("ann"), make_annotator("ben")
    campaign = campaign_on_all(ann, ben, candidates=(2,), votes_per_pair=1)

    vote(campaign, ann)
    skip_pair(next_pair(campaign, annotator=ann), reason="undecided")
    vote(campaign, ann)

    assert [attribute for _, attribute in contexts_and_attributes(ann)] == list(NAMES)
    assert shown(next_pair(campaign, annotator=ben))[1] == "fluency"


def test_questions_that_wait_are_shown_later_and_held_while_the_first_is_read():
    ann, ben = make_annotator("ann"), make_annotator("ben")
    campaign = campaign_on_all(ann, ben, candidates=(2,), votes_per_pair=1)
    first = next_pair(campaign, annotator=ann)
    for one in ann.assignments.all():
        expire(one)

    again = next_pair(campaign, annotator=ann)

    assert again.pk == first.pk
    assert list(ann.assignments.filter(shown_at=None).values_list("pair__attribute__name", flat=True)) == list(
        NAMES[1:]
    )
    assert next_pair(campaign, annotator=ben) is None
    answer(again)
    assert next_pair(campaign, annotator=ann).shown_at is not None


def test_pairs_seen_elsewhere_on_one_attribute_are_asked_on_the_others():
    ann = make_annotator("ann")
    dataset = make_dataset_with_attributes((2,))
    earlier = make_ready_campaign(ann, dataset=dataset, name="earlier")
    vote(earlier, ann)

    campaign = make_ready_campaign(ann, dataset=dataset, name="later", attributes=dataset.attributes.all())

    assert [shown(vote(campaign, ann).assignment)[1] for _ in range(2)] == ["fluency", "relevance"]
    assert next_pair(campaign, annotator=ann) is None
    assert find_overlaps(campaign) == [Overlap("earlier", 1, 1)]


def test_places_are_right_on_each_attribute_after_any_answers():
    rng = np.random.default_rng(0)
    people = [make_annotator(f"person-{number}") for number in range(3)]
    campaign = campaign_on_all(*people, candidates=(3,), attributes=NAMES[:2], votes_per_pair=2)

    for _ in range(40):
        act_at_random(campaign, people[rng.integers(3)], rng)
        assert wrong_places(campaign) == []


def test_next_pair_is_looked_up_in_an_index_with_several_attributes():
    ann = make_annotator("ann")
    campaign = campaign_on_all(ann)
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":  # with few rows it would read them all
            cursor.execute("SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off")

    plan = campaign.next_pairs(ann).filter(turn__gte=5)[:1].explain()

    assert "free_pairs_by_turn" in plan
    assert "position<?" not in plan
    assert "TEMP B-TREE" not in plan
    assert "Sort" not in plan


def test_gold_pairs_come_on_all_their_attributes_one_after_the_other():
    ann = make_annotator("ann")
    campaign = campaign_on_all(ann, attributes=("coherence", "fluency"))
    pairs = [KnownPair("c0", "a", "b", "first", attribute=name) for name in ("fluency", "coherence")]

    add_gold_pairs(campaign, pairs)
    set_check_shares(campaign, repeat_share=0, gold_share=1)
    while assignment := next_pair(campaign, annotator=ann):
        answer(assignment)

    seen = contexts_and_attributes(ann)
    gold = [position for position, (context, _) in enumerate(seen) if context == "c0"]
    assert [seen[position][1] for position in gold] == ["coherence", "fluency"]
    assert gold[1] == gold[0] + 1
    assert len(set(ann.assignments.filter(purpose="gold").values_list("swapped", flat=True))) == 1


def test_gold_pairs_name_their_attribute_where_there_are_several():
    campaign = campaign_on_all(attributes=("coherence", "fluency"))

    with pytest.raises(Refused) as refused:
        add_gold_pairs(campaign, [KnownPair("c0", "a", "b", "tie"), KnownPair("c1", "a", "b", "tie", attribute="x")])

    assert refused.value.problems == (
        "attribute: is empty — the campaign has several; name one of coherence, fluency",
        'attribute: "x" is not an attribute of the campaign',
    )


def test_repeats_come_on_all_attributes_with_swapped_sides():
    ann = make_annotator("ann")
    campaign = campaign_on_all(ann, candidates=(2,) * 8, attributes=("coherence", "fluency"))
    set_check_shares(campaign, repeat_share=0.2, gold_share=0)

    while assignment := next_pair(campaign, annotator=ann):
        answer(assignment)

    repeats = list(ann.assignments.filter(purpose="repeat").order_by("pk").select_related("pair__attribute"))
    assert [one.pair.attribute.name for one in repeats] == ["coherence", "fluency"] * 2
    assert {one.pair.one_id for one in repeats[:2]} == {repeats[0].pair.one_id}
    for one in repeats:
        before = Assignment.objects.exclude(purpose="repeat").get(pair=one.pair, annotator=ann)
        assert one.swapped is not before.swapped


def test_adaptive_campaigns_choose_each_pair_for_all_attributes():
    ann = make_annotator("ann")
    campaign = campaign_on_all(
        ann, candidates=(5,), attributes=NAMES[:2], selection="adaptive", pairs_per_context=8, votes_per_pair=1
    )

    while assignment := next_pair(campaign, annotator=ann):
        answer(assignment)

    seen = contexts_and_attributes(ann)
    assert [attribute for _, attribute in seen] == list(NAMES[:2]) * 8
    assert campaign.pairs.count() == campaign.pairs_planned == 16


def test_agreement_is_never_compared_between_attributes():
    ann, ben = make_annotator("ann"), make_annotator("ben")
    campaign = campaign_on_all(ann, ben, candidates=(2,), attributes=("coherence", "fluency"), votes_per_pair=2)

    for person, preferred in ((ann, ("a", "a")), (ben, ("a", "b"))):
        for key in preferred:
            assignment = next_pair(campaign, annotator=person)
            answer(assignment, "first" if assignment.first.key == key else "second")

    progress = {one.attribute: one.agreement for one in attribute_progress(campaign)}
    assert {name: (one.percent, one.compared, one.disputed) for name, one in progress.items()} == {
        "coherence": (100, 1, 0),
        "fluency": (0, 1, 1),
    }


def test_campaign_refuses_attributes_that_it_cannot_ask():
    dataset = make_dataset_with_attributes((2,))
    coherence = dataset.attributes.first()

    with pytest.raises(Refused, match="attributes: missing — choose one or more"):
        make_campaign(dataset, attributes=[])
    with pytest.raises(Refused, match='attribute: "coherence" is given twice'):
        make_campaign(dataset, attributes=[coherence, coherence])
    with pytest.raises(Refused, match='questions: "fluency" is not an attribute of the campaign'):
        make_campaign(dataset, attributes=[coherence], questions={"fluency": "Which flows?"})
