"""Runs with sampled answers or sampled reasoning."""

import pytest

from evenhand.engine import Generation
from evenhand.engine.replies.sampled_answers import read_samples
from evenhand.refusals import Refused
from judging.models import Reasoning
from judging.services.exports.answer_descriptions import describe_answers
from judging.services.exports.exported_answers import answer_columns, answer_rows
from judging.services.plans.generation_settings import GenerationSettings
from judging.services.plans.selection_settings import SelectionSettings
from judging.services.runs.run_lifecycle import find_run, resume
from judging.services.runs.run_request import RunRequest
from rankings.report.report_rows import report_rows
from rankings.report.report_table import TableChoice, report_table
from rankings.report.run_names import Sampled
from tests.evenhand.engine.fake_engine import FakeEngine
from tests.factories import make_dataset, make_run
from tests.judged_runs import judge_all

pytestmark = pytest.mark.django_db

FOUR = GenerationSettings(samples=4, temperature=1.0)
WARM = GenerationSettings(temperature=0.7)


def saying(*texts):
    """An engine that writes these texts in turn, starting again with each question."""
    number = iter(range(10_000))
    return FakeEngine(generate=lambda request: texts[next(number) % len(texts)])


def test_p_first_of_a_sampled_run_is_the_share_of_first():
    run = make_run(make_dataset(candidates=(2,)), generation=FOUR)

    judge_all(run, saying("A", "B", "A", "dunno"))

    row = run.comparisons.first()
    assert list(run.comparisons.values_list("p_first", "outcome")) == [(2 / 3, "answered")] * 2
    assert [sample.read for sample in read_samples(row.text)] == ["first", "second", "first", None]
    assert (row.raw_first, row.raw_second, run.status) == (None, None, "done")


def test_sampled_run_keeps_unparsed_samples_and_errors():
    run = make_run(make_dataset(candidates=(2,)), generation=FOUR)
    fail = Generation(error="busy")

    judge_all(run, saying("no", "no", "no", "no", "A", "A", fail, "B"))

    rows = run.comparisons.values_list("outcome", "p_first", "error")
    assert list(rows) == [("unparsed", None, ""), ("error", None, "1 of 4 samples failed, the first because busy")]


def test_score_of_a_sampled_run_is_the_mean_of_the_numbers():
    run = make_run(make_dataset(candidates=(1,)), prompt="pointwise-1", generation=FOUR)

    judge_all(run, saying("4", "5", "four", "2"))

    assert run.scores.get().value == pytest.approx(11 / 3)


def test_sampled_run_has_another_spec():
    dataset = make_dataset(candidates=(2,))
    plain, sampled = make_run(dataset), make_run(dataset, generation=FOUR)

    assert plain.spec_hash != sampled.spec_hash
    assert (sampled.samples, sampled.temperature) == (4, 1.0)
    assert "writing" not in plain.spec
    assert describe_answers(plain) == "the probabilities of the two label words"
    assert describe_answers(sampled) == (
        "4 texts sampled per answer at temperature 1: the share of the first label word"
    )
    request = RunRequest(dataset, sampled.attribute, sampled.judge, sampled.prompt, generation=FOUR)
    assert find_run(request) == sampled
    assert resume(sampled).status == "pending"


def test_report_and_export_say_how_a_run_was_sampled():
    run = make_run(make_dataset(candidates=(2,)), generation=FOUR)
    judge_all(run, saying("A", "B", "A", "dunno"))

    (row, _) = answer_rows(run)

    report = report_rows(run.dataset)
    assert report[0].name.sampled == Sampled(4, 1.0)
    assert f"Run {run.pk}: asked with 4 samples at temperature 1." in report_table(report, TableChoice()).notes
    assert answer_columns(run, prompts=False)[-4:] == (
        "samples_first",
        "samples_second",
        "samples_unparsed",
        "temperature",
    )
    assert [row[name] for name in answer_columns(run, prompts=False)[-4:]] == [2, 1, 1, 1.0]


def test_export_of_sampled_scores_counts_the_texts_with_a_number():
    run = make_run(make_dataset(candidates=(1,)), prompt="scoring-1", generation=FOUR)
    judge_all(run, saying("7", "7", "8", "good"))

    (row,) = answer_rows(run)

    assert [row[name] for name in answer_columns(run, prompts=False)[-3:]] == [3, 1, 1.0]


@pytest.mark.parametrize(
    ("prompt", "writing", "problem"),
    [
        ("comparative-1", GenerationSettings(0, 1.0), "samples: 0 — give a whole number from 1 to 1,000"),
        (
            "comparative-1",
            GenerationSettings(5),
            "samples: 5 — at temperature 0 all samples would be the same; give a temperature above 0, such as 1",
        ),
        ("gptscore-1", GenerationSettings(5, 1.0), "samples: 5 — method gptscore generates no answers; leave it out"),
        ("prepair-1", GenerationSettings(temperature=-1.0), "temperature: -1 — give a number from 0"),
        ("prepair-1", GenerationSettings(temperature=float("nan")), "temperature: nan — give a number from 0"),
        (
            "pairwise-1",
            WARM,
            "temperature: 0.7 — the judge generates no text here, its probabilities are read; leave it out, or give a "
            "number of samples",
        ),
    ],
)
def test_impossible_sampling_is_refused(prompt, writing, problem):
    with pytest.raises(Refused) as refusal:
        make_run(prompt=prompt, generation=writing)

    assert refusal.value.problems == (problem,)


def test_reasonings_are_sampled_by_the_seed_and_reused():
    dataset = make_dataset(candidates=(3,))
    first, second = FakeEngine(), FakeEngine()
    judge_all(make_run(dataset, prompt="prepair-1", generation=WARM, selection=SelectionSettings(seed=8)), first)

    judge_all(
        make_run(dataset, prompt="prepair-1", generation=WARM, selection=SelectionSettings("random", 2, seed=8)), second
    )

    assert {request.temperature for request in first.requested} == {0.7}
    assert len({request.seed for request in first.requested}) == 3
    assert second.requested == []
    assert set(Reasoning.objects.values_list("temperature", "seed")) == {(0.7, 8)}


@pytest.mark.parametrize(
    ("writing", "seed"), [(WARM, 9), (GenerationSettings(temperature=0.2), 8), (GenerationSettings(), 8)]
)
def test_reasonings_of_another_temperature_or_seed_are_not_reused(writing, seed):
    dataset = make_dataset(candidates=(3,))
    judge_all(make_run(dataset, prompt="prepair-1", generation=WARM, selection=SelectionSettings(seed=8)), FakeEngine())
    engine = FakeEngine()

    judge_all(make_run(dataset, prompt="prepair-1", generation=writing, selection=SelectionSettings(seed=seed)), engine)

    assert len(engine.requested) == 3


def test_greedy_reasonings_are_shared_by_all_seeds():
    dataset = make_dataset(candidates=(3,))
    judge_all(make_run(dataset, prompt="prepair-1", selection=SelectionSettings(seed=8)), FakeEngine())
    engine = FakeEngine()

    judge_all(make_run(dataset, prompt="prepair-1", selection=SelectionSettings(seed=9)), engine)

    assert engine.requested == []
