"""Simultaneous requests for the same run, on the configured database."""

import pytest

from judging.models import Run
from judging.services.plans.selection_settings import EVERY_PAIR, SelectionSettings
from judging.services.runs.run_lifecycle import create_or_continue
from judging.services.runs.run_request import RunRequest
from tests.factories import make_dataset, make_judge, shipped_prompt
from tests.parallel import run_in_parallel

pytestmark = pytest.mark.django_db(transaction=True)


def test_two_simultaneous_requests_create_one_run():
    dataset = make_dataset(candidates=(5,) * 4)
    asked = RunRequest(dataset, dataset.attributes.get(), make_judge(), shipped_prompt(), EVERY_PAIR)
    other = RunRequest(
        dataset, dataset.attributes.get(), asked.judge, asked.prompt, SelectionSettings("random", comparisons=4)
    )

    runs = run_in_parallel(*[lambda one=one: create_or_continue(one) for one in (asked, other) * 4])

    assert len(set(runs)) == Run.objects.count() == 2
    assert [run.planned for run in runs] == [80, 16] * 4
