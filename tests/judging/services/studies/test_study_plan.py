"""The plan of a study: its rows by name, its problems, and its texts of selections."""

import pytest

from evenhand.refusals import Refused
from judging.models import RESEARCHER, Visibility
from judging.services.plans.selection_settings import SelectionSettings
from judging.services.studies.study_plan import (
    StudyPlan,
    comparing_prompts,
    merged_names,
    parse_selection,
    plan_names_of,
    selection_text,
)
from tests.factories import make_dataset, make_judge, make_run, make_user

pytestmark = pytest.mark.django_db
NAMES = {"datasets": ["Summaries"], "judges": ["tiny"], "prompts": ["comparative-1"]}


def problems_of(names, *, user=None) -> list[str]:
    with pytest.raises(Refused) as refused:
        StudyPlan.by_names(names, user=user)
    return list(refused.value.problems)


def test_plan_without_attributes_selections_and_seeds_has_their_defaults():
    dataset, judge = make_dataset(attributes=("coherence", "fluency")), make_judge()

    plan = StudyPlan.by_names(NAMES, user=None)

    assert plan.to_json() == {
        "datasets": [dataset.pk],
        "attributes": ["coherence", "fluency"],
        "judges": [judge.pk],
        "prompts": ["comparative-1"],
        "selections": ["full"],
        "seeds": [0],
        "contexts": None,
    }
    assert plan.combinations == 2


def test_plan_survives_a_round_trip_through_json():
    numbers = {"datasets": [make_dataset().pk], "judges": [make_judge().pk]}
    names = {"attributes": ["coherence"], "selections": ["symmetric:4"], "seeds": [1, 2], "contexts": 1}
    plan = NAMES | numbers | names

    assert StudyPlan.by_names(plan, user=None).to_json() == plan


def test_plan_names_every_problem_at_once():
    make_dataset()
    make_judge()

    assert problems_of(
        {
            "datasets": ["Summaris"],
            "judges": ["Tiny"],
            "prompts": [],
            "selections": ["random", "full:3", "symmetric:x"],
            "seeds": [-1],
            "contexts": 0,
            "sedes": [1],
        }
    ) == [
        'plan: "sedes" is unknown (did you mean "seeds"?); there are: datasets, attributes, judges, prompts, '
        "selections, seeds, contexts, samples, temperature, thinking, thinking_tokens, reasoning_effort, cut_thinking, "
        "metrics, without_system, without_context",
        'dataset: there is no "Summaris" (did you mean "Summaries"?); there are: Summaries',
        'judge: there is no "Tiny" (did you mean "tiny"?); there are: demo, tiny',
        "prompts: choose at least one prompt",
        "comparisons: missing — selection random needs a number per context",
        "contexts: 0 — give a whole number above 0",
        "seed: -1 — give a whole number from 0 to 9223372036854775807",
        "comparisons: 3 — selection full asks every ordered pair; leave the number out or choose another selection: "
        "random, no-repeat, symmetric, d-optimal, bt-optimal, until-sure",
        'selection: "symmetric:x" — write a rule and its comparisons per context, for example symmetric:48',
    ]


def test_plan_refuses_an_attribute_that_no_dataset_has():
    make_dataset()
    make_judge()

    assert problems_of(NAMES | {"attributes": ["coherense"]}) == [
        'attribute: no dataset of the plan has "coherense" (did you mean "coherence"?)'
    ]


def test_plan_does_not_find_a_dataset_that_a_person_may_not_see():
    hidden = make_dataset(owner=make_user("otto", RESEARCHER))
    hidden.visibility = Visibility.PRIVATE
    hidden.save()
    make_judge()

    assert problems_of(NAMES, user=make_user("rita", RESEARCHER)) == ['dataset: there is no "Summaries"']


def test_plan_refuses_more_combinations_than_a_page_can_show():
    make_dataset()
    make_judge()

    assert problems_of(NAMES | {"seeds": list(range(501))}) == ["plan: it has 501 combinations; choose at most 500"]


@pytest.mark.parametrize(
    ("text", "settings"),
    [
        ("full", SelectionSettings("full", None, 5, 7)),
        ("symmetric:48", SelectionSettings("symmetric", 48, 5, 7)),
        (" random : 6 ", SelectionSettings("random", 6, 5, 7)),
        ("until-sure:24", SelectionSettings("until-sure", 24, 5, 7)),
        ("until-sure:0.02", SelectionSettings("until-sure", None, 5, 7, bound=0.02)),
        ("until-sure:0.02:24", SelectionSettings("until-sure", 24, 5, 7, bound=0.02)),
    ],
)
def test_parse_selection_reads_a_rule_and_its_comparisons(text, settings):
    assert parse_selection(text, seed=7, contexts=5) == settings


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("until-sure:0.7", "give a share of reordered pairs above 0 and below 0.5"),
        ("until-sure:0.x", "write its bound, for example until-sure:0.02"),
        ("random:0.02", "write a rule and its comparisons per context"),
    ],
)
def test_parse_selection_refuses_an_impossible_bound(text, problem):
    with pytest.raises(Refused, match=problem):
        parse_selection(text)


@pytest.mark.parametrize("text", ["until-sure", "until-sure:0.02", "until-sure:0.02:4"])
def test_selection_text_writes_the_bound(text):
    assert selection_text(make_run(make_dataset(), selection=parse_selection(text))) == text


def test_merged_names_adds_values_behind_those_of_the_plan():
    plan = NAMES | {"attributes": ["coherence"], "seeds": [0], "selections": ["full"], "contexts": None}

    merged = merged_names(plan, {"judges": ["tiny", "large"], "seeds": [1]})

    assert merged == plan | {"judges": ["tiny", "large"], "seeds": [0, 1]}


def test_plan_of_runs_covers_them_without_the_judges_of_recorded_runs():
    dataset = make_dataset(attributes=("coherence", "fluency"))
    runs = [
        make_run(dataset, attribute="fluency", selection=SelectionSettings("symmetric", 4, seed=3)),
        make_run(dataset, prompt="scoring-1"),
    ]
    recorded = make_run(make_dataset("Dialogues"))
    recorded.judge = make_judge("elsewhere", backend="recorded", model="")

    assert plan_names_of([*runs, recorded]) == {
        "datasets": [dataset.pk, recorded.dataset_id],
        "attributes": ["fluency", "coherence"],
        "judges": [runs[0].judge_id],
        "prompts": ["comparative-1", "scoring-1"],
        "selections": ["symmetric:4", "full"],
        "seeds": [3, 0],
        "contexts": None,
    }


def test_comparing_prompts_has_one_prompt_of_every_comparing_method():
    methods = [prompt.method for prompt in comparing_prompts()]

    assert len(methods) == len(set(methods))
    assert {"comparative", "pairwise", "prepair"} <= set(methods)
    assert not {"scoring", "metric", "geval"} & set(methods)
