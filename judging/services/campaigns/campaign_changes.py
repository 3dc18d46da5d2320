"""Changes of a campaign: what may be changed, and all changes of one request together."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import transaction
from django.utils import timezone

from evenhand.refusals import Refused
from judging.models import Assignment, Campaign, User
from judging.models.activity_and_looks import Act
from judging.models.labelling.answer_rules import ANSWER_LIMITS
from judging.services.activity import noted
from judging.services.campaign_pairs.asked_pairs import AskedPair
from judging.services.campaign_pairs.campaign_draw import SIZES, add_listed_pairs, add_pairs
from judging.services.campaign_pairs.known_candidates import AnsweredPair, find_candidates
from judging.services.campaigns.answer_rules import CHANGEABLE, has_votes, revise_rules
from judging.services.campaigns.campaign_setup import set_annotators
from judging.services.campaigns.campaign_states import change_deadline, change_state, wait_for_answers
from judging.services.campaigns.guidelines import change_guidelines
from judging.services.campaigns.places_of_pairs import recount_places

GROWING = ("votes_per_pair", *SIZES)
"""Settings that may grow while a campaign runs."""


@noted(Act.CHANGE)
def change_campaign(campaign: Campaign, changes: Mapping[str, Any], *, changed_by: User | None) -> None:
    """Make all changes or none. changes: name of an option of `create_campaign` -> new value; state: the next one.

    pairs: pairs to add to listed ones, as KnownPair. What is not named stays.
    Raises Refused for changes that come too late, and for a state that cannot follow.
    """
    rules = {name: changes[name] for name in CHANGEABLE if name in changes}
    revise_rules(campaign, rules, questions=changes.get("questions") or {})
    if changes.keys() & {"pairs", *GROWING}:
        listed = find_candidates(campaign, changes.get("pairs") or ())
        grow_campaign(campaign, {name: changes[name] for name in GROWING if name in changes}, listed=listed)
    if "guidelines" in changes:
        change_guidelines(campaign, text=changes["guidelines"] or "", changed_by=changed_by)
    if "deadline" in changes:
        change_deadline(campaign, deadline=changes["deadline"])
    for name in {"wanted_width", *ANSWER_LIMITS} & changes.keys():
        Campaign.objects.filter(pk=campaign.pk).update(**{name: changes[name]})
        setattr(campaign, name, changes[name])
    if "state" in changes:
        change_state(campaign, state=changes["state"])
    if "annotators" in changes:
        set_annotators(campaign, annotators=changes["annotators"])


@transaction.atomic
def grow_campaign(campaign: Campaign, sizes: Mapping[str, Any], *, listed: Sequence[AnsweredPair] = ()) -> None:
    """Ask for more votes on each pair, or for more pairs. Given votes stay.

    Once there are votes, the campaign notes the change. sizes: of GROWING. listed: pairs to add to listed ones.
    Raises Refused for fewer pairs, and for fewer votes once there are some.
    """
    wait_for_answers(campaign)
    now = Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
    votes = sizes.get("votes_per_pair") or now.votes_per_pair
    is_running = has_votes(now)
    if votes < now.votes_per_pair and is_running:
        raise Refused(f"votes_per_pair: {votes} — people have voted: there can be more than {now.votes_per_pair} only")
    given = Assignment.objects.filter(campaign=now).counting().count()
    before = _sizes(now)
    now.votes_per_pair = votes
    add_pairs(now, {name: sizes[name] for name in SIZES if name in sizes})
    if listed:
        add_listed_pairs(now, [AskedPair(*pair.keys) for pair in listed])
    after = _sizes(now)
    if before != after:
        note = {"at": timezone.now().isoformat(), "votes": given, "before": before, "after": after}
        now.growth = [*now.growth, note] if is_running else now.growth
        now.save(update_fields=["votes_per_pair", "growth"])
        recount_places(now)
    campaign.refresh_from_db(fields=["votes_per_pair", "growth", "pair_choice", "pairs_planned"])


def _sizes(campaign: Campaign) -> dict[str, int]:
    asked = campaign.pairs.asked()
    contexts = asked.order_by().values("one__context").distinct().count()
    pairs = max(asked.count(), campaign.pairs_planned or 0)
    return {"votes_per_pair": campaign.votes_per_pair, "pairs": pairs, "contexts": contexts}
