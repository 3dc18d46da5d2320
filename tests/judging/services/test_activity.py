"""Who did what: a line for each change of shared things, each import and each download; for admins alone."""

import json
from functools import partial

import pytest
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from evenhand.refusals import Refused
from judging.models import Activity, Dataset
from judging.services.accounts.account_changes import create_account, set_roles
from judging.services.campaigns.campaign_changes import change_campaign
from judging.services.campaigns.campaign_setup import discard_campaign
from judging.services.campaigns.vote_exclusions import exclude_rater, restore_votes
from judging.services.datasets.dataset_changes import share_dataset
from judging.services.deletion.account_deletion import delete_account
from judging.services.deletion.row_deletion import delete_row
from judging.services.runs.run_lifecycle import cancel, resume
from judging.services.studies.study_changes import create_study, rename_study
from tests.campaigns import make_ready_campaign, vote
from tests.commands import printed_json
from tests.factories import answer_run, make_dataset, make_run, make_token, make_user

pytestmark = pytest.mark.django_db

LINE = '{"context": "c", "text": "t", "candidates": [{"candidate": "a", "text": "x"}, {"candidate": "b", "text": "y"}]}'
VOTES = "context,attribute,first,second,choice,rater\nc0,coherence,a,b,first,r1\n"


def lines():
    """Return action, thing and person of each line, oldest first."""
    return [(one.action, one.on, one.who_name) for one in Activity.objects.order_by("pk")]


def restored(dataset, rater):
    exclusion = exclude_rater(dataset, rater=rater, reason="too quick")
    restore_votes(exclusion)


def test_each_service_leaves_one_line_on_its_row():
    olaf, annotator = make_user("olaf", "researcher"), make_user("ann", "annotator")
    dataset, empty = make_dataset(), make_dataset("Empty")
    campaign, unused = (
        make_ready_campaign(annotator, dataset=dataset),
        make_ready_campaign(dataset=dataset, name="Unused"),
    )
    vote(campaign, annotator)
    run, study = make_run(dataset), create_study("S")
    n, d = f"campaign {campaign.pk}", f'dataset {dataset.pk} "Summaries"'
    Activity.objects.all().delete()

    for act in (
        partial(share_dataset, dataset, visibility="open"),
        partial(change_campaign, campaign, {"state": "paused", "deadline": None}, changed_by=None),
        partial(discard_campaign, unused),
        partial(restored, dataset, annotator.rater_name),
        partial(cancel, run),
        partial(cancel, run),  # it has ended: nothing happens
        partial(resume, run),
        partial(rename_study, study, "T"),
        partial(set_roles, olaf, roles=["admin"]),
        partial(delete_row, empty, name="Empty"),
        partial(delete_account, annotator, name="ann"),
        partial(create_account, name="new", password=None),
    ):
        act()

    assert [one[:2] for one in lines()] == [
        ("share", f"{d}: open"),
        ("change", f'{n} "{campaign}"'),
        ("discard", f'campaign {campaign.pk + 1} "Unused"'),
        ("exclude", f"{d}: {annotator.rater_name}"),
        ("restore", d),
        ("cancel", f"run {run.pk}"),
        ("resume", f"run {run.pk}"),
        ("change", f'study {study.pk} "S": name'),
        ("change", f"account {olaf.pk}: roles"),
        ("delete", f'dataset {empty.pk} "Empty"'),
        ("delete", f"account {annotator.pk}"),
        ("create", f"account {annotator.pk + 1}"),
    ]
    assert {one.who_name for one in Activity.objects.all()} == {"command line"}


def test_refused_action_leaves_no_line():
    with pytest.raises(Refused):
        share_dataset(make_dataset(), visibility="shared")
    with pytest.raises(Refused):
        create_study("")

    assert lines() == []


