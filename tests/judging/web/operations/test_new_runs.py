"""New runs by page, API (JSON and form) and command: the same specification, the same refusals."""

import pytest
from django.urls import reverse
from rest_framework.test import APIClient

from judging import tasks
from judging.management.judging_command import JudgingCommand
from judging.models import Run
from tests.commands import printed
from tests.doors import arguments, texts
from tests.factories import make_dataset, make_judge, make_user
from tests.judging.views.new_runs import prompts_named

pytestmark = pytest.mark.django_db

THINKING = {"thinking": "on", "thinking_tokens": 64, "reasoning_effort": "low", "cut_thinking": "unparsed"}


@pytest.fixture
def doors(client, capsys, monkeypatch):
    """Each door: options -> its problems, empty if there is a run now. It only makes the run."""
    dataset, judge, rita = make_dataset(candidates=(3, 3, 2)), make_judge(), make_user("rita", "researcher")
    make_dataset("Others")
    client.force_login(rita)
    api = APIClient()
    api.force_authenticate(rita)
    monkeypatch.setattr(tasks, "start_run", lambda run_id: None)
    monkeypatch.setattr(JudgingCommand, "judge_runs", lambda self, runs, holder: [])
    rows = {"dataset": "Summaries", "judge": "tiny", "attribute": "coherence"}

    def page(options):
        sent = {name: texts(value) for name, value in without_prompt(options).items()}
        sent = {name: "\n".join(value) if isinstance(value, list) else value for name, value in sent.items()}
        attributes = [dataset.attributes.get().pk]
        sent |= {"attributes": attributes, "judges": [judge.pk], "prompts": prompts_named(prompt_of(options))}
        address = reverse("run-new", args=[dataset.pk])
        shown = client.post(address, sent).context
        if "shown" in shown:
            client.post(address, sent | {"shown": shown["shown"], "start": ""})
        errors = shown["form"].errors.items()
        return [text if name == "__all__" else f"{name}: {text}" for name, some in errors for text in some]

    def posted(options, form):
        answer = api.post("/api/runs/", rows | {"prompts": [prompt_of(options)]} | without_prompt(options), format=form)
        return [] if answer.status_code == 201 else answer.json()["problems"]

    def command(options):
        words = [*arguments(rows | {"prompt": prompt_of(options), "method": method_of(options)})]
        words += arguments(without_prompt(options))
        try:
            printed(capsys, "judge", *words, "--queue")
        except SystemExit:
            return capsys.readouterr().err.splitlines()
        return []

    return {
        "page": page,
        "JSON": lambda options: posted(options, "json"),
        "form": lambda options: posted(options, "multipart"),
        "command": command,
    }


def prompt_of(options):
    return options.get("prompt", "comparative-1")


def method_of(options):
    return prompt_of(options).rpartition("-")[0]


def without_prompt(options):
    return {name: value for name, value in options.items() if name != "prompt"}


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"selection": "random", "comparisons": 2, "contexts": 2, "seed": 7, "without_system": ["system-c"]},
        {"selection": "bt-optimal", "comparisons": 4, "hold_out": 0.25},
        {"selection": "until-sure", "bound": 0.1, "without_context": ["c1", "c2"]},
        {"selection": "anchor", "anchor": "system-a"},
        {"selection": "as-given", "contexts": 2},
        {"samples": 5, "temperature": 0.7, "metrics": "metrics-1"},
        THINKING | {"prompt": "prepair-1", "temperature": 0.5},
        THINKING | {"cut_thinking": "read"},
    ],
)
def test_every_door_makes_the_same_run(doors, options):
    made = {}
    for name, door in doors.items():
        assert (name, door(options)) == (name, [])
        made[name] = Run.objects.get().spec
        Run.objects.all().delete()

    assert made["page"] == made["JSON"] == made["form"] == made["command"]


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"selection": "best"}, 'selection: "best" is unknown; choose one of: full, '),
        ({"selection": "random"}, "comparisons: missing — selection random needs a number per context"),
        ({"comparisons": 3}, "comparisons: 3 — selection full asks every ordered pair; leave the number out"),
        ({"selection": "random", "comparisons": 0}, "comparisons: 0 — give a whole number from 1 to 2,147,483,647"),
        ({"selection": "random", "comparisons": 10**20}, f"comparisons: {10**20} — give a whole number from 1 to"),
        ({"selection": "symmetric", "comparisons": 3}, "comparisons: 3 — symmetric asks both orders of each pair"),
        ({"contexts": 10**20}, f"contexts: {10**20} — give a whole number from 1 to 2,147,483,647"),
        ({"seed": -1}, "seed: -1 — give a whole number from 0 to 9,223,372,036,854,775,807"),
        ({"hold_out": 0.2}, "hold-out: 0.2 — only selection bt-optimal holds comparisons out; leave it out"),
        ({"selection": "bt-optimal", "comparisons": 4, "hold_out": 1}, "hold_out: 1 — give a number of at least 0 and"),
        ({"bound": 0.1}, "bound: 0.1 — only selection until-sure stops at a bound; leave it out"),
        ({"selection": "until-sure", "bound": 0.5}, "bound: 0.5 — give a number above 0 and below 0.5"),
        ({"anchor": "system-a"}, 'anchor: "system-a" — only selection anchor'),
        ({"selection": "pairs", "comparisons": 4}, "comparisons: 4 — selection pairs asks what its sort needs"),
        ({"without_system": ["system-z"]}, 'without-system: "Summaries" has no system "system-z"'),
        ({"samples": 0}, "samples: 0 — give a whole number from 1 to 1,000"),
        ({"samples": 5}, "samples: 5 — at temperature 0 all samples would be the same"),
        ({"temperature": 1}, "temperature: 1 — the judge generates no text here, its probabilities are read"),
        ({"prompt": "gptscore-1", "metrics": "metrics-1"}, "metrics: method gptscore does not show them; leave them"),
        ({"temperature": -1}, "temperature: -1 — give a number of at least 0"),
        ({"thinking": "maybe"}, 'thinking: "maybe" is unknown; choose one of: off, on'),
        (THINKING | {"thinking_tokens": 0}, "thinking_tokens: 0 — give a whole number from 1 to 1,000,000"),
        (THINKING | {"reasoning_effort": "x" * 51}, "reasoning_effort: 51 characters — write at most 50"),
        (THINKING | {"cut_thinking": "kept"}, 'cut_thinking: "kept" is unknown; choose one of: read, unparsed'),
        ({"metrics": "mine"}, 'metrics: there is no prompt "mine"'),
        ({"prompt": "scoring-1", "selection": "random", "comparisons": 2}, "selection: random — this method scores"),
        ({"batch": True}, "batch: "),
    ],
)
def test_every_door_refuses_in_the_same_words(doors, options, problem):
    said = {name: door(options) for name, door in doors.items()}

    assert said["page"] == said["JSON"] == said["form"] == said["command"]
    assert said["page"][0].startswith(problem)
    assert not Run.objects.exists()


def test_settings_of_thinking_that_is_off_are_hidden_on_the_page_and_refused_elsewhere(doors):
    said = {name: door({"thinking_tokens": 5}) for name, door in doors.items()}

    assert said.pop("page") == []
    for problems in said.values():
        assert problems == ["thinking_tokens: 5 — the judge does not think; choose thinking on"]


def test_an_unknown_option_is_refused_by_page_and_api(doors):
    del doors["command"]
    for door in doors.values():
        assert door({"comparison": 2})[0].startswith('comparison: unknown (did you mean "comparisons"?)')
    assert not Run.objects.exists()
