"""The people of a campaign, for the researcher who invites them. Nothing here is about their votes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from judging.models import Campaign, Enrolment, Participation, User


@dataclass(frozen=True, slots=True)
class CampaignPerson:
    """A person of a campaign. name: from the invitation, the platform or the account.

    study, session: parameters of the recruiting platform; empty without one. joined_at: None if added by hand.
    """

    name: str
    takes_part: bool
    joined_at: datetime | None
    completed_at: datetime | None
    study: str = ""
    session: str = ""

    @property
    def state(self) -> str:
        if not self.takes_part:
            return "removed"
        return "finished" if self.completed_at else "takes part"


def people_in_campaign(campaign: Campaign) -> list[CampaignPerson]:
    """Return everybody who takes part or came in by an invitation, in order of coming."""
    participating = Participation.objects.filter(campaign=campaign).select_related("annotator").order_by("pk")
    accounts = {participation.annotator_id: participation.annotator for participation in participating}
    enrolments = Enrolment.objects.filter(campaign=campaign).select_related("annotator", "invitation")
    enrolled = list(enrolments.order_by("pk"))
    invited = [_enrolled_person(one, takes_part=one.annotator_id in accounts) for one in enrolled]
    by_hand = accounts.keys() - {one.annotator_id for one in enrolled}
    return [*_added_by_hand(accounts, by_hand), *invited]


def people_rows(campaign: Campaign) -> Iterator[dict[str, object]]:
    """Yield the lines of a table of people. Columns of the platform have its own names."""
    for person in people_in_campaign(campaign):
        yield {
            "person": person.name,
            "STUDY_ID": person.study,
            "SESSION_ID": person.session,
            "joined_at": person.joined_at and person.joined_at.isoformat(),
            "completed_at": person.completed_at and person.completed_at.isoformat(),
            "state": person.state,
        }


def _enrolled_person(enrolment: Enrolment, *, takes_part: bool) -> CampaignPerson:
    label = enrolment.invitation.person if enrolment.invitation else ""
    return CampaignPerson(
        name=enrolment.platform_person or label or enrolment.annotator.get_username(),
        takes_part=takes_part,
        joined_at=enrolment.enrolled_at,
        completed_at=enrolment.completed_at,
        study=enrolment.platform_study,
        session=enrolment.platform_session,
    )


def _added_by_hand(accounts: dict[int, User], chosen: set[int]) -> Iterator[CampaignPerson]:
    for pk, account in accounts.items():
        if pk in chosen:
            yield CampaignPerson(account.get_username(), takes_part=True, joined_at=None, completed_at=None)
