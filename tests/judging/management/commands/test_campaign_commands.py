"""The commands that list and change campaigns."""

import pytest

from judging.models import Campaign
from tests.campaigns import make_annotator, make_campaign, make_ready_campaign, vote
from tests.commands import printed, printed_json, refused
from tests.factories import make_dataset

pytestmark = pytest.mark.django_db


def test_campaigns_lists_states_and_votes(capsys):
    ann = make_annotator("ann")
    vote(make_ready_campaign(ann, name="May", votes_per_pair=1), ann)
    make_campaign(name="June", state="draft", votes_per_pair=2)

    text = printed(capsys, "campaigns")
    rows = printed_json(capsys, "campaigns")["campaigns"]

    assert text.splitlines() == [
        "June: Summaries, coherence; draft; 0 of 12 votes",
        "May: Summaries, coherence; open; 1 of 6 votes",
    ]
    assert [(row["campaign"], row["state"], row["votes"], row["deadline"]) for row in rows] == [
        ("June", "draft", 0, None),
        ("May", "open", 1, None),
    ]


def test_change_campaign_sets_state_and_deadline_of_one_campaign(capsys):
    dataset = make_dataset()
    make_campaign(dataset, name="May")
    make_campaign(dataset, name="June")

    text = printed(capsys, "change_campaign", "May", "--state", "paused", "--deadline", "2999-05-31T18:00")

    assert text == "May is paused until 2999-05-31T18:00:00+00:00\n"
    assert [campaign.state for campaign in Campaign.objects.all()] == ["open", "paused"]
    printed(capsys, "change_campaign", "May", "--deadline", "none")
    assert Campaign.objects.get(name="May").deadline is None


def test_change_campaign_makes_a_new_version_of_the_guidelines(capsys, tmp_path):
    campaign = make_ready_campaign(make_annotator("ann"), name="May", guidelines="Read both.")
    file = tmp_path / "guidelines.md"
    file.write_text("Read both twice.\n", encoding="utf-8")

    printed(capsys, "change_campaign", "May", "--guidelines", file)

    assert [one.text for one in campaign.guidelines_texts.all()] == ["Read both.", "Read both twice."]


def test_change_campaign_refuses_an_empty_file_of_guidelines(capsys, tmp_path):
    make_campaign(name="May")
    file = tmp_path / "guidelines.md"
    file.write_text("\n", encoding="utf-8")

    problems = refused(capsys, "change_campaign", "May", "--guidelines", file)

    assert problems == [f"guidelines: {file} is empty — write at least one sentence"]


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["--deadline", "soon"], 'deadline: "soon" is not a date and time — write it as 2027-06-30T18:00'),
        (["--deadline", "2999-02-31"], 'deadline: "2999-02-31" is not a date and time'),
        (["--state", "draft"], 'state: "draft" cannot follow "open" — choose paused or closed'),
    ],
)
def test_change_campaign_refuses_what_cannot_be(capsys, options, problem):
    make_campaign(name="May")

    (line,) = refused(capsys, "change_campaign", "May", *options)

    assert line.startswith(problem)
    assert Campaign.objects.get().state == "open"
