"""The people of a campaign, for the researcher who invites them. Two noted services lead from votes to a person."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from typing import Annotated, Any

from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Sum

from evenhand.options import Option
from evenhand.refusals import Refused
from evenhand.report_json import Unwritten, Written
from judging.models import ANNOTATOR, Assignment, Campaign, Enrolment, Invitation, Participation, User
from judging.models.activity_and_looks import Act
from judging.models.users import RATER_PREFIX
from judging.services.activity import noted
from judging.services.invitations.completion import finished_people, people_over_limits

PSEUDONYM = Option("Pseudonym of a person of the campaign.", longest=200)


@dataclass(frozen=True, slots=True)
class CampaignPerson:
    """A person of a campaign. name: from the invitation, the platform or the account.

    enrolment, joined_at: None if added by hand; somebody who was stopped has an enrolment. is_finished: see
    finished_people. completed_at: when an invited person first read that no pair is left; None before, and for people
    added by hand. Both are days in UTC, because the minute of the last vote would name the person behind a pseudonym.
    excess: see people_over_limits. annotator: key of the account.
    study, session: parameters of the recruiting platform; empty without one.
    """

    annotator: Unwritten[int]
    enrolment: int | None
    name: str
    takes_part: Unwritten[bool] = True
    joined_at: date | None = None
    completed_at: date | None = None
    is_finished: Unwritten[bool] = False
    excess: Unwritten[str] = ""
    study: str = ""
    session: str = ""

    @property
    def state(self) -> Written[str]:
        """One of: takes part, finished, removed, too many skips, too often cannot judge, screened out."""
        if not self.takes_part:
            return "removed"
        if self.excess:
            return self.excess
        return "finished" if self.is_finished else "takes part"


@dataclass(frozen=True, slots=True)
class PersonBehind:
    """The person behind a pseudonym. person, study, session: as in the people of the campaign."""

    rater: str
    person: str
    study: str = ""
    session: str = ""

    @property
    def platform(self) -> Unwritten[dict[str, str]]:
        """The parameters of the recruiting platform, by name."""
        return {"study": self.study, "session": self.session}


@dataclass(frozen=True, slots=True)
class PersonToPay:
    """A person's work in a campaign, by name and pseudonym. state: as in the people of the campaign.

    votes: also on gold pairs and repeats, and excluded ones. excluded: those left out of figures.
    minutes: for which the answered pairs were visible.
    """

    person: str
    study: str
    session: str
    state: str
    rater: str
    votes: int
    excluded: int
    skips: int
    minutes: float


def people_in_campaign(campaign: Campaign) -> list[CampaignPerson]:
    """Return everybody who takes part, came in by an invitation or answered a pair.

    People added by hand come first, then the others in order of coming.
    """
    accounts = {account.pk: account for account in _people_with_parts_or_answers(campaign)}
    taking_part = {pk for pk, account in accounts.items() if account.takes_part}  # type: ignore[attr-defined]  # annotated
    enrolments = Enrolment.objects.filter(campaign=campaign).select_related("annotator", "invitation")
    enrolled = list(enrolments.order_by("pk"))
    invited = {one.annotator_id for one in enrolled}
    finished, over = finished_people(campaign), people_over_limits(campaign)
    by_hand = [account for pk, account in accounts.items() if pk not in invited]
    people = [CampaignPerson(account.pk, None, account.get_username()) for account in by_hand]
    people += map(_enrolled_person, enrolled)
    return [
        replace(
            one,
            takes_part=one.annotator in taking_part,
            is_finished=one.annotator in finished,
            excess=over.get(one.annotator, ""),
        )
        for one in people
    ]


def _people_with_parts_or_answers(campaign: Campaign) -> QuerySet[User]:
    """Return them with `takes_part`. Those without a part were removed, and their answers stay."""
    parts = Participation.objects.filter(campaign=campaign, annotator=OuterRef("pk"))
    answers = Assignment.objects.filter(campaign=campaign).answered().values("annotator")
    people = User.objects.annotate(takes_part=Exists(parts))
    return people.filter(Q(takes_part=True) | Q(pk__in=answers)).order_by("pk")


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


@noted(Act.IDENTIFY, what="everybody")
def people_to_pay(campaign: Campaign) -> list[PersonToPay]:
    """Return what each person did, to pay or reject them. It names pseudonyms, so the activity keeps who asked."""
    voted, skipped = Q(status=Assignment.Status.VOTED), Q(status=Assignment.Status.SKIPPED)
    counted = Assignment.objects.filter(campaign=campaign).order_by().values("annotator")
    counted = counted.annotate(
        votes=Count("pk", filter=voted),
        excluded=Count("pk", filter=Q(vote__excluded=True) | Q(rating__excluded=True)),
        skips=Count("pk", filter=skipped),
        milliseconds=Sum("visible_milliseconds", filter=voted | skipped, default=0),
    )
    work: dict[int, Mapping[str, Any]] = {row["annotator"]: row for row in counted}
    people = people_in_campaign(campaign)
    raters = {one.pk: one.rater_name for one in User.objects.filter(pk__in=[one.annotator for one in people])}
    return [_person_to_pay(one, raters[one.annotator], work.get(one.annotator, {})) for one in people]


def _person_to_pay(person: CampaignPerson, rater: str, work: Mapping[str, Any]) -> PersonToPay:
    minutes = work.get("milliseconds", 0) / 60_000
    done = (work.get("votes", 0), work.get("excluded", 0), work.get("skips", 0), minutes)
    return PersonToPay(person.name, person.study, person.session, person.state, rater, *done)


@noted(Act.CHANGE, on="campaign", what="people")
def remove_person(enrolment: Enrolment) -> None:
    """Take a person out of a campaign. Votes stay, and the link does not lead back in."""
    Participation.objects.filter(campaign=enrolment.campaign, annotator=enrolment.annotator).delete()


@noted(Act.CHANGE, on="campaign", what="people")
def take_back_person(enrolment: Enrolment) -> None:
    """Let a removed person take part again. Raises Refused if the account is not active."""
    if not enrolment.annotator.is_active:
        raise Refused("person: the account is not active any more")
    most_pairs = enrolment.invitation.most_pairs if enrolment.invitation else None
    Participation.objects.get_or_create(
        campaign=enrolment.campaign, annotator=enrolment.annotator, defaults={"most_pairs": most_pairs}
    )


@noted(Act.CHANGE, what="{rater}")
def stop_person(campaign: Campaign, *, rater: Annotated[str, PSEUDONYM]) -> None:
    """Take the person behind a pseudonym out of a campaign. Votes stay in figures, and no link leads back in.

    Raises Refused for a pseudonym of nobody in the campaign.
    """
    account = _account_behind(campaign, rater)
    Enrolment.objects.get_or_create(campaign=campaign, annotator=account)  # it blocks every link
    Participation.objects.filter(campaign=campaign, annotator=account).delete()


def _account_behind(campaign: Campaign, rater: str) -> User:
    took_part = Q(assignments__campaign=campaign) | Q(participations__campaign=campaign)
    in_campaign = took_part | Q(enrolments__campaign=campaign)
    account = User.objects.filter(in_campaign, rater_code=rater.strip().removeprefix(RATER_PREFIX)).first()
    if account is None:
        raise Refused(f'rater: nobody in {campaign.name} has the pseudonym "{rater}"')
    return account


@noted(Act.IDENTIFY, what="{rater}")
def identify_person(campaign: Campaign, *, rater: Annotated[str, PSEUDONYM]) -> PersonBehind:
    """Return the person behind a pseudonym, to pay, reject or block them. The activity keeps who asked.

    Raises Refused for a pseudonym of nobody in the campaign.
    """
    account = _account_behind(campaign, rater)
    came = Enrolment.objects.filter(campaign=campaign, annotator=account).select_related("annotator", "invitation")
    if enrolment := came.first():
        person = _enrolled_person(enrolment)
        return PersonBehind(account.rater_name, person.name, person.study, person.session)
    return PersonBehind(account.rater_name, account.get_username())


def annotators_to_offer(user: User | None, *, campaign: Campaign | None = None) -> QuerySet[User]:
    """Return the annotators whom a researcher may add to a campaign by hand, by name.

    Without participants of platforms, and people who registered for campaigns of other researchers.
    user: None for the shell, which may add all others.
    campaign: those who came in by one of its invitations are left out too.
    """
    enrolments = Enrolment.objects.filter(annotator=OuterRef("pk"))
    by_platform = enrolments.filter(invitation__admission=Invitation.Admission.PLATFORM)
    people = User.objects.filter(groups__name=ANNOTATOR, is_active=True).exclude(Exists(by_platform))
    if user is not None and not user.is_admin:
        people = people.exclude(Exists(enrolments.filter(registered=True).exclude(campaign__created_by=user)))
    if campaign is not None:
        people = people.exclude(Exists(enrolments.filter(campaign=campaign)))
    return people.order_by("username")


def enrolled_annotators(campaign: Campaign) -> QuerySet[User]:
    """Return the people who came in by an invitation and take part."""
    return User.objects.filter(enrolments__campaign=campaign, participations__campaign=campaign)


def _enrolled_person(enrolment: Enrolment) -> CampaignPerson:
    label = enrolment.invitation.person if enrolment.invitation else ""
    return CampaignPerson(
        annotator=enrolment.annotator_id,
        enrolment=enrolment.pk,
        name=enrolment.platform_person or label or enrolment.annotator.get_username(),
        joined_at=_day(enrolment.enrolled_at if enrolment.invitation else None),
        completed_at=_day(enrolment.completed_at),
        study=enrolment.platform_study,
        session=enrolment.platform_session,
    )


def _day(time: datetime | None) -> date | None:
    return None if time is None else time.astimezone(UTC).date()
