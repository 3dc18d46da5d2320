"""A campaign with the settings of another one."""

from collections.abc import Collection
from typing import Annotated

from evenhand.options import Option
from judging.models import Campaign, CampaignState, PairAnswer, Purpose, Run, User
from judging.models.activity_and_looks import Act
from judging.models.labelling.answer_rules import ANSWER_LIMITS, ANSWER_RULES
from judging.services.activity import noted
from judging.services.campaign_pairs.asked_pairs import AskedPair
from judging.services.campaign_pairs.campaign_selection import GIVEN
from judging.services.campaign_pairs.gold_pairs import CHECK_SHARES, set_check_shares, store_gold_pairs
from judging.services.campaign_pairs.known_candidates import AnsweredPair
from judging.services.campaign_pairs.rating_scales import own_scales, scale_options
from judging.services.campaign_pairs.training import store_training_pairs
from judging.services.campaigns.campaign_setup import ANNOTATORS, create_campaign
from judging.services.invitations.consent import current_consent_text, set_consent_text
from judging.services.names import name_problems

COPIED_SETTINGS = (
    "kind",
    "guidelines",
    "text_format",
    "votes_per_pair",
    "wanted_width",
    *ANSWER_LIMITS,
    "allow_repeats",
    *ANSWER_RULES,
)


def name_of_copy(campaign: Campaign, owner: User | None) -> str:
    """Return a name that is free for the owner of the copy: "Coherence, copy", then "Coherence, copy 2"."""
    number, name = 1, f"{campaign.name}, copy"
    while name_problems(Campaign, name, owner):
        number += 1
        name = f"{campaign.name}, copy {number}"
    return name


@noted(Act.CREATE, returned=True)
def copy_campaign(
    campaign: Campaign,
    created_by: User | None = None,
    *,
    name: Annotated[
        str, Option('Name of the copy. Without it, the name of the campaign and "copy".', "Name", longest=200)
    ] = "",
    annotators: Annotated[Collection[User], ANNOTATORS] = (),
) -> Campaign:
    """Create a draft with the settings, guidelines, consent text, gold and training pairs of a campaign.

    Its pairs are drawn by the same rule with a fresh seed. Pairs that were listed one by one are listed again.
    Raises Refused with every problem.
    """
    chosen = dict(campaign.pair_choice)
    rule = chosen.pop("rule")
    runs = list(Run.objects.filter(pk__in=chosen.pop("runs")).order_by("pk"))
    asked = campaign.pairs.asked().order_by("position").values_list("one", "other", "attribute")
    copy = create_campaign(
        campaign.dataset,
        attributes=campaign.attributes_in_order(),
        questions={name: question for name, question in campaign.own_questions().items() if question},
        **scale_options(own_scales(campaign)),
        name=name.strip() or name_of_copy(campaign, created_by),
        state=CampaignState.DRAFT,
        selection=rule,
        runs=runs,
        given_pairs=[AskedPair(*pair) for pair in asked] if rule == GIVEN else None,
        annotators=annotators,
        created_by=created_by,
        **chosen,
        **{column: getattr(campaign, column) for column in COPIED_SETTINGS},
    )
    if consent := current_consent_text(campaign):
        set_consent_text(copy, text=consent.text, created_by=created_by)
    if not campaign.is_of_ratings:
        _copy_known_pairs(campaign, copy)
    return copy


def _copy_known_pairs(campaign: Campaign, copy: Campaign) -> None:
    texts = ("one", "other", "attribute")
    gold = campaign.pairs.filter(purpose=Purpose.GOLD).select_related(*texts).order_by("position")
    store_gold_pairs(
        copy,
        [AnsweredPair(pair.one, pair.compared_with, PairAnswer(pair.gold_answer), pair.attribute) for pair in gold],
    )
    training = campaign.training_pairs.select_related(*texts).order_by("position")
    answered = [
        AnsweredPair(one.one, one.other, PairAnswer(one.answer), one.attribute, one.explanation) for one in training
    ]
    store_training_pairs(copy, answered)
    shares = {name: getattr(campaign, name) for name in CHECK_SHARES}
    without = ([] if gold else ["gold_pass_mark"]) + ([] if training else ["training_pass_mark"])
    set_check_shares(copy, **shares | dict.fromkeys(without, 0.0))
