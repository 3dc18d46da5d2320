"""The data of a person, and deleting the account."""

import json

import pytest
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from axes.models import AccessAttempt, AccessFailureLog, AccessLog
from django.core.serializers.json import DjangoJSONEncoder
from django.urls import reverse

from evenhand.refusals import Refused
from judging.models import ApiToken, Assignment, Enrolment, Invitation, User, Vote
from judging.services.accounts.own_data import own_data
from judging.services.campaigns.guidelines import note_guidelines_read
from judging.services.campaigns.next_pair import next_pair
from judging.services.campaigns.progress.campaign_progress import campaign_progress
from judging.services.campaigns.skips_and_undo import skip_pair
from judging.services.deletion.account_deletion import account_deletion, delete_account, delete_own_account
from judging.services.invitations.consent import accept_consent, set_consent_text
from judging.services.invitations.invitation_setup import create_invitation
from judging.services.invitations.joining import PlatformArrival, join_campaign
from tests.campaigns import make_annotator, make_campaign, vote
from tests.factories import make_dataset, make_token, make_user

pytestmark = pytest.mark.django_db
TRACES = (
    "zebulon",
    "zeb@example.org",
    "Obadiah",
    "5f1-pid",
    "study-7",
    "session-7",
    "zeb-key",
    "zeb-browser",
    "zeb-subject",
)


def annotator_with_traces(name="zebulon", trace="5f1-pid", campaign="First"):
    """An annotator who was invited by address, came from a platform, accepted a text, voted and skipped."""
    campaign = make_campaign(name=campaign, votes_per_pair=2)
    person = make_annotator(name)
    User.objects.filter(pk=person.pk).update(email="zeb@example.org", first_name="Obadiah")
    person.refresh_from_db()
    invitation = create_invitation(campaign, admission="account", created_by=None)
    Invitation.objects.filter(pk=invitation.pk).update(person="zeb@example.org")
    join_campaign(invitation, annotator=person, arrival=PlatformArrival(trace, "study-7", "session-7"))
    set_consent_text(campaign, text="We store votes.", created_by=None)
    accept_consent(campaign, annotator=person, version=1)
    note_guidelines_read(campaign, annotator=person)
    vote(campaign, person)
    skip_pair(next_pair(campaign, annotator=person), reason="other")
    return person


@pytest.fixture
def zebulon(client, settings):
    """An annotator with all kinds of data, who signed in once and failed once."""
    settings.AXES_ENABLED = True
    person = annotator_with_traces()
    client.post(reverse("account_login"), {"username": "zebulon", "password": "wrong"})
    client.post(reverse("account_login"), {"username": "zebulon", "password": "zebulon"}, HTTP_USER_AGENT="zeb-browser")
    make_token(person)
    SocialAccount.objects.create(user=person, provider="oidc", uid="zeb-subject")
    Authenticator.objects.create(user=person, type="webauthn", data={"name": "zeb-key"})
    return person


def everything_stored():
    """Return the text of every row of ours, of sign-ins and of tokens."""
    from django.apps import apps

    apps_with_people = map(apps.get_app_config, ("judging", "axes", "account", "mfa", "usersessions", "socialaccount"))
    models = [model for app in apps_with_people for model in app.get_models()]
    rows = [list(model.objects.values()) for model in models]
    return json.dumps(rows, cls=DjangoJSONEncoder)


def test_own_data_have_every_answer_consent_and_sign_in(zebulon):
    vote(make_campaign(name="Of somebody"), make_annotator("ben"))

    data = own_data(zebulon)

    assert data["account"]["email"] == "zeb@example.org"
    assert data["account"]["rater_name"] == zebulon.rater_name
    assert [(one["status"], one["choice"], one["skip_reason"]) for one in data["answers"]] == [
        ("voted", "first", ""),
        ("skipped", None, "other"),
    ]
    assert [[event["action"] for event in one["history"]] for one in data["answers"]] == [["voted"], ["skipped"]]
    cast = Vote.objects.get(user=zebulon)
    assert (data["answers"][0]["first"], data["answers"][0]["second"]) == (cast.first.text, cast.second.text)
    assert [(one["campaign"], one["version"], one["text"]) for one in data["consents"]] == [
        ("First", 1, "We store votes.")
    ]
    assert data["invitations"][0]["PROLIFIC_PID"] == "5f1-pid"
    assert (len(data["sign_ins"]), len(data["failed_sign_ins"])) == (1, 1)


