"""A study of two judges, for frozen reports."""

import pytest

from judging.models import Study, Vote
from judging.services.studies.study_changes import create_study
from tests.factories import answer_run, make_dataset, make_judge, make_run


@pytest.fixture
def study(researcher) -> Study:
    return two_judges(researcher, contexts=2)


def two_judges(researcher, *, contexts: int) -> Study:
    """Two judges on one dataset. People prefer the first of each two texts."""
    dataset = make_dataset(candidates=(3,) * contexts, owner=researcher)
    runs = [
        answer_run(make_run(dataset, judge=make_judge(name), owner=researcher), p_first=p_first)
        for name, p_first in (("alpha", 0.8), ("beta", 0.3))
    ]
    for context in dataset.contexts.all():
        first, second, _ = context.candidates.order_by("position")
        Vote.objects.create(
            context=context, attribute=runs[0].attribute, first=first, second=second, choice="first", rater="ann"
        )
    return create_study("Two judges", runs=runs, owner=researcher)
