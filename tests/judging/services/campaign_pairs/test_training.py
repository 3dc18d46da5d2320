"""Training pairs with feedback, before the first vote."""

import pytest

from evenhand.formats.recorded.known_pairs import KnownPair
from evenhand.refusals import Refused
from judging.models import Campaign, TrainingAnswer, Vote
from judging.services.campaign_pairs.gold_pairs import set_check_shares
from judging.services.campaign_pairs.training import (
    TRAIN_AGAIN,
    TRAINING_FAILED,
    TrainingResult,
    answer_training_pair,
    failed_training,
    needs_training,
    next_training_pair,
    repeat_training,
    set_training_pairs,
    training_results,
    with_training,
)
from tests.campaigns import make_annotator, make_campaign, small_campaign, vote
from tests.factories import make_dataset

pytestmark = pytest.mark.django_db

PAIRS = [KnownPair("c0", "b", "a", "first", "The other one invents a date."), KnownPair("c1", "a", "c", "tie")]


def choose(shown, key):
    """Return the choice of the candidate with this key."""
    return "first" if shown.first.key == key else "second"


def test_training_pairs_come_in_their_order_with_feedback():
    ann = make_annotator("ann")
    campaign = make_campaign(annotators=[ann])
    set_training_pairs(campaign, PAIRS)

    first = next_training_pair(campaign, ann)
    right = answer_training_pair(first.pair, ann, choice=choose(first, "b"))
    second = next_training_pair(campaign, ann)
    wrong = answer_training_pair(second.pair, ann, choice="first")

    assert [(one.pair.one.context.key, one.number, one.total) for one in (first, second)] == [
        ("c0", 1, 2),
        ("c1", 2, 2),
    ]
    assert (right.is_right, right.explanation) == (True, "The other one invents a date.")
    assert (wrong.is_right, wrong.choice, wrong.answer) == (False, "first", "tie")
    assert next_training_pair(campaign, ann) is None
    assert not Vote.objects.exists()


def train(campaign, annotator, *keys):
    """Answer the training pairs by the candidates of these keys, or by a tie."""
    for key in keys:
        shown = next_training_pair(campaign, annotator)
        answer_training_pair(shown.pair, annotator, choice="tie" if key == "tie" else choose(shown, key))


def is_in_training(campaign, annotator):
    return needs_training(with_training(campaign.participations.filter(annotator=annotator)).get())


@pytest.mark.parametrize(
    ("mark", "keys", "right"),
    [
        (0.0, ("a", "a"), None),
        (0.5, ("b", "a"), None),
        (0.5, ("a", "tie"), None),
        (0.5, ("a", "a"), 0),
        (0.51, ("b", "a"), 1),
        (1.0, ("b", "tie"), None),
    ],
)
def test_people_below_the_pass_mark_still_need_the_training(mark, keys, right):
    ann, ben = make_annotator("ann"), make_annotator("ben")
    campaign = make_campaign(annotators=[ann, ben])
    set_training_pairs(campaign, PAIRS)
    set_check_shares(campaign, training_pass_mark=mark)

    before = failed_training(campaign, ann)
    train(campaign, ann, *keys)
    train(campaign, ben, "b", "tie")

    said = "" if right is None else f"{TRAINING_FAILED.format(right=right, total=2, share=100 * mark)} {TRAIN_AGAIN}"
    assert (before, failed_training(campaign, ann), is_in_training(campaign, ann)) == ("", said, bool(said))
    assert not is_in_training(campaign, ben)


def test_seven_of_ten_right_answers_pass_a_mark_of_seven_tenths():
    ann = make_annotator("ann")
    campaign = make_campaign(make_dataset(candidates=(2,) * 11), annotators=[ann])
    set_training_pairs(campaign, [KnownPair(f"c{number}", "a", "b", "first") for number in range(10)])
    set_check_shares(campaign, training_pass_mark=0.7)

    train(campaign, ann, *"aaaaaaabbb")

    assert not is_in_training(campaign, ann)


