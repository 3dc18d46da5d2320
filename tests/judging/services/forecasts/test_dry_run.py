"""Forecasts of several runs of one judge, without and with a pilot."""

import pytest

from evenhand.engine import Answer, QuestionRefused
from evenhand.engine.settings import DEMO_MODEL
from evenhand.refusals import Refused
from judging.models import Run
from judging.services.forecasts.dry_run import dry_run
from judging.services.plans.selection_settings import EVERY_PAIR
from judging.services.runs.run_request import RunRequest
from tests.evenhand.engine.fake_engine import FakeEngine
from tests.factories import make_dataset, make_judge, shipped_prompt

pytestmark = pytest.mark.django_db


@pytest.fixture
def asked():
    """About two attributes."""
    dataset = make_dataset(candidates=(3, 2), attributes=("coherence", "fluency"))
    judge = make_judge(model=DEMO_MODEL)
    prompt = shipped_prompt()
    return [RunRequest(dataset, attribute, judge, prompt, EVERY_PAIR) for attribute in dataset.attributes.all()]


def test_dry_run_counts_all_runs_before_the_first_pilot(asked):
    seen = []
    engine = FakeEngine(lambda question: Answer(p_first=0.5, prompt_tokens=7))

    rows = dry_run(
        asked,
        pilot=2,
        load=lambda settings: engine,
        on_step=lambda rows: seen.append([row["pilot"] is not None for row in rows]),
    )

    assert seen == [[], [], [False, False], [True, False], [True, True]]
    assert [(row["attribute"], row["comparisons"]) for row in rows] == [("coherence", 8), ("fluency", 8)]
    assert [row["pilot"]["asked"]["prompt_tokens"] for row in rows] == [14, 14]
    assert not Run.objects.exists()


def test_dry_run_says_that_its_pilot_is_not_finished(asked):
    seen = []

    dry_run(asked[:1], pilot=2, load=lambda settings: FakeEngine(), on_step=lambda rows: seen.extend(map(dict, rows)))

    assert seen[0]["seconds"] == {"value": None, "undefined": "the pilot is not finished"}
    assert seen[1]["seconds"]["value"] > 0


def test_dry_run_without_a_pilot_loads_no_judge(asked):
    (row,) = dry_run(asked[:1], pilot=0, load=pytest.fail)

    assert row["tokens"]["is_exact"]
    assert row["seconds"] == {"value": None, "undefined": "nothing was asked; a pilot (--pilot N) measures it"}


def test_time_is_undefined_if_no_question_reached_the_judge(asked):
    engine = FakeEngine(lambda question: Answer(error="the prompt is too long"))

    (row,) = dry_run(asked[:1], pilot=2, load=lambda settings: engine)

    assert row["pilot"]["without_answer"] == 2
    assert row["seconds"] == {"value": None, "undefined": "no question of the pilot reached the judge"}


def test_dry_run_refuses_a_prompt_that_cannot_be_rendered(asked, monkeypatch):
    class Silent(FakeEngine):
        def render(self, question):
            raise QuestionRefused("the model's chat template cannot render this prompt")

    monkeypatch.setattr("judging.services.forecasts.dry_run.load_renderer", lambda settings: Silent())

    with pytest.raises(Refused) as refusal:
        dry_run(asked, pilot=0, load=pytest.fail)

    assert refusal.value.problems == (
        "judge: tiny cannot be asked by comparative-1: the model's chat template cannot render this prompt",
    )
