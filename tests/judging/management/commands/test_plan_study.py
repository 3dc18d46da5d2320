"""The command that plans a study by a file, estimates it and starts its runs."""

import pytest

from judging.models import Run, Study
from judging.services.plans.selection_settings import SelectionSettings
from judging.services.runs.run_lifecycle import cancel
from tests.commands import printed, printed_json, refused
from tests.factories import answer_run, make_dataset, make_judge, make_run

pytestmark = pytest.mark.django_db
PLAN = """\
name = "Table 1"
datasets = ["Summaries"]
judges = ["tiny"]
prompts = ["comparative-1", "scoring-1"]
"""


@pytest.fixture
def plan_file(tmp_path):
    file = tmp_path / "table1.toml"
    file.write_text(PLAN)
    return file


def test_plan_is_stored_and_nothing_starts(capsys, plan_file):
    make_dataset()
    make_judge()
    plan_file.write_text(PLAN + 'description = "of the paper"\ngroups = ["Hard=a,b"]\n')

    result = printed_json(capsys, "plan_study", plan_file)

    study = Study.objects.get()
    assert [(cell["prompt"], cell["state"], cell["questions"]) for cell in result["cells"]] == [
        ("comparative-1", "new", 12),
        ("scoring-1", "new", 6),
    ]
    assert (study.name, study.description, study.groups, study.owner) == ("Table 1", "of the paper", ["Hard=a,b"], None)
    assert study.plan["prompts"] == ["comparative-1", "scoring-1"]
    assert not Run.objects.exists()


def test_dry_run_prints_combinations_and_estimate_and_stores_nothing(capsys, plan_file, judge):
    answer_run(make_run(make_dataset(), judge=judge))
    plan_file.write_text(PLAN + "seeds = [0, 1]\n")

    text = printed(capsys, "plan_study", plan_file, "--dry-run")

    assert text.startswith("Table 1: 1 new run, 1 reused, 0 in the study, 2 impossible\n")
    assert "new: Summaries, coherence, tiny, scoring-1, full, 0: 6 questions" in text
    assert "impossible: Summaries, coherence, tiny, comparative-1, full, 1: seed: 1 — has no effect" in text
    assert "tiny: 1 run, 6 questions. Time, tokens and cost unknown: " in text
    assert not Study.objects.exists()


def test_dry_run_as_json_adds_up_the_runs_of_a_judge_and_warns_of_long_prompts(capsys, plan_file, judge):
    dataset = make_dataset()
    for method in ("comparative-1", "scoring-1"):
        pilot = make_run(dataset, judge=judge, prompt=method, selection=SelectionSettings(contexts=1))
        Run.objects.filter(pk=pilot.pk).update(status="done", seconds=pilot.planned, prompt_tokens=10 * pilot.planned)
    dataset.contexts.filter(key="c1").update(text="The cat sat. " * 400)

    found = printed_json(capsys, "plan_study", plan_file, "--dry-run")

    [row] = found["estimate"]
    assert (row["judge"], row["runs"], row["questions"]) == ("tiny", 2, 18)
    assert (row["seconds"], row["tokens"]) == ({"value": 18.0}, {"value": 180.0})
    assert [warning.partition(" are longer")[0] for warning in found["warnings"]] == [
        "About 6 of 12 prompts",
        "About 3 of 6 prompts",
    ]


def test_dry_run_says_why_a_plan_cannot_start(capsys, plan_file, judge):
    make_dataset().contexts.update(text="The cat sat. " * 400)

    warnings = printed_json(capsys, "plan_study", plan_file, "--dry-run")["warnings"]

    assert [warning.partition(" longer")[0] for warning in warnings] == [
        "judge: all 12 prompts are",
        "judge: all 6 prompts are",
    ]


