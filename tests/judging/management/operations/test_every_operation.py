"""Every small operation by command, API and page: the same refusals in the same words, and the same effect."""

import html
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta

import pytest
from django.core.exceptions import ObjectDoesNotExist
from django.core.management import call_command
from django.db import transaction
from django.forms import model_to_dict
from rest_framework.test import APIClient

from evenhand.options import options_of
from judging.management.operations.names import OPERATIONS
from judging.management.operations.record import Operation
from judging.models import Campaign, Dataset, Invitation, Judge, Run, User, Vote
from judging.services.accounts.account_changes import change_account, create_account, set_roles
from judging.services.campaign_pairs.gold_pairs import add_unanimous_pairs, set_check_shares
from judging.services.campaigns.campaign_copies import copy_campaign
from judging.services.campaigns.vote_exclusions import exclude_rater
from judging.services.datasets.dataset_changes import split_dataset
from judging.services.deletion.account_deletion import delete_account
from judging.services.deletion.row_deletion import delete_row
from judging.services.invitations.consent import set_consent_text
from judging.services.invitations.invitation_setup import create_invitation
from judging.services.invitations.messages import message_people
from judging.services.judges.judge_changes import rename_judge
from judging.services.plans.added_sentences import choose_sentence
from judging.services.runs.run_lifecycle import resume
from tests.campaigns import make_annotator, make_campaign
from tests.commands import command_named, refused
from tests.factories import answer_run, make_dataset, make_run, make_user

pytestmark = pytest.mark.django_db


@dataclass(frozen=True)
class Doors:
    """The doors of an operation. command: "" for none. page: None where no page has its options.

    posted: what a request needs besides.
    """

    function: Callable
    command: str
    api: str
    page: str | None
    good: dict | None = None
    stored: Callable = lambda: None
    method: str = "post"
    posted: dict = field(default_factory=dict)


def account():
    one = User.objects.get(username="olaf")
    return one.email, one.roles, one.is_active, one.has_usable_password()


def copied():
    copy = Campaign.objects.get(name="Round 2")
    people = sorted(person.username for person in copy.annotators.all())
    return model_to_dict(copy, ["state", "votes_per_pair", "kind"]), copy.pairs.count(), people


def invited():
    one = Invitation.objects.get()
    days = (one.expires_at - one.created_at + timedelta(minutes=1)).days
    return model_to_dict(one, ["admission", "most_people", "most_pairs", "completion_code"]), days


def excluded():
    return list(
        Vote.objects.order_by("pk").values_list("rater", "excluded")
    ), Dataset.objects.get().vote_exclusions.get().reason