def test_own_data_name_no_system_and_nobody_else(zebulon):
    vote(make_campaign(name="Of somebody"), make_annotator("ben"))

    text = json.dumps(own_data(zebulon), cls=DjangoJSONEncoder)

    assert not [word for word in ("system-a", "system-b", "ben", "Summaries", "Of somebody") if f'"{word}"' in text]


def test_a_deleted_account_leaves_no_trace_of_the_person(zebulon):
    before = everything_stored()

    delete_own_account(zebulon)

    after = everything_stored()
    assert [trace for trace in TRACES if trace not in before] == []
    assert [trace for trace in TRACES if trace in after] == []


def test_preview_of_a_deletion_counts_answers_and_nothing_of_the_sign_in(zebulon):
    goes = account_deletion(zebulon).goes

    assert goes["votes"] == 1
    assert {"authenticators", "social accounts", "user sessions"}.isdisjoint(goes)


def test_votes_stay_under_the_pseudonym(zebulon):
    rater, campaign = zebulon.rater_name, Vote.objects.get().assignment.campaign
    before = campaign_progress(campaign)

    delete_own_account(zebulon)

    assert list(Vote.objects.values_list("rater", flat=True)) == [rater]
    assert campaign_progress(campaign) == before
    assert Assignment.objects.filter(status="skipped").count() == 1


def test_data_of_other_people_stay(zebulon):
    other = annotator_with_traces("other", "6a2-pid", "Second")

    delete_own_account(zebulon)

    other.refresh_from_db()
    assert (other.email, other.participations.count()) == ("zeb@example.org", 1)
    assert Enrolment.objects.get(annotator=other).platform_person == "6a2-pid"
    assert AccessAttempt.objects.count() + AccessFailureLog.objects.count() + AccessLog.objects.count() == 0


def test_nobody_can_sign_in_to_a_deleted_account(client, zebulon):
    delete_own_account(zebulon)

    zebulon.refresh_from_db()
    assert not zebulon.is_active
    assert client.get(reverse("account")).status_code == 302
    assert not ApiToken.objects.exists()


@pytest.mark.parametrize("role", ["researcher", "admin"])
def test_researchers_and_admins_cannot_delete_their_account(role):
    person = make_user("rita", role, "annotator")

    with pytest.raises(Refused, match="are deleted by an admin"):
        delete_own_account(person)

    assert User.objects.get(username="rita").is_active


@pytest.mark.parametrize("answers", [False, True])
def test_an_admin_erases_a_person_with_or_without_the_answers(zebulon, answers):
    rater, ben = zebulon.rater_name, make_annotator("ben")
    vote(make_campaign(name="Of somebody", annotators=[ben]), ben)
    attribute = Vote.objects.get(user=zebulon).attribute
    changes = attribute.vote_changes

    gone = delete_account(zebulon, name="zebulon", answers=answers)

    after = everything_stored()
    attribute.refresh_from_db()
    assert [trace for trace in TRACES if trace in after] == []
    assert (gone.goes["votes"], gone.goes["assignments"], gone.goes["consents"]) == (1, 2, 1)
    kept = [ben.rater_name] if answers else [rater, ben.rater_name]
    assert list(Vote.objects.order_by("pk").values_list("rater", flat=True)) == kept
    assert {one.annotator for one in Assignment.objects.all()} == ({ben} if answers else {zebulon, ben})
    assert (attribute.vote_changes > changes) == answers


def test_a_researcher_who_is_deleted_stays_the_owner_of_private_work_without_a_name():
    rita, _ = make_user("rita", "researcher"), make_user("ada", "admin")
    dataset = make_dataset(owner=rita)

    remarks = delete_account(rita, name="rita").remarks

    dataset.refresh_from_db()
    assert (dataset.owner, dataset.owner.username) == (rita, f"deleted-{rita.rater_code}")
    assert "1 datasets stay under the pseudonym" in remarks[1]


def test_the_last_admin_is_not_deleted():
    ada = make_user("ada", "admin")

    with pytest.raises(Refused, match='"ada" is the last active admin'):
        delete_account(ada, name="ada")

    assert User.objects.get(username="ada").is_active