def test_start_judges_the_runs_that_the_study_lacks(capsys, plan_file, judge):
    existing = answer_run(make_run(make_dataset(), judge=judge))

    result = printed_json(capsys, "plan_study", plan_file, "--start")

    assert result["reused"] == [existing.pk]
    assert [(row["run"], row["scores"] + row["unparsed"]) for row in result["runs"]] == [(result["new"][0], 6)]
    assert set(Study.objects.get().runs.values_list("status", flat=True)) == {"done"}


def test_repeated_start_continues_stopped_runs_and_starts_only_new_ones(capsys, plan_file, judge):
    make_dataset()
    first = printed_json(capsys, "plan_study", plan_file, "--start")
    stopped = Run.objects.get(pk=first["new"][0])
    stopped.comparisons.all().delete()
    stopped.chunks.update(status="pending")
    Run.objects.filter(pk=stopped.pk).update(status="pending")
    cancel(stopped)
    plan_file.write_text(PLAN.replace('"scoring-1"', '"scoring-1", "comparative-2"'))

    second = printed_json(capsys, "plan_study", plan_file, "--start")

    assert len(second["new"]) == 1
    assert sorted(row["run"] for row in second["runs"]) == sorted([stopped.pk, *second["new"]])
    assert Study.objects.get().runs.count() == 3


def test_file_with_problems_is_refused_with_all_of_them(capsys, plan_file):
    plan_file.write_text('judges = "tiny"\nseeds = ["a"]\ncontexts = true\nsedes = [1]\n')

    assert refused(capsys, "plan_study", plan_file) == [
        f'{plan_file}: name: missing — give the study a name, for example name = "Table 1"',
        f"{plan_file}: judges: 'tiny' — expected a list of texts",
        f"{plan_file}: seeds: ['a'] — expected a list of whole numbers",
        f"{plan_file}: contexts: True — expected a whole number",
        f'{plan_file}: "sedes" is unknown (did you mean "seeds"?); there are: name, description, datasets, attributes, '
        "judges, prompts, selections, seeds, contexts, samples, temperature, thinking, thinking_tokens, "
        "reasoning_effort, cut_thinking, metrics, without_system, without_context, groups",
    ]


def test_file_that_is_no_toml_or_missing_is_refused(capsys, plan_file, tmp_path):
    plan_file.write_text("name = ")

    assert "expected TOML" in refused(capsys, "plan_study", plan_file)[0]
    assert "No such file" in refused(capsys, "plan_study", tmp_path / "none.toml")[0]


def test_unknown_names_are_refused_and_nothing_is_stored(capsys, plan_file):
    make_dataset()

    assert refused(capsys, "plan_study", plan_file) == ['judge: there is no "tiny"; there are: demo']
    assert not Study.objects.exists()


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (("--dry-run", "--start"), "start: a dry run starts nothing; leave one of the two out"),
        (("--queue",), "queue: it belongs to a start; add --start"),
    ],
)
def test_options_that_do_not_fit_are_refused(capsys, plan_file, options, problem):
    assert refused(capsys, "plan_study", plan_file, *options) == [problem]


def test_file_gives_the_settings_of_all_runs(capsys, plan_file):
    make_dataset()
    make_judge()
    plan_file.write_text(PLAN + 'samples = 2\ntemperature = 1\nwithout_context = ["c1"]\n')

    cells = printed_json(capsys, "plan_study", plan_file)["cells"]

    plan = Study.objects.get().plan
    assert (plan["samples"], plan["temperature"], plan["without_context"]) == (2, 1.0, ["c1"])
    assert [(cell["state"], cell["questions"]) for cell in cells] == [("new", 6), ("new", 3)]


def test_settings_of_a_wrong_type_are_refused(capsys, plan_file):
    plan_file.write_text(PLAN + 'samples = "2"\ntemperature = "1"\nthinking = true\nwithout_system = "b"\n')

    assert refused(capsys, "plan_study", plan_file) == [
        f"{plan_file}: samples: '2' — expected a whole number",
        f"{plan_file}: temperature: '1' — expected a number",
        f"{plan_file}: thinking: True — expected a text",
        f"{plan_file}: without_system: 'b' — expected a list of texts",
    ]
