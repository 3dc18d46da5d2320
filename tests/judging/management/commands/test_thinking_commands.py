"""Judges that think, by command: from a dataset to its report."""

import pytest
from django.urls import reverse

from judging.models import Comparison, Run
from tests.commands import printed_json, refused
from tests.evenhand.engine.thinking_templates import QWEN3, save_thinking_model
from tests.evenhand.engine.tiny_models import CHAT_TEMPLATE, save_model
from tests.factories import make_dataset, make_judge
from tests.judging.views.new_runs import choices

pytestmark = pytest.mark.django_db

THINKING = ("--thinking", "on", "--thinking-tokens", 12)
JUDGE = ("judge", "--dataset", "Summaries", "--judge", "tiny")


@pytest.fixture
def judge(tmp_path):
    prompts = ["<|im_start|>user\nThe old captain<|im_end|>\n<|im_start|>assistant\n<think>\n"] * 2
    make_dataset(candidates=(2,))
    return make_judge(model=str(save_thinking_model(tmp_path, QWEN3, prompts=prompts, window=4096)))


def test_judge_thinks_and_the_report_says_how_far_it_moved(capsys, judge):
    (row,) = printed_json(capsys, *JUDGE, *THINKING)["runs"]
    (reported,) = printed_json(capsys, "report", "--dataset", "Summaries")["rows"]

    run = Run.objects.get()
    rows = run.comparisons.values_list("p_first", "p_first_before", "thinking_tokens")
    assert (row["comparisons"], run.thinking.tokens) == (2, 12)
    assert all(None not in values and 0 < values[2] <= 12 for values in rows)
    assert reported["thinking_shift"]["value"] == pytest.approx(sum(abs(one - two) for one, two, _ in rows) / 2)
    assert run.environment["thinking"] == "it thinks until </think>"


def test_judge_that_may_not_think_says_how_it_is_kept_from_it(capsys, judge):
    printed_json(capsys, *JUDGE)

    run = Run.objects.get()
    assert run.thinking is None
    assert run.environment["without_thinking"] == "enable_thinking=False in the chat template"
    assert set(Comparison.objects.values_list("thinking", flat=True)) == {""}


def test_thinking_of_a_model_that_cannot_think_is_refused_before_the_run(capsys, client, researcher, tmp_path):
    dataset = make_dataset(candidates=(2,), owner=researcher)
    judge = make_judge(model=str(save_model(tmp_path, "llama", chat_template=CHAT_TEMPLATE, window=4096)))
    body = {"dataset": "Summaries", "attribute": "coherence", "judge": "tiny", "thinking": "on"}
    capsys.readouterr()  # what saving a model prints

    lines = refused(capsys, *JUDGE, *THINKING)
    answer = client.post(reverse("api-run-list"), body, content_type="application/json")
    chosen = choices(dataset, judges=[judge.pk], thinking="on")
    page = client.post(reverse("run-new", args=[dataset.pk]), chosen)

    reason = 'thinking: on — the chat template of the judge "tiny" has no thinking'
    assert lines == [f"{reason}; leave it off, or choose a model that can think"]
    assert (answer.status_code, answer.json()["problems"]) == (400, lines)
    assert "has no thinking; leave it off" in page.content.decode()
    assert not Run.objects.exists()


def test_resume_asks_answers_with_a_problem_again(capsys, judge):
    (row,) = printed_json(capsys, *JUDGE, "--thinking", "on", "--thinking-tokens", 1)["runs"]
    assert row["problems"] == {"cut-reasoning": 2}

    (again,) = printed_json(capsys, "resume", row["run"], "--problem", "cut-reasoning")["runs"]

    assert (again["comparisons"], again["reused"]) == (2, 0)


@pytest.mark.realdata
def test_local_judge_that_thinks_judges_llmbar_natural(capsys, judge, shared_data):
    natural = shared_data / "data" / "llmbar" / "Natural.json"
    printed_json(capsys, "import_dataset", natural, "--name", "LLMBar")

    (row,) = printed_json(
        capsys, "judge", "--dataset", "LLMBar", "--judge", "tiny", "--thinking", "on", "--thinking-tokens", 4
    )["runs"]
    reported = printed_json(capsys, "report", "--dataset", "LLMBar")["rows"][0]

    assert row["comparisons"] + row["unparsed"] + row["errors"] == 200
    assert row["errors"] == 0
    assert reported["thinking_shift"]["n"] == 200
    assert reported["accuracy"]["n"] == 200
