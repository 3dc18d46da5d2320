"""The same run asked for at the same moment, on whichever database there is."""

import pytest

from judging.models import Run
from judging.services.plans.pair_selection import EVERY_PAIR, Choice
from judging.services.runs.run_lifecycle import Asked, create_or_continue
from tests.at_once import at_once
from tests.factories import make_dataset, make_judge, shipped_prompt

pytestmark = pytest.mark.django_db(transaction=True)


def test_same_run_asked_for_at_once_is_one_run_and_another_is_its_own():
    dataset = make_dataset(candidates=(5,) * 4)
    asked = Asked(dataset, dataset.attributes.get(), make_judge(), shipped_prompt(), EVERY_PAIR)
    other = Asked(dataset, dataset.attributes.get(), asked.judge, asked.prompt, Choice("random", budget=4))

    runs = at_once(*[lambda one=one: create_or_continue(one) for one in (asked, other) * 4])

    assert len(set(runs)) == Run.objects.count() == 2
    assert [run.planned for run in runs] == [80, 16] * 4
