"""Settings that all runs of a plan share: sampling, thinking, criteria and exclusions."""

import pytest

from evenhand.refusals import Refused
from judging.models import Candidate, Exclusion
from judging.services.plans.generation_settings import GenerationSettings
from judging.services.plans.selection_settings import SelectionSettings
from judging.services.runs.run_settings import settings_by_names, shared_settings
from judging.services.studies.study_cells import plan_cells
from judging.services.studies.study_changes import create_study
from judging.services.studies.study_plan import StudyPlan, merged_names, plan_names_of
from judging.services.studies.study_start import extend_plan, set_plan, start_study
from tests.factories import answer_run, make_dataset, make_judge, make_run

pytestmark = pytest.mark.django_db
NAMES = {"datasets": ["Summaries"], "attributes": ["coherence"], "judges": ["tiny"], "prompts": ["comparative-1"]}
SETTINGS = {
    "samples": 5,
    "temperature": 0.7,
    "thinking": "on",
    "thinking_tokens": 64,
    "reasoning_effort": "low",
    "cut_thinking": "unparsed",
    "metrics": "metrics-1",
    "without_system": ["system-b"],
    "without_context": ["c1"],
}


def plan_of(**names) -> StudyPlan:
    return StudyPlan.by_names(NAMES | names, user=None)


def problems_of(**names) -> list[str]:
    with pytest.raises(Refused) as refused:
        plan_of(**names)
    return list(refused.value.problems)


def test_settings_of_a_plan_survive_a_round_trip_through_json():
    make_dataset()
    make_judge()

    names = plan_of(**SETTINGS).to_json()

    assert {name: value for name, value in names.items() if name in SETTINGS} == SETTINGS
    assert StudyPlan.by_names(names, user=None).to_json() == names


def test_settings_with_their_default_are_not_in_the_plan():
    defaults = {"samples": None, "temperature": 0, "thinking": "off", "metrics": "", "without_system": []}

    assert settings_by_names(defaults).to_json() == {}


def test_runs_of_a_study_have_the_settings_of_its_plan():
    make_dataset(candidates=(3, 3))
    make_judge()
    study = create_study("Table 1")
    set_plan(study, plan_of(**SETTINGS))

    [run] = start_study(study, user=None).new

    assert (run.samples, run.temperature, run.criteria_name) == (5, 0.7, "metrics-1")
    assert (run.thinking.tokens, run.thinking.effort, run.thinking.reads_cut) == (64, "low", False)
    assert (run.exclusion, run.planned) == (Exclusion(("system-b",), ("c1",)), 2)


def test_every_setting_of_a_plan_changes_the_spec_of_its_runs():
    make_dataset()
    make_judge()
    parts = [
        {"samples": 5, "temperature": 0.7},
        {"samples": 5, "temperature": 0.8},
        {"thinking": "on"},
        {"thinking": "on", "thinking_tokens": 64},
        {"thinking": "on", "reasoning_effort": "low"},
        {"thinking": "on", "cut_thinking": "unparsed"},
        {"metrics": "metrics-1"},
        {"without_system": ["system-b"]},
        {"without_context": ["c1"]},
        {},
    ]

    specs = [str(plan_cells(plan_of(**part), user=None)[0].request.spec()) for part in parts]

    assert len(set(specs)) == len(parts)


def test_run_with_other_settings_is_not_reused():
    answer_run(make_run())

    assert plan_cells(plan_of(), user=None)[0].state == "reused"
    assert plan_cells(plan_of(thinking="on"), user=None)[0].state == "new"


def test_run_with_the_same_settings_is_reused():
    run = answer_run(
        make_run(
            selection=SelectionSettings(exclusion=Exclusion.of(systems=["system-b"])),
            generation=GenerationSettings(samples=5, temperature=0.7),
        )
    )

    [cell] = plan_cells(plan_of(samples=5, temperature=0.7, without_system=["system-b"]), user=None)

    assert (cell.state, cell.run) == ("reused", run)


def test_further_seed_has_an_effect_where_texts_are_sampled():
    make_dataset()
    make_judge()

    sampled = plan_cells(plan_of(seeds=[0, 1], samples=5, temperature=0.7), user=None)
    greedy = plan_cells(plan_of(seeds=[0, 1]), user=None)

    assert [cell.state for cell in sampled] == ["new", "new"]
    assert [cell.state for cell in greedy] == ["new", "impossible"]


def test_setting_that_does_not_fit_a_method_is_impossible_for_it_only():
    make_dataset()
    make_judge()

    cells = plan_cells(plan_of(prompts=["comparative-1", "prepair-1"], temperature=0.7), user=None)

    assert [cell.state for cell in cells] == ["impossible", "new"]
    assert "the judge generates no text here" in cells[0].problems[0]


def test_left_out_system_needs_to_be_in_one_dataset_only():
    make_dataset()
    other = make_dataset("Dialogues")
    Candidate.objects.filter(context__dataset=other, system="system-b").update(system="human")
    make_judge()
    names = {"datasets": ["Summaries", "Dialogues"], "without_system": ["system-b"]}

    cells = plan_cells(plan_of(**names), user=None)

    assert [(cell.state, cell.questions) for cell in cells] == [("new", 4), ("new", 12)]


def test_left_out_name_that_no_dataset_has_is_refused_with_the_most_similar_one():
    make_dataset()
    make_judge()

    assert problems_of(without_system=["system_b"], without_context=["c9"]) == [
        'without_system: no dataset of the plan has a system "system_b" (did you mean "system-b"?)',
        'without_context: no dataset of the plan has a context "c9"',
    ]


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"thinking": "maybe"}, 'thinking: "maybe" is unknown'),
        ({"thinking_tokens": 64}, "thinking_tokens: 64 — the judge does not think"),
        ({"temperature": -1}, "temperature: -1 — give a number of at least 0"),
        ({"temperature": float("nan")}, "temperature: nan — give a number of at least 0"),
        ({"metrics": "mine"}, 'metrics: there is no prompt "mine"'),
    ],
)
def test_impossible_setting_is_refused(settings, problem):
    make_dataset()
    make_judge()

    assert problems_of(**settings)[0].startswith(problem)


def test_extension_keeps_the_settings_of_the_plan():
    make_dataset()
    make_judge()
    make_judge("large")
    study = create_study("Table 1")
    set_plan(study, plan_of(**SETTINGS))

    extended = extend_plan(study, {"judges": ["large"]}, user=None)

    assert extended.settings == plan_of(**SETTINGS).settings
    assert merged_names({"temperature": 0.7}, {"temperature": 0.9})["temperature"] == 0.9


def test_plan_of_collected_runs_has_their_settings_if_they_agree():
    dataset, generation = make_dataset(), GenerationSettings(samples=5, temperature=0.7)
    sampled = [make_run(dataset, prompt=name, generation=generation) for name in ("comparative-1", "comparative-2")]
    greedy = make_run(dataset)

    assert plan_names_of(sampled)["samples"] == 5
    assert shared_settings(sampled).generation == generation
    assert "samples" not in plan_names_of([*sampled, greedy])