def test_the_training_is_done_again_after_too_few_right_answers_alone():
    ann, ben = make_annotator("ann"), make_annotator("ben")
    campaign = make_campaign(annotators=[ann, ben])
    set_training_pairs(campaign, PAIRS)
    set_check_shares(campaign, training_pass_mark=1)
    train(campaign, ann, "a", "a")
    train(campaign, ben, "b", "tie")

    repeat_training(campaign, ann)
    with pytest.raises(Refused, match="only after too few right answers"):
        repeat_training(campaign, ben)

    assert (next_training_pair(campaign, ann).number, next_training_pair(campaign, ben)) == (1, None)
    train(campaign, ann, "b", "tie")
    assert not is_in_training(campaign, ann)


def test_a_pass_mark_without_training_pairs_is_refused():
    campaign = make_campaign()

    with pytest.raises(Refused, match="training_pass_mark: the campaign has no training pairs"):
        set_check_shares(campaign, training_pass_mark=0.8)

    assert Campaign.objects.get().training_pass_mark == 0


def test_participation_needs_training_until_the_last_answer():
    ann, ben = make_annotator("ann"), make_annotator("ben")
    campaign, other = make_campaign(annotators=[ann, ben]), make_campaign(annotators=[ann, ben], name="other")
    set_training_pairs(campaign, PAIRS)

    def in_training():
        people = with_training(campaign.participations.all() | other.participations.all())
        return {(one.campaign_id, one.annotator_id) for one in people if needs_training(one)}

    assert in_training() == {(campaign.pk, ann.pk), (campaign.pk, ben.pk)}
    for _ in PAIRS:
        answer_training_pair(next_training_pair(campaign, ann).pair, ann, choice="tie")
    assert in_training() == {(campaign.pk, ben.pk)}


def test_feedback_is_right_for_either_order_of_the_texts():
    campaign = make_campaign()
    set_training_pairs(campaign, PAIRS)
    orders = set()
    for number in range(12):
        person = make_annotator(f"person-{number}")
        shown = next_training_pair(campaign, person)
        orders.add(shown.first.key)
        assert answer_training_pair(shown.pair, person, choice=choose(shown, "b")).is_right

    assert orders == {"a", "b"}
    assert training_results(campaign)[0] == TrainingResult(
        "coherence", "c0", "a", "b", "b", PAIRS[0].explanation, 12, 12
    )


def test_first_answer_counts():
    ann = make_annotator("ann")
    campaign = make_campaign()
    set_training_pairs(campaign, PAIRS)
    shown = next_training_pair(campaign, ann)
    answer_training_pair(shown.pair, ann, choice="tie")

    again = answer_training_pair(shown.pair, ann, choice=choose(shown, "b"))

    assert (again.choice, again.is_right) == ("tie", False)
    assert TrainingAnswer.objects.get().choice == "tie"


def test_training_is_fixed_once_somebody_has_answered():
    ann = make_annotator("ann")
    campaign = make_campaign()
    set_training_pairs(campaign, PAIRS)
    set_training_pairs(campaign, PAIRS[:1])
    answer_training_pair(next_training_pair(campaign, ann).pair, ann, choice="tie")

    with pytest.raises(Refused, match="annotators have answered training pairs"):
        set_training_pairs(campaign, PAIRS)

    assert campaign.training_pairs.count() == 1


def test_training_refuses_pairs_that_were_seen_and_a_campaign_without_others():
    ann = make_annotator("ann")
    seen = small_campaign(pairs=2, annotators=[ann])
    context = vote(seen, ann).context.key
    lonely = make_campaign(name="lonely", contexts=1)

    with pytest.raises(Refused, match="somebody has seen this pair"):
        set_training_pairs(seen, [KnownPair(context, "a", "b", "first")])
    with pytest.raises(Refused, match="no pair of the campaign is left"):
        set_training_pairs(lonely, [KnownPair("c0", "a", "b", "first")])

    assert (seen.pairs.count(), lonely.pairs.count()) == (2, 1)


@pytest.mark.parametrize("choice", ["", "better", "tie"])
def test_unknown_choices_are_refused(choice):
    ann = make_annotator("ann")
    campaign = make_campaign(allow_ties=False)
    set_training_pairs(campaign, PAIRS)

    with pytest.raises(Refused, match="choose one of the answers"):
        answer_training_pair(next_training_pair(campaign, ann).pair, ann, choice=choice)

    assert not TrainingAnswer.objects.exists()
