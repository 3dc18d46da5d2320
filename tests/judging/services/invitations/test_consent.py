"""Consent texts and their versions."""

import pytest

from evenhand.refusals import Refused
from judging.models import Consent
from judging.services.invitations.consent import (
    accept_consent,
    consent_versions,
    current_consent_text,
    missing_consent,
    set_consent_text,
    with_consent,
)
from tests.campaigns import make_annotator, make_campaign

pytestmark = pytest.mark.django_db


@pytest.fixture
def campaign(ann):
    other = make_campaign(name="Another")
    set_consent_text(other, text="Other text.", created_by=None)
    return make_campaign(annotators=[ann])


def missing(campaign, annotator):
    """The text that is missing. Checks that a row of the annotator's part says the same."""
    text = missing_consent(campaign, annotator=annotator)
    part = with_consent(campaign.participations.all()).get(annotator=annotator)
    assert part.needs_consent == (text is not None)
    return text


def change_to(campaign, text):
    return set_consent_text(campaign, text=text, created_by=None)


def test_a_text_is_missing_until_this_annotator_accepts_it(campaign, ann):
    ben = make_annotator("ben")
    text = change_to(campaign, "We store your votes.")
    accept_consent(campaign, annotator=ben, version=1)
    before = missing(campaign, ann)

    accept_consent(campaign, annotator=ann, version=1)

    assert before == text
    assert missing(campaign, ann) is None
    assert Consent.objects.get(annotator=ann).accepted_at is not None


def test_a_changed_text_is_asked_again_and_earlier_consent_is_kept(campaign, ann):
    change_to(campaign, "We store your votes.")
    accept_consent(campaign, annotator=ann, version=1)

    changed = change_to(campaign, "We store your votes for ten years.")

    assert missing(campaign, ann) == changed
    assert [(one.version, one.accepted_count) for one in consent_versions(campaign)] == [(2, 0), (1, 1)]


def test_the_same_text_makes_no_new_version(campaign, ann):
    change_to(campaign, "We store\nyour votes.")
    change_to(campaign, " We store\r\nyour votes.\n")

    assert current_consent_text(campaign).version == 1


def test_an_empty_text_asks_for_no_consent(campaign, ann):
    change_to(campaign, "We store your votes.")

    change_to(campaign, "")

    assert missing(campaign, ann) is None
    assert change_to(campaign, "We store your votes.").version == 3


def test_a_text_that_changed_meanwhile_is_not_accepted(campaign, ann):
    change_to(campaign, "We store your votes.")
    change_to(campaign, "We sell your votes.")

    with pytest.raises(Refused, match="The text has changed since you opened it"):
        accept_consent(campaign, annotator=ann, version=1)

    assert not Consent.objects.exists()