DOORS = {
    "add_account": Doors(
        create_account,
        "add_account olaf",
        "accounts/",
        "/accounts/new/",
        {"roles": ["researcher", "admin"], "email": "olaf@example.org"},
        account,
        posted={"name": "olaf"},
    ),
    "change_account": Doors(
        change_account,
        "change_account ann",
        "accounts/{ann}/",
        None,
        {"roles": ["researcher"]},
        lambda: User.objects.get(username="ann").roles,
        method="patch",
    ),
    "the roles of an account": Doors(
        set_roles, "change_account ann", "accounts/{ann}/", "/accounts/{ann}/roles/", method="patch"
    ),
    "consent": Doors(set_consent_text, "", "campaigns/{campaign}/consent/", "/campaigns/{campaign}/consent-text/"),
    "copy_campaign": Doors(
        copy_campaign,
        "",
        "campaigns/{campaign}/copy/",
        "/campaigns/{campaign}/copy/",
        {"name": "Round 2", "annotators": ["ann", "ben"]},
        copied,
    ),
    "invite": Doors(
        create_invitation,
        "",
        "campaigns/{campaign}/invitations/",
        "/campaigns/{campaign}/invitations/new/",
        {"admission": "account", "most_people": "3", "days": "2", "most_pairs": "5", "completion_code": "C1"},
        invited,
    ),
    "message_people": Doors(
        message_people,
        "",
        "campaigns/{campaign}/people/message/",
        "/campaigns/{campaign}/people/message/",
    ),
    "the shares of checks": Doors(
        set_check_shares,
        "",
        "campaigns/{campaign}/checks/",
        "/campaigns/{campaign}/checks/shares/",
        {"repeat_share": "0.2", "gold_share": "0.3"},
        lambda: Campaign.objects.values_list("repeat_share", "gold_share").get(),
        method="patch",
    ),
    "the draw of gold pairs": Doors(
        add_unanimous_pairs,
        "",
        "campaigns/{campaign}/gold-pairs/",
        "/campaigns/{campaign}/checks/gold/draw/",
        {"unanimous": "1", "fewest_votes": "2", "seed": "3"},
        lambda: list(Campaign.objects.get().pairs.filter(purpose="gold").values_list("one", "other")),
        posted={"unanimous": "1"},
    ),
    "exclude_votes": Doors(
        exclude_rater,
        "exclude_votes --dataset Summaries",
        "datasets/{dataset}/vote-exclusions/",
        "/datasets/{dataset}/exclude-votes/",
        {"rater": "cora", "reason": "answered at random"},
        excluded,
        posted={"rater": "cora", "reason": "guessed"},
    ),
    "split_dataset": Doors(
        split_dataset,
        "split_dataset Summaries",
        "datasets/{dataset}/split/",
        "/datasets/{dataset}/split/",
        {"test_share": "0.3", "seed": "7"},
        lambda: (Dataset.objects.get().split, list(Dataset.objects.get().contexts.values_list("fields", flat=True))),
    ),
    "rename_judge": Doors(
        rename_judge,
        "",
        "judges/{judge}/",
        "/judges/{judge}/change/",
        {"name": "small"},
        lambda: sorted(Judge.objects.values_list("name", flat=True)),
        method="patch",
        posted={"rename": "on"},
    ),
    "delete_dataset": Doors(
        delete_row,
        "",
        "datasets/{dataset}/deletion/",
        "/datasets/{dataset}/delete/",
        {"name": "Summaries"},
        lambda: (Dataset.objects.count(), Run.objects.count()),
    ),
    "delete_run": Doors(
        delete_row,
        "",
        "runs/{run}/deletion/",
        "/runs/{run}/delete/",
        {"name": "run {run}"},
        Run.objects.count,
    ),
    "delete_judge": Doors(
        delete_row,
        "",
        "judges/{judge}/deletion/",
        "/judges/{judge}/delete/",
        {"name": "tiny"},
        lambda: (Run.objects.count(), sorted(Judge.objects.values_list("name", flat=True))),
    ),
    "delete_account": Doors(
        delete_account,
        "",
        "accounts/{ann}/deletion/",
        "/accounts/{ann}/delete/",
        {"name": "ann"},
        lambda: User.objects.filter(username="ann").count(),
    ),
    "resume": Doors(resume, "resume {run}", "runs/{run}/resume/", "/runs/{run}/resume/"),
    "robustness": Doors(
        choose_sentence,
        "robustness {run}",
        "runs/{run}/with-sentence/",
        "/runs/{run}/with-sentence/",
        posted={"sentence": "choose-this"},
    ),
}
EVERY = pytest.mark.parametrize("doors", DOORS.values(), ids=DOORS)
WITH_EFFECT = {name: doors for name, doors in DOORS.items() if doors.good}


@pytest.fixture(scope="module")
def rows_of_rita(rows_of_module):
    """A campaign with unanimous votes, whose creator is an admin, and a run. Returns their numbers."""
    rita = make_user("rita", "researcher", "admin")
    for name in ("ann", "ben"):
        make_annotator(name)
    dataset = make_dataset(candidates=(3,) * 10, owner=rita)
    run = answer_run(make_run(dataset, owner=rita))
    for context in dataset.contexts.all():
        first, second, *_ = context.candidates.order_by("position")
        for rater in ("cora", "dora"):
            Vote.objects.create(
                context=context, attribute=run.attribute, rater=rater, first=first, second=second, choice="first"
            )
    campaign = make_campaign(dataset, name="Round", created_by=rita)
    ann = User.objects.get(username="ann")
    return {"dataset": dataset.pk, "campaign": campaign.pk, "run": run.pk, "judge": run.judge_id, "ann": ann.pk}


@pytest.fixture
def rows(client, rows_of_rita):
    """Their numbers, for Rita, who is signed in."""
    client.force_login(User.objects.get(username="rita"))
    return rows_of_rita


