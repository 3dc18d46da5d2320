"""People who come in at the same moment, on a real PostgreSQL."""

import pytest
from django.db import connection

from evenhand.refusals import Refused
from judging.models import Enrolment, User
from judging.services.accounts.account_changes import active_admins, deactivate_account, set_roles
from judging.services.invitations.invitation_setup import create_invitation
from judging.services.invitations.joining import CannotJoin, PlatformArrival, enter_from_platform, join_campaign
from tests.campaigns import make_annotator, make_campaign
from tests.factories import make_user
from tests.parallel import run_in_parallel

pytestmark = [
    pytest.mark.postgres,
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor != "postgresql", reason="DATABASE_URL names no PostgreSQL"),
]


def is_done(action):
    """Return True if an action is done, False if it is refused."""
    try:
        action()
    except (CannotJoin, Refused):
        return False
    return True


def test_an_invitation_admits_exactly_as_many_people_as_it_says():
    campaign = make_campaign()
    invitation = create_invitation(campaign, admission="account", created_by=None, most_people=3)
    people = [make_annotator(f"person-{number}") for number in range(8)]

    joined = run_in_parallel(
        *[lambda one=one: is_done(lambda: join_campaign(invitation, annotator=one)) for one in people]
    )

    assert (sum(joined), campaign.annotators.count(), Enrolment.objects.count()) == (3, 3, 3)


def test_one_person_joins_once_by_several_links():
    campaign, ann = make_campaign(), make_annotator("ann")
    links = [create_invitation(campaign, admission="account", created_by=None) for _ in range(4)]

    joined = run_in_parallel(*[lambda one=one: is_done(lambda: join_campaign(one, annotator=ann)) for one in links])

    assert (joined, Enrolment.objects.count()) == ([True] * 4, 1)


def test_a_participant_in_several_tabs_is_one_account():
    invitation = create_invitation(make_campaign(), admission="platform", created_by=None)
    arrival = PlatformArrival("5f1", "s1", "t1")

    accounts = run_in_parallel(*[lambda: enter_from_platform(invitation, arrival=arrival).pk for _ in range(4)])

    assert len(set(accounts)) == 1
    assert User.objects.count() == 1


def test_admins_who_demote_each_other_leave_one_admin():
    ada, alan = make_user("ada", "admin"), make_user("alan", "admin")

    done = run_in_parallel(
        lambda: is_done(lambda: set_roles(alan, roles=["researcher"])),
        lambda: is_done(lambda: deactivate_account(ada)),
    )

    assert (sorted(done), active_admins().count()) == ([False, True], 1)
