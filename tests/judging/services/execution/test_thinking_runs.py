"""Runs whose judge thinks before it answers."""

import json
from dataclasses import replace

import pytest

from evenhand.engine import Answer, Generation, Thinking
from evenhand.formats.recorded.judgments import read_comparisons
from evenhand.refusals import Refused
from evenhand.report_json import as_json
from judging.models import Reasoning, Run
from judging.services.datasets.recorded.answer_rows import COMPARISONS
from judging.services.datasets.recorded.recorded_runs import import_judgments
from judging.services.exports.exported_answers import answer_columns, answer_rows, rows_with_prompts
from judging.services.plans.generation_settings import GenerationSettings, choose_thinking, generation_in
from judging.services.runs.progress import progress
from judging.services.runs.run_lifecycle import find_run, resume
from judging.services.runs.run_request import RunRequest, checked_spec
from rankings.report.report_rows import report_rows
from tests.evenhand.engine.fake_engine import FakeEngine
from tests.evenhand.formats.small_files import json_lines
from tests.factories import make_dataset, make_judge, make_run, shipped_prompt
from tests.judged_runs import judge_all

pytestmark = pytest.mark.django_db

THINKS = GenerationSettings(thinking=Thinking(tokens=64))
ANSWERS = [
    Answer(p_first=0.9, p_first_before=0.4, thinking="A is clearer.\n", thinking_tokens=5),
    Answer(p_first=0.2, p_first_before=0.3, thinking="Well", thinking_tokens=64, problem="cut-reasoning"),
    Answer(unparsed=True, thinking="B.", thinking_tokens=2, problem="verdict-in-reasoning"),
    Answer(unparsed=True, text="No."),
    Answer(p_first=0.5, p_first_before=0.5, thinking="\n", thinking_tokens=1, problem="empty-reasoning"),
    Answer(error="busy"),
]


def answering(*answers):
    """An engine that gives these answers in turn."""
    given = iter(answers)
    return FakeEngine(lambda question: next(given))


@pytest.fixture
def run():
    """A run with one answer of each kind."""
    judged = make_run(make_dataset(candidates=(3,)), generation=THINKS)
    judge_all(judged, answering(*ANSWERS))
    judge_all(make_run(make_dataset("Others", candidates=(2,)), judge=make_judge("other")), FakeEngine())
    return judged


def test_thinking_is_stored_with_each_answer(run):
    rows = run.comparisons.values_list("outcome", "thinking", "thinking_tokens", "p_first_before", "problem")

    assert list(rows) == [
        ("answered", "A is clearer.\n", 5, 0.4, ""),
        ("answered", "Well", 64, 0.3, "cut-reasoning"),
        ("unparsed", "B.", 2, None, "verdict-in-reasoning"),
        ("unparsed", "", 0, None, "no-verdict"),
        ("answered", "\n", 1, 0.5, "empty-reasoning"),
        ("error", "", 0, None, ""),
    ]


def test_questions_of_a_run_have_its_thinking_with_temperature_and_seed():
    engine = FakeEngine()
    run = make_run(make_dataset(candidates=(2,)), generation=replace(THINKS, temperature=0.6))

    judge_all(run, engine)

    assert {question.thinking for question in engine.asked} == {Thinking(tokens=64, temperature=0.6, seed=run.seed)}


def test_reasoning_of_a_thinking_judge_is_kept_apart_from_other_reasoning():
    dataset, written = make_dataset(candidates=(2,)), Generation(text="It is short.", thinking="Hm.")
    runs = [make_run(dataset, prompt="prepair-1", generation=one) for one in (THINKS, GenerationSettings())]

    for run in runs:
        judge_all(run, FakeEngine(generate=lambda request: written if request.thinking else "It is long."))

    stored = [{(row.text, row.thinking) for row in Reasoning.objects.of_run(run)} for run in runs]
    assert stored == [{("It is short.", "Hm.")}, {("It is long.", "")}]


