"""`judge --dry-run`: what a run asks and takes."""

import json

import pytest
from django.core.management import call_command

from judging.models import Run
from tests.factories import make_dataset, make_judge, make_run

pytestmark = pytest.mark.django_db

ARGUMENTS = ("judge", "--dataset", "Summaries", "--judge", "tiny", "--dry-run")
UNKNOWN = "this judge has finished no run of this kind on this dataset"


def planned(capsys, *options):
    call_command(*ARGUMENTS, *options, "--json")
    (row,) = json.loads(capsys.readouterr().out)["runs"]
    return row


@pytest.fixture
def dataset():
    return make_dataset(candidates=(3, 2))


@pytest.fixture
def local(tiny_model):
    return make_judge(model=str(tiny_model))


def test_dry_run_says_what_is_asked_and_stores_nothing(capsys, dataset, local):
    assert planned(capsys) == {
        **{"judge": "tiny", "method": "comparative", "prompt": "comparative-1", "attribute": "coherence"},
        **{"comparisons": 8, "reused": 0, "contexts": 2, "candidates": 5},
        **{"small_contexts": 0, "without_anchor": 0, "reasonings": 0, "criteria": 0},
        **{name: {"value": None, "undefined": UNKNOWN} for name in ("seconds", "tokens")},
        "cost": {"value": None, "undefined": "the judge has no prices"},
        "sentence": f"Time, tokens and cost unknown: {UNKNOWN}. Run a pilot on a few contexts to know.",
        "warnings": [],
    }
    assert not Run.objects.exists()


@pytest.mark.parametrize(
    ("options", "texts"), [(("cot",), (8, 0)), (("prepair",), (5, 0)), (("pairwise", "--metrics"), (0, 2))]
)
def test_dry_run_counts_the_texts_that_the_judge_writes_first(capsys, dataset, local, options, texts):
    row = planned(capsys, "--method", *options)

    assert (row["reasonings"], row["criteria"]) == texts


def test_dry_run_after_a_pilot_gives_the_time_of_the_run(capsys, dataset, local):
    call_command("judge", "--dataset", "Summaries", "--judge", "tiny", "--contexts", "1")
    pilot = Run.objects.get()
    capsys.readouterr()

    row = planned(capsys)

    assert row["seconds"]["value"] == pytest.approx(8 * pilot.seconds / 6)
    assert row["tokens"]["value"] == pytest.approx(8 * pilot.prompt_tokens / 6)


def test_dry_run_warns_of_prompts_that_are_too_long(capsys, dataset, local):
    dataset.contexts.filter(key="c1").update(text="The cat sat. " * 400)

    call_command(*ARGUMENTS)

    assert capsys.readouterr().out.splitlines() == [
        "tiny, comparative, comparative-1, coherence: 8 comparisons of 5 candidates in 2 contexts; 0 reused",
        f"  Time, tokens and cost unknown: {UNKNOWN}. Run a pilot on a few contexts to know.",
        '  warning: About 2 of 8 prompts are longer than the 1,024 tokens that "tiny" takes. Nothing is cut: they '
        "become errors. To avoid this, shorten the prompt or the texts, leave out the longest contexts, or choose a "
        "judge that takes more.",
    ]


def test_dry_run_without_json_shows_the_pilot_of_this_judge(capsys, dataset, local):
    run = make_run(dataset, judge=local, prompt="cot-1")
    Run.objects.filter(pk=run.pk).update(status="done", seconds=125, prompt_tokens=8_000)

    call_command(*ARGUMENTS, "--method", "cot")

    assert capsys.readouterr().out.splitlines()[1:] == [
        "  before: 8 texts of reasoning and 0 of criteria",
        "  About 2 min 5 s, 8,000 tokens, as in this judge's last run of this kind.",
    ]


def test_dry_run_refuses_a_queue(capsys, dataset, local):
    with pytest.raises(SystemExit) as ended:
        call_command(*ARGUMENTS, "--queue")

    line = "queue: a dry run asks nothing, so there is nothing to queue; leave it out\n"
    assert (ended.value.code, capsys.readouterr().err) == (2, line)
