"""The data of the demo."""

import json
import stat

import pytest
from django.core.management import call_command
from django.db import transaction

from judging.models import Campaign, Dataset, Run, Study, User
from judging.services.demo import prepare_demo

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """The folder of the demo."""
    return tmp_path_factory.mktemp("demo")


@pytest.fixture(scope="module")
def accounts(django_db_setup, django_db_blocker, data):
    """The accounts of a demo that was prepared twice. Tests share its rows."""
    with django_db_blocker.unblock(), transaction.atomic():
        first = prepare_demo(data=data)
        assert prepare_demo(data=data) == first
        yield first
        transaction.set_rollback(True)


def test_demo_accounts_have_one_role_each_and_a_password_that_opens_them(accounts):
    for account in accounts:
        user = User.objects.get(username=account.name)
        assert user.roles == {account.role}
        assert user.check_password(account.password)
    assert [account.role for account in accounts] == ["researcher", "annotator", "admin"]


def test_demo_passwords_are_kept_where_only_their_owner_reads_them(accounts, data):
    file = data / "demo-passwords.json"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert json.loads(file.read_text()) == {account.role: account.password for account in accounts}


def test_demo_draws_other_passwords_on_another_machine(accounts, tmp_path):
    User.objects.all().delete()

    there = prepare_demo(data=tmp_path)

    assert len({account.password for account in (*accounts, *there)}) == 6


def test_demo_says_so_where_a_password_was_changed(accounts, data):
    user = User.objects.get(username="admin")
    user.set_password("another one")
    user.save()

    printed = {account.role: account.password for account in prepare_demo(data=data)}

    assert printed["admin"] == "(changed since the first start)"


def test_demo_loads_the_sample_and_its_campaign_once(accounts):
    assert list(Dataset.objects.values_list("name", flat=True)) == ["Sample"]
    campaign = Campaign.objects.get()
    assert campaign.pairs.count() > 0
    assert [user.username for user in campaign.annotators.all()] == ["annotator"]
    assert campaign.created_by.username == "researcher"


def test_demo_has_finished_runs_of_the_sample_that_were_recorded_beforehand(accounts):
    runs = Run.objects.order_by("pk")
    assert {(run.status, run.comparisons.filter(outcome="answered").count()) for run in runs} == {("done", 720)}
    assert sorted((run.prompt_name, run.attribute.name) for run in runs) == [
        ("comparative-1", "coherence"),
        ("comparative-1", "fluency"),
        ("comparative-2", "coherence"),
        ("comparative-2", "fluency"),
    ]
    assert all(run.judge.is_recorded and run.judge.is_demo for run in runs)


@pytest.mark.slow
@pytest.mark.parametrize("attribute", ["coherence", "fluency"])
def test_recorded_runs_hold_the_answers_of_the_demo_judge(accounts, capsys, attribute):
    options = ("--attribute", attribute, "--contexts", "1", "--prompt", "comparative-1", "--prompt", "comparative-2")

    call_command("judge", "--dataset", "Sample", "--judge", "demo", *options)

    for run in Run.objects.filter(judge__name="demo"):
        recorded = Run.objects.get(
            judge__name="demo (recorded)", prompt_name=run.prompt_name, attribute__name=attribute
        )
        pairs = run.comparisons.order_by("first", "second").values_list("first", "second", "p_first")
        recorded_rows = recorded.comparisons.values_list("first", "second", "p_first")
        of_pair = {(first, second): p_first for first, second, p_first in recorded_rows}
        assert len(pairs) == 30
        assert [p_first for _, _, p_first in pairs] == pytest.approx([of_pair[pair[:2]] for pair in pairs], abs=1e-4)


def test_demo_begins_with_one_study_of_the_recorded_runs(accounts):
    study = Study.objects.get()
    assert study.visible_runs(User.objects.get(username="researcher")).count() == Run.objects.count() > 0
    assert study.owner is None