def test_each_import_by_command_page_and_api_is_noted_with_who_did_it(client, tmp_path, capsys, researcher):
    file = tmp_path / "d.jsonl"
    file.write_text(LINE)
    printed_json(capsys, "import_dataset", file, "--name", "By command")
    dataset = make_dataset(owner=researcher)
    votes = tmp_path / "v.csv"
    votes.write_text(VOTES)
    printed_json(capsys, "import_votes", votes, "--dataset", dataset.name)
    token = {"Authorization": f"Token {make_token(make_user('tom', 'researcher'))}"}
    client.logout()
    with file.open("rb") as sent:
        answer = client.post(reverse("api-dataset-list"), {"files": sent, "name": "By API"}, headers=token)
    ids = {one.name: one.pk for one in Dataset.objects.all()}

    assert answer.status_code == 201
    assert [one for one in lines() if one[0] == "import"] == [
        ("import", f'dataset {ids["By command"]} "By command"', "command line"),
        ("import", f'dataset {dataset.pk} "Summaries": votes', "command line"),
        ("import", f'dataset {ids["By API"]} "By API"', "tom"),
    ]


def test_downloads_and_sign_ins_are_noted(client, tmp_path, capsys):
    rita = make_user("rita", "researcher")
    dataset = make_dataset(owner=rita)

    client.post(reverse("account_login"), {"username": "rita", "password": "rita"})
    client.get(reverse("dataset-download", args=[dataset.pk]))
    client.get(reverse("dataset-votes-download", args=[dataset.pk, "csv"]))
    client.get(reverse("account-data"))
    client.get(dataset.get_absolute_url())

    assert lines() == [
        ("sign-in", f"account {rita.pk}", "rita"),
        ("download", "Summaries.jsonl", "rita"),
        ("download", "Summaries-votes.csv", "rita"),
        ("download", "evenhand-account.json", "rita"),
    ]


def test_files_that_commands_write_are_noted(tmp_path, capsys):
    run = answer_run(make_run())
    dataset, study = run.dataset, create_study("S", runs=[run])
    Activity.objects.all().delete()

    printed_json(capsys, "publish", "--dataset", dataset.name, "--output", tmp_path / "package")
    call_command("freeze", "S", "--output", str(tmp_path / "s.html"))

    assert lines() == [
        ("download", f'dataset {dataset.pk} "Summaries": package', "command line"),
        ("download", f'study {study.pk} "S": frozen report', "command line"),
    ]


def test_admins_search_the_activity_by_page_api_and_command(client, capsys):
    admin, rita = make_user("ada", "admin"), make_user("rita", "researcher")
    client.force_login(admin)
    Activity.objects.all().delete()
    for who, action, on in ((rita, "import", "dataset 1"), (admin, "import", "dataset 2"), (rita, "share", "study 1")):
        Activity.objects.create(who=who, action=action, on=on)
    wanted = {"text": "RITA dataset", "action": "import"}

    page = client.get(reverse("activity-list"), wanted)
    api = client.get(reverse("api-activity"), wanted).json()["results"]
    command = printed_json(capsys, "activity", "--text", wanted["text"], "--action", "import")
    every = printed_json(capsys, "activity")

    assert [str(one) for one in page.context["page_obj"]] == ["rita: import dataset 1"]
    assert [(one["who"], one["action"], one["on"]) for one in api] == [("rita", "import", "dataset 1")]
    assert [list(one) for one in command["activity"]] == [["at", "who", "action", "on"]]
    assert [(one["who"], one["action"], one["on"]) for one in command["activity"]] == [("rita", "import", "dataset 1")]
    assert [(one["who"], one["action"]) for one in every["activity"]] == [
        ("rita", "share"),
        ("ada", "import"),
        ("rita", "import"),
    ]
    assert client.get(reverse("api-activity"), {"txt": "rita"}).status_code == 400


def test_page_of_activity_needs_the_same_queries_for_any_number_of_lines(client):
    admin = make_user("ada", "admin")
    client.force_login(admin)
    counts = []
    for _ in range(2):
        for number in range(5):
            Activity.objects.create(who=make_user(f"p{Activity.objects.count()}"), action="import", on=f"{number}")
        with CaptureQueriesContext(connection) as queries:
            client.get(reverse("activity-list"))
        counts.append(len(queries))

    assert counts[0] == counts[1]


def test_erased_account_keeps_its_lines_without_its_name():
    rita = make_user("rita", "researcher")
    Activity.objects.create(who=rita, action="import", on="dataset 1")

    delete_account(rita, name="rita")

    assert "rita" not in json.dumps(lines())
    assert [one[0] for one in lines()] == ["import", "delete"]
