"""A process that is killed while it stores many rows, or a change and its line of activity: it stores all or none."""

import os
import signal
import traceback
import warnings
from itertools import count

import pytest
from django.apps import apps
from django.db import connection

from judging.models import Activity, Dataset, Judge, Outcome, Run, Study, User
from judging.services.accounts.account_changes import deactivate_account, set_roles
from judging.services.datasets.recorded.judgment_files import JUDGMENT_KINDS, read_judgments, store_judgments
from judging.services.judges.judge_changes import rename_judge
from judging.services.judges.judge_setup import add_judge
from judging.services.runs.run_lifecycle import cancel, create_or_continue_all, create_runs, resume
from judging.services.runs.run_request import RunRequest
from judging.services.studies.study_changes import create_study, rename_study
from judging.web.operations.new_datasets import import_files
from tests.evenhand.formats.small_files import csv_file
from tests.factories import answer_run, make_dataset, make_judge, make_run, make_user, shipped_prompt
from tests.faults.broken_files import count_rows

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]

PROMPTS = ("comparative-1", "comparative-2")


def requests():
    dataset, judge = Dataset.objects.get(name="Summaries"), Judge.objects.get(name="tiny")
    prompts = map(shipped_prompt, PROMPTS)
    return [RunRequest(dataset, one, judge, prompt) for prompt in prompts for one in dataset.attributes.all()]


def make_runs():
    create_runs(requests(), owner=Dataset.objects.get(name="Summaries").owner)


def make_missing_runs():
    create_or_continue_all(requests(), owner=Dataset.objects.get(name="Summaries").owner)


def import_a_dataset():
    rows = [[f"c{number}", "text", key, key, "4"] for number in range(3) for key in "ab"]
    file = csv_file(["context", "context_text", "candidate", "text", "score:quality"], *rows)
    import_files([file], {"name": "New", "visibility": "open"}, owner=None, user=None)


def import_comparisons():
    rows = [["c0", "coherence", "a", "b", "0.7", judge, prompt] for judge, prompt in ("xp", "xq", "yp")]
    file = csv_file(["context", "attribute", "first", "second", "p_first", "judge", "prompt"], *rows)
    dataset = Dataset.objects.get(name="Summaries")
    read = read_judgments(JUDGMENT_KINDS["comparisons"], [file], dataset=dataset)
    store_judgments(read, dataset=dataset, owner=dataset.owner)


@pytest.mark.parametrize("store", [make_runs, make_missing_runs, import_a_dataset, import_comparisons])
def test_batch_that_is_cut_after_any_statement_is_stored_by_one_repetition_and_never_in_part(store):
    rita = make_user("rita", "researcher")
    make_dataset(owner=rita)
    make_judge(owner=rita)
    before = count_rows()

    for statements in count(1):
        if not is_cut(store, after=statements):
            break
        assert count_rows() == before

    assert statements > 5
    assert count_rows() != before


def cancel_a_run():
    cancel(Run.objects.get(status="pending"))


def resume_a_run():
    resume(Run.objects.get(status="done"), errors=True)


def rename_a_study():
    rename_study(Study.objects.get(), "Table 2")


def rename_the_judge():
    rename_judge(Judge.objects.get(name="tiny"), name="small")


def add_a_judge():
    add_judge(name="gpt", backend="openai", model="gpt", base_url="http://localhost:8000/v1")


def take_the_roles():
    set_roles(User.objects.get(username="rita"), roles=["annotator"])


def end_the_account():
    deactivate_account(User.objects.get(username="rita"))


@pytest.mark.parametrize(
    "change",
    [cancel_a_run, resume_a_run, rename_a_study, rename_the_judge, add_a_judge, take_the_roles, end_the_account],
)
def test_change_that_is_cut_after_any_statement_is_stored_with_its_line_of_activity_or_not_at_all(change):
    rita = make_user("rita", "researcher")
    dataset = make_dataset(owner=rita)
    done = answer_run(make_run(dataset, owner=rita))
    done.answers.update(outcome=Outcome.ERROR, p_first=None)
    make_run(dataset, owner=rita, prompt=shipped_prompt(PROMPTS[1]))
    create_study("Table 1", owner=rita)
    before = every_row()

    for statements in count(1):
        if not is_cut(change, after=statements):
            break
        assert every_row() == before

    after = every_row()
    lines = len(after.pop(Activity)) - len(before.pop(Activity))
    assert (statements > 1, after != before, lines) == (True, True, 1)


def every_row():
    models = apps.get_models(include_auto_created=True)
    return {model: list(model._base_manager.order_by("pk").values()) for model in models}


def is_cut(store, *, after):
    """Store in a process that is killed after so many statements. Returns False if it has stored all before."""
    connection.close()  # the process opens its own
    with warnings.catch_warnings(action="ignore", category=DeprecationWarning):  # of other threads, which it lacks
        process = os.fork()
    if not process:
        store_until(store, after)
    _, status = os.waitpid(process, 0)
    assert os.WIFSIGNALED(status) or not status
    return os.WIFSIGNALED(status)


def store_until(store, statements):
    numbers = count(1)

    def kill_after(execute, *arguments):
        result = execute(*arguments)
        if next(numbers) == statements:
            os.kill(os.getpid(), signal.SIGKILL)
        return result

    status = 1
    try:
        with connection.execute_wrapper(kill_after):
            store()
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(status)
