"""The commands of invitations and consent texts."""

import pytest

from judging.models import Consent, Enrolment, Invitation
from judging.services.invitations.consent import current_consent_text
from tests.campaigns import make_annotator, make_campaign
from tests.commands import printed, printed_json, refused

pytestmark = pytest.mark.django_db

SITE = ("--site", "https://example.org/")


@pytest.fixture
def campaign():
    make_campaign(name="Other")
    return make_campaign(name="May")


def test_link_for_a_platform_has_its_placeholders(campaign, capsys):
    [row] = printed_json(capsys, "invite", "May", "--for", "platform", *SITE)["invited"]

    assert row["link"].endswith("?PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}")


def test_link_of_a_platform_admits_signed_links_only_on_request(campaign, capsys):
    rows = [
        printed_json(capsys, "invite", "May", "--for", "platform", *more)["invited"][0]
        for more in ((), ("--signed-only",))
    ]

    assert [row["signed_only"] for row in rows] == [False, True]


def test_table_adds_people_with_an_account_and_makes_a_link_for_each_other(campaign, capsys, tmp_path):
    make_annotator("ann")
    file = tmp_path / "people.csv"
    file.write_text("name,email\nann,\nBen,ben@example.org\nCora,\n")

    result = printed_json(capsys, "invite", "May", "--people", file)

    assert result["added"] == ["ann"]
    assert [row["person"] for row in result["invited"]] == ["Ben <ben@example.org>", "Cora"]
    assert list(campaign.annotators.values_list("username", flat=True)) == ["ann"]


def test_one_wrong_line_of_a_table_invites_nobody(campaign, capsys, tmp_path):
    file = tmp_path / "people.csv"
    file.write_text("name,email\nBen,ben@example.org\n,nobody\n")

    problems = refused(capsys, "invite", "May", "--people", file)

    assert problems[0].startswith(f"{file}:3: email:")
    assert not Invitation.objects.exists()


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ((), "for: missing"),
        (("--for", "account", "--people", "people.csv"), "leave out --for"),
        (("--signed-only", "--people", "people.csv"), "leave out --for, --most-people, --signed-only"),
    ],
)
def test_invite_refuses_what_it_cannot_do(campaign, capsys, options, problem):
    assert problem in refused(capsys, "invite", "May", *options)[0]
    assert not Invitation.objects.exists()


def test_invitations_lists_and_withdraws_those_of_the_campaign(campaign, capsys):
    for name in ("May", "May", "Other"):
        printed(capsys, "invite", name, "--for", "account")
    first, second = campaign.invitations.order_by("pk")
    Enrolment.objects.create(campaign=campaign, annotator=make_annotator("ann"), invitation=second)

    rows = printed_json(capsys, "invitations", "May", "--withdraw", first.pk)["invitations"]

    assert [(row["invitation"], row["state"], row["people"]) for row in rows] == [
        (first.pk, "withdrawn", 0),
        (second.pk, "open", 1),
    ]
    other = Invitation.objects.get(campaign__name="Other").pk
    assert f"no invitation {other} to May" in refused(capsys, "invitations", "May", "--withdraw", other)[0]
    assert "1 of 20 came; open" in printed(capsys, "invitations", "May")


def test_campaign_without_invitations_says_so(campaign, capsys):
    assert printed(capsys, "invitations", "May") == "no invitations\n"


def test_consent_stores_versions_and_counts_who_accepted(campaign, capsys, tmp_path):
    file = tmp_path / "consent.md"
    file.write_text("You may *stop*.\n")
    printed(capsys, "consent", "May", "--text", file)
    Consent.objects.create(text=current_consent_text(campaign), annotator=make_annotator("ann"))
    file.write_text("You may stop at any time.")

    versions = printed_json(capsys, "consent", "May", "--text", file)["versions"]

    assert [(one["version"], one["text"], one["accepted"]) for one in versions] == [
        (2, "You may stop at any time.", 0),
        (1, "You may *stop*.", 1),
    ]
    assert "version 1" in printed(capsys, "consent", "May")


def test_consent_is_asked_no_more_on_request(campaign, capsys, tmp_path):
    file = tmp_path / "consent.md"
    file.write_text("You may stop.")
    printed(capsys, "consent", "May", "--text", file)

    printed(capsys, "consent", "May", "--without")

    assert current_consent_text(campaign) is None
    assert "asks for no consent" in printed(capsys, "consent", "May")
    assert "asked for none" in printed(capsys, "consent", "Other")


@pytest.mark.parametrize("content", [b"", b"\xff\xfe\x00"])
def test_text_that_cannot_be_read_is_refused(campaign, capsys, tmp_path, content):
    file = tmp_path / "consent.md"
    file.write_bytes(content)

    assert refused(capsys, "consent", "May", "--text", file)[0].startswith("text: ")
    assert not campaign.consent_texts.exists()
