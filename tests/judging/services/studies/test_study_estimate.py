"""The estimate of a study's new runs, by workers and in this process."""

import pytest

from evenhand.engine import Answer
from evenhand.engine.settings import DEMO_MODEL
from judging.models import RESEARCHER, ForecastRequest
from judging.services.forecasts.forecast_requests import execute_forecast
from judging.services.forecasts.judge_estimates import PENDING
from judging.services.studies.study_cells import plan_cells
from judging.services.studies.study_changes import create_study
from judging.services.studies.study_estimate import (
    estimate_here,
    find_study_estimate,
    group_new_cells,
    request_study_estimate,
)
from judging.services.studies.study_plan import StudyPlan
from tests.evenhand.engine.fake_engine import FakeEngine
from tests.factories import answer_run, make_dataset, make_judge, make_run, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def rita():
    return make_user("rita", RESEARCHER)


@pytest.fixture
def judges():
    """Two endpoints, so that no tokenizer is loaded; the first has prices per token."""
    remote = {"backend": "openai", "base_url": "http://localhost:1/v1"}
    return [
        make_judge("priced", **remote, price_input=1e6, price_output=0.0),
        make_judge("free", **remote, price_input=0.0, price_output=0.0),
    ]


def cells_of(user, **names):
    make_dataset(candidates=(3, 2))
    defaults = {"datasets": ["Summaries"], "prompts": ["comparative-1"], "selections": ["random:2"]}
    return plan_cells(StudyPlan.by_names(defaults | names, user=user), user=user)


def forecast_all(study, cells, user) -> None:
    engine = FakeEngine(lambda question: Answer(p_first=0.5, prompt_tokens=7))
    for request in request_study_estimate(study, cells, user=user, pilot=2):
        execute_forecast(request.pk, load=lambda settings: engine)


def test_cells_that_differ_in_selection_or_seed_are_one_group_that_its_largest_run_stands_for(rita, judges):
    cells = cells_of(rita, judges=["free"], selections=["random:2", "random:1"], seeds=[0, 1])

    [group] = group_new_cells(cells)

    assert (group.request.selection.comparisons, group.largest, group.questions, group.runs) == (2, 4, 12, 4)


def test_estimate_before_it_is_requested_counts_runs_and_questions(rita, judges):
    cells = cells_of(rita, judges=["priced", "free"], seeds=[0, 1])

    estimate = find_study_estimate(create_study("one", owner=rita), cells, user=rita, pilot=2)

    assert not estimate.requested
    assert [(one.name, one.runs, one.questions) for one in (*estimate.lines, estimate.total)] == [
        ("priced", 2, 8),
        ("free", 2, 8),
        ("all judges", 4, 16),
    ]
    assert estimate.total.tokens.undefined == PENDING


def test_estimate_scales_the_forecast_of_one_run_to_all_runs_of_its_group(rita, judges):
    study = create_study("one", owner=rita)
    cells = cells_of(rita, judges=["priced", "free"], seeds=[0, 1, 2])
    forecast_all(study, cells, rita)

    estimate = find_study_estimate(study, cells, user=rita, pilot=2)

    assert ForecastRequest.objects.count() == 2
    assert estimate.is_over
    assert [one.tokens.value for one in (*estimate.lines, estimate.total)] == [3 * 4 * 7, 3 * 4 * 7, 6 * 4 * 7]
    assert [one.cost.value for one in (*estimate.lines, estimate.total)] == [3 * 4 * 7, 0, 3 * 4 * 7]
    assert estimate.total.seconds.value == sum(one.seconds.value for one in estimate.lines)


def test_estimate_leaves_out_runs_that_exist(rita, judges):
    names = {"datasets": ["Summaries"], "judges": ["priced", "free"], "prompts": ["comparative-1"]}
    answer_run(make_run(judge=judges[0], owner=rita))

    cells = plan_cells(StudyPlan.by_names(names, user=rita), user=rita)

    assert [one.name for one in find_study_estimate(None, cells, user=rita).lines] == ["free"]


def test_new_estimate_deletes_forecasts_of_runs_that_are_no_longer_new(rita, judges):
    study, other = create_study("one", owner=rita), create_study("other", owner=rita)
    cells = cells_of(rita, judges=["priced", "free"])
    forecast_all(study, cells, rita)
    forecast_all(other, cells, rita)

    request_study_estimate(study, cells[:1], user=rita, pilot=2)

    assert study.forecasts.count() == 1
    assert other.forecasts.count() == 2


def test_estimate_names_the_judge_whose_forecast_failed(rita, judges):
    study = create_study("one", owner=rita)
    cells = cells_of(rita, judges=["priced", "free"])
    forecast_all(study, cells, rita)
    ForecastRequest.objects.filter(judge=judges[1]).update(state="failed", error="no answer", rows=[])

    estimate = find_study_estimate(study, cells, user=rita, pilot=2)

    assert estimate.problems == ["free: no answer"]
    assert estimate.lines[0].tokens.value == 4 * 7
    assert estimate.total.tokens.undefined == PENDING


def test_local_judge_costs_nothing_and_the_total_is_the_cost_of_the_endpoints(rita, judges):
    make_judge("here", model=DEMO_MODEL)
    cells = cells_of(rita, judges=["here", "priced"])
    engine = FakeEngine(lambda question: Answer(p_first=0.5, prompt_tokens=7))

    estimate = estimate_here(cells, pilot=2, load=lambda settings: engine)

    assert estimate.lines[0].cost.undefined == "the model runs here"
    assert estimate.lines[0].tokens.value > 0
    assert estimate.total.cost.value == 4 * 7