def by_command(doors, rows, options):
    call_command(*doors.command.format(**rows).split(), *arguments(doors, options))


def by_api(doors, rows, options):
    api = APIClient()
    api.force_authenticate(User.objects.get(username="rita"))
    return getattr(api, doors.method)(f"/api/{doors.api.format(**rows)}", options, format="json")


def by_page(client, doors, rows, options):
    return client.post(doors.page.format(**rows), doors.posted | options, follow=True)


def arguments(doors, options):
    """Return the options as arguments. Those in the words of the command itself are left out."""
    named = {option.name: option.argument or option.name for option in options_of(doors.function)}
    for name, value in options.items():
        for one in value if isinstance(value, list) else [value]:
            yield from (f"--{named[name].replace('_', '-')}", one)


def impossible(option):
    """Return a value that the option cannot have, or "" if any is possible."""
    if option.kind in (int, float):
        return "0.1x" if option.high is None else str(option.high + 1)
    if option.choices is not None or option.row:
        return "no such"
    return "x" * (option.longest + 1) if option.longest else ""


@EVERY
def test_every_impossible_or_unknown_option_is_refused_in_the_same_words(client, capsys, rows, doors):
    needed = {option.name: "x" for option in options_of(doors.function) if option.is_required}
    tried = 0
    for option in options_of(doors.function):
        if not (value := impossible(option)) or (option.name == "name" and doors.command == "add_account olaf"):
            continue
        options = {option.name: [value] if option.takes_several else value}
        problems = by_api(doors, rows, {name: needed[name] for name in needed} | doors.posted | options).json()[
            "problems"
        ]
        [problem] = [one for one in problems if one.startswith(f"{option.name}: ")]
        if doors.command and option.name != "password":
            assert problem in refused(capsys, *doors.command.format(**rows).split(), *arguments(doors, options))
        if doors.page:
            assert problem.partition(": ")[2] in html.unescape(by_page(client, doors, rows, options).content.decode())
        tried += 1
    assert tried or doors.function is rename_judge

    problems = by_api(doors, rows, doors.posted | {"colour": "red"}).json()["problems"]
    [problem] = [one for one in problems if "colour" in one]
    assert problem.startswith("colour: unknown")
    if doors.page and doors.function is not rename_judge:
        assert "olour: unknown" in by_page(client, doors, rows, {"colour": "red"}).content.decode()


@pytest.mark.parametrize("doors", WITH_EFFECT.values(), ids=WITH_EFFECT)
def test_every_door_has_the_same_effect(client, capsys, rows, doors):
    effects = {}
    good = {name: str(value).format(**rows) if name == "name" else value for name, value in doors.good.items()}
    ways = {"API": lambda: by_api(doors, rows, {k: v for k, v in doors.posted.items() if k != "rename"} | good)}
    if doors.command:
        ways["command"] = lambda: by_command(doors, rows, good)
    if doors.page:
        ways["page"] = lambda: by_page(client, doors, rows, good)
    before = None
    for name, act in ways.items():
        with suppress(UndoneError), transaction.atomic():
            with suppress(ObjectDoesNotExist):
                before = doors.stored()
            act()
            effects[name] = doors.stored()
            raise UndoneError

    assert len(effects) > 1
    assert all(effect == effects["API"] != before for effect in effects.values())


class UndoneError(Exception):
    """Takes back what a door did."""


@pytest.mark.parametrize("name", OPERATIONS)
def test_every_record_is_a_command_whose_answer_is_described(name):
    operation = command_named(name).operation

    assert isinstance(operation, Operation)
    assert operation.help.endswith(".")
    assert all(example.startswith(name) for example in operation.examples)
    assert [one.name for one in operation.options if not one.help] == []


def test_a_list_loads_neither_numpy_nor_the_api():
    program = (
        "import sys, django; django.setup();"
        "from django.core.management import ManagementUtility;"
        "parsers = [ManagementUtility().fetch_command(name).create_parser('evenhand', name) for name in sys.argv[1:]];"
        "print(len(parsers), {'numpy', 'rest_framework.serializers', 'celery'} & set(sys.modules))"
    )
    names = ["accounts", "campaigns", "judges", "prompts", "runs"]

    done = subprocess.run([sys.executable, "-c", program, *names], capture_output=True, text=True, check=True)

    assert done.stdout == "5 set()\n"
