"""The state of a campaign: opening, pausing and closing it, and its deadline."""

from dataclasses import dataclass
from datetime import datetime

from django.utils import timezone

from evenhand.refusals import Refused
from judging.models import Campaign, CampaignState
from judging.models.activity_and_looks import Act
from judging.models.labelling.campaign_states import NEXT_STATES
from judging.services.activity import noted

NOT_OPEN = {
    CampaignState.DRAFT: "This campaign has not started yet.",
    CampaignState.PAUSED: "This campaign is paused.",
    CampaignState.CLOSED: "This campaign is closed.",
    CampaignState.ARCHIVED: "This campaign is closed.",
}
"""State without votes -> the sentence that annotators read."""
EFFECTS = {
    CampaignState.OPEN: "Annotators can vote.",
    CampaignState.PAUSED: "Nobody can vote until you open it again. All votes are kept.",
    CampaignState.CLOSED: "Nobody can vote or join. All votes are kept, and you can open it again.",
    CampaignState.ARCHIVED: "It leaves the lists. Figures keep its votes, and you can bring it back.",
}
"""New state -> its effect."""


VERBS = {
    CampaignState.OPEN: "Open",
    CampaignState.PAUSED: "Pause",
    CampaignState.CLOSED: "Close",
    CampaignState.ARCHIVED: "Archive",
}
"""New state -> the label of its button."""


class CampaignNotOpen(Refused):
    """Raised for an answer, or a request for a pair, while the campaign takes no votes."""

    def __init__(self, campaign: Campaign) -> None:
        super().__init__(NOT_OPEN[campaign.state])
        self.campaign = campaign


@dataclass(frozen=True, slots=True)
class NextState:
    """A state that a researcher may give a campaign next. verb, effect: in words."""

    state: CampaignState
    verb: str
    effect: str


def next_states(campaign: Campaign) -> list[NextState]:
    """Return the states that may follow the campaign's state; no opening after the deadline."""
    states = NEXT_STATES[campaign.state]
    allowed = [state for state in states if state != CampaignState.OPEN or not campaign.is_over]
    verbs = VERBS | ({CampaignState.CLOSED: "Bring back"} if campaign.state == CampaignState.ARCHIVED else {})
    return [NextState(state, verbs[state], EFFECTS[state]) for state in allowed]


def require_taking_votes(campaign: Campaign) -> None:
    """Raise CampaignNotOpen if the campaign takes no votes now."""
    if campaign.state != CampaignState.OPEN:
        raise CampaignNotOpen(campaign)


@noted(Act.CHANGE, what="{state}")
def change_state(campaign: Campaign, *, state: str) -> None:
    """Give a campaign another state; the same one changes nothing.

    Answers that are being stored come first; later ones meet the new state.
    Raises Refused if the state cannot follow, and on opening after the deadline.
    """
    wait_for_answers(campaign)
    now = Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
    if state == now.state:
        return
    if state not in NEXT_STATES[now.state]:
        choices = " or ".join(NEXT_STATES[now.state])
        raise Refused(f'state: "{state}" cannot follow "{now.state}" — choose {choices}')
    if state == CampaignState.OPEN and now.deadline is not None:
        require_ahead(now.deadline)
    Campaign.objects.filter(pk=campaign.pk).update(chosen_state=state)
    campaign.chosen_state = state


@noted(Act.CHANGE, what="deadline")
def change_deadline(campaign: Campaign, *, deadline: datetime | None) -> None:
    """Set or remove the deadline. A later one opens a campaign again that the old one closed.

    Raises Refused if the new deadline has passed.
    """
    if deadline == campaign.deadline:
        return
    wait_for_answers(campaign)
    require_ahead(deadline)
    Campaign.objects.filter(pk=campaign.pk).update(deadline=deadline)
    campaign.deadline = deadline


def require_ahead(deadline: datetime | None) -> None:
    """Raise Refused if a deadline has passed."""
    if deadline is not None and deadline <= timezone.now():
        raise Refused(f"deadline: {deadline:%Y-%m-%d %H:%M} UTC has passed — give a later time, or none")


def wait_for_answers(campaign: Campaign) -> None:
    """Wait for answers that are being stored, and hold back new ones until the transaction ends."""
    list(campaign.participations.select_for_update(no_key=True).order_by("pk").values_list("pk"))