def test_resume_asks_answers_with_a_problem_again(run):
    engine = FakeEngine(lambda question: 0.75)

    judge_all(resume(run, problems=["cut-reasoning", "empty-reasoning"]), engine)

    assert len(engine.asked) == 2
    assert progress(run).problems == {"verdict-in-reasoning": 1, "no-verdict": 1}
    with pytest.raises(Refused, match='problems: "cut" is unknown; choose one of: empty-reasoning'):
        resume(run, problems=["cut"])


def test_report_says_how_far_thinking_moved_the_answers(run):
    row, *_ = as_json(report_rows(run.dataset, use_cache=False))

    assert row["thinking"] == {"tokens": 64, "effort": ""}
    assert row["thinking_shift"]["value"] == pytest.approx((0.5 + 0.1 + 0.0) / 3)
    assert (row["thinking_flips"]["value"], row["thinking_flips"]["n"]) == (pytest.approx(1 / 3), 3)


def test_report_of_a_usual_run_has_no_figures_of_thinking(run):
    row, *_ = as_json(report_rows(Run.objects.exclude(pk=run.pk).get().dataset, use_cache=False))

    assert not row.keys() & {"thinking", "thinking_shift", "thinking_flips"}


def test_export_and_import_keep_the_thinking(run):
    rows = list(answer_rows(run))
    assert [list(row) for row in rows] == [list(answer_columns(run, prompts=False))] * 6

    records = read_comparisons([json_lines(*json.loads(json.dumps(rows)))])
    [copy] = import_judgments(COMPARISONS, records, dataset=run.dataset, judge_name="copied")

    fields = ("outcome", "p_first", "thinking", "thinking_tokens", "p_first_before", "problem")
    assert list(copy.comparisons.values_list(*fields)) == list(run.comparisons.values_list(*fields))
    ours, theirs = as_json(report_rows(run.dataset, use_cache=False))
    assert theirs["thinking_shift"] == ours["thinking_shift"]


def test_exported_prompts_are_those_after_the_thinking(run):
    shown = []
    engine = FakeEngine()

    class Renderer:
        def render(self, question):
            shown.append(question.thought)
            return engine.render(question)

        def fingerprint(self):
            return ""

    list(rows_with_prompts(run, renderer=Renderer()))

    assert shown == [answer.thinking for answer in ANSWERS]


def test_run_with_other_thinking_is_another_run(run):
    request = RunRequest(run.dataset, run.attribute, run.judge, run.prompt, generation=THINKS)

    assert find_run(request) == run
    assert find_run(replace(request, generation=GenerationSettings())) is None
    assert find_run(replace(request, generation=GenerationSettings(thinking=Thinking(tokens=65)))) is None
    assert generation_in(run.spec) == THINKS


@pytest.mark.parametrize(
    ("prompt", "thinking", "problem"),
    [
        ("comparative-1", Thinking(tokens=0), "thinking_tokens: 0 — give a whole number from 1 to 1,000,000"),
        ("gptscore-1", Thinking(), "thinking: on — method gptscore reads no answer that a judge could think about"),
    ],
)
def test_impossible_thinking_is_refused(prompt, thinking, problem):
    dataset = make_dataset()
    request = RunRequest(
        dataset,
        dataset.attributes.get(),
        make_judge(),
        shipped_prompt(prompt),
        generation=GenerationSettings(thinking=thinking),
    )

    with pytest.raises(Refused) as refused:
        checked_spec(request)

    assert [one for one in refused.value.problems if one.startswith(problem)]


@pytest.mark.parametrize(
    ("chosen", "problem"),
    [
        ({"mode": "of"}, 'thinking: "of" is unknown (did you mean "off"?); choose one of: off, on'),
        ({"mode": "off", "tokens": 5}, "thinking_tokens: 5 — the judge does not think; choose thinking on"),
        ({"mode": None, "effort": "low"}, "reasoning_effort: low — the judge does not think; choose thinking on"),
        ({"mode": "on", "cut": "x"}, 'cut_thinking: "x" is unknown; choose one of: read, unparsed'),
    ],
)
def test_settings_of_thinking_that_make_no_sense_are_refused(chosen, problem):
    with pytest.raises(Refused) as refused:
        choose_thinking(**chosen)

    assert list(refused.value.problems) == [problem]
