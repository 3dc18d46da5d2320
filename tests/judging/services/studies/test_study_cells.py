"""The cells of a plan: new, reused, in the study, or impossible."""

import pytest

from judging.models import RESEARCHER, Run, Study
from judging.services.judges.judge_changes import retire_judge
from judging.services.plans.selection_settings import SelectionSettings
from judging.services.studies.study_cells import CellKey, plan_cells
from judging.services.studies.study_changes import create_study
from judging.services.studies.study_plan import StudyPlan
from tests.factories import answer_run, make_dataset, make_judge, make_run, make_user

pytestmark = pytest.mark.django_db


def cells_of(*, user=None, study: Study | None = None, **names):
    defaults = {"datasets": ["Summaries"], "judges": ["tiny"], "prompts": ["comparative-1"]}
    return plan_cells(StudyPlan.by_names(defaults | names, user=user), user=user, study=study)


def states_of(**names) -> list[tuple[str, int]]:
    return [(cell.state, cell.questions) for cell in cells_of(**names)]


def end(run: Run, status: str) -> None:
    Run.objects.filter(pk=run.pk).update(status=status)


def test_cells_are_all_combinations_in_the_order_of_the_plan():
    make_dataset(attributes=("coherence", "fluency"), candidates=(3, 2))
    make_judge()

    cells = cells_of(prompts=["comparative-1", "scoring-1"])

    assert [(cell.key.attribute, cell.key.prompt, cell.state, cell.questions) for cell in cells] == [
        ("coherence", "comparative-1", "new", 8),
        ("coherence", "scoring-1", "new", 5),
        ("fluency", "comparative-1", "new", 8),
        ("fluency", "scoring-1", "new", 5),
    ]
    assert cells[0].key == CellKey("Summaries", "coherence", "tiny", "comparative-1", "full", 0)


def test_cell_with_an_attribute_of_another_dataset_is_impossible_with_its_reason():
    make_dataset()
    make_dataset("Dialogues", attributes=("overall",))
    make_judge()

    cells = cells_of(datasets=["Summaries", "Dialogues"], attributes=["coherence", "overall"])

    assert [cell.problems for cell in cells] == [
        (),
        ('attribute: "Summaries" has no "overall"',),
        ('attribute: "Dialogues" has no "coherence"',),
        (),
    ]


def test_scoring_prompt_with_a_selection_of_pairs_is_impossible():
    make_dataset()
    make_judge()

    cells = cells_of(prompts=["comparative-1", "scoring-1"], selections=["symmetric:4"])

    assert [cell.state for cell in cells] == ["new", "impossible"]
    assert "scores every candidate alone" in cells[1].problems[0]


def test_retired_judge_is_impossible():
    make_dataset()
    judge = make_judge()
    judge.retired_at = "2026-01-01T00:00:00Z"
    judge.save()

    [cell] = cells_of()

    assert cell.problems == ('judge: "tiny" is retired; choose another, or bring it back into use',)


def test_selection_that_the_dataset_is_too_small_for_is_impossible():
    make_dataset(candidates=(3, 3))
    make_judge()

    [cell] = cells_of(selections=["random:99"])

    assert cell.state == "impossible"
    assert "can make at most 6 in the largest context" in cell.problems[0]


def test_further_seed_of_every_pair_is_impossible_because_it_has_no_effect():
    make_dataset()
    make_judge()

    assert [cell.state for cell in cells_of(seeds=[4, 5])] == ["new", "impossible"]
    assert [cell.state for cell in cells_of(seeds=[4, 5], selections=["random:4"])] == ["new", "new"]


def test_run_with_the_same_spec_is_reused():
    run = answer_run(make_run())
    make_run(make_dataset("Dialogues"))

    [cell] = cells_of()

    assert (cell.state, cell.run) == ("reused", run)


def test_done_run_is_reused_before_a_later_one_that_has_not_begun():
    dataset = make_dataset()
    done, _ = answer_run(make_run(dataset)), make_run(dataset)

    [cell] = cells_of()

    assert cell.run == done


@pytest.mark.parametrize("status", ["failed", "cancelled"])
def test_run_that_failed_or_was_cancelled_is_not_reused(status):
    end(make_run(), status)

    assert states_of() == [("new", 12)]


def test_run_with_another_seed_or_attribute_is_not_reused():
    dataset = make_dataset(attributes=("coherence", "fluency"))
    make_run(dataset, attribute="fluency")
    make_run(dataset, attribute="coherence", selection=SelectionSettings("random", 4, seed=1))

    assert states_of(attributes=["coherence"], selections=["random:4"]) == [("new", 8)]


def test_run_of_another_judge_with_the_same_model_is_not_reused():
    make_run(judge=make_judge("large"))
    make_judge("tiny")

    assert states_of() == [("new", 12)]


def test_run_of_another_person_is_not_reused():
    make_run(owner=make_user("otto", RESEARCHER))
    rita = make_user("rita", RESEARCHER)

    assert states_of(user=rita) == [("new", 12)]
    assert states_of() == [("new", 12)]


def test_failed_run_of_the_study_counts_as_present():
    run = make_run()
    study = create_study("one", runs=[run])
    end(run, "failed")

    [cell] = cells_of(study=study)

    assert (cell.state, cell.run, cell.in_study) == ("present", run, True)
    assert states_of(study=create_study("other")) == [("new", 12)]


def test_run_of_the_study_counts_as_present_after_its_judge_was_retired():
    run = answer_run(make_run())
    study = create_study("one", runs=[run])
    retire_judge(run.judge)

    [in_study], [elsewhere] = cells_of(study=study), cells_of()

    assert (in_study.state, in_study.run, in_study.problems) == ("present", run, ())
    assert (elsewhere.state, elsewhere.run) == ("impossible", None)


def test_sizes_are_counted_once_for_all_seeds_and_judges(django_assert_max_num_queries):
    make_dataset()
    for name in ("tiny", "large"):
        make_judge(name)

    with django_assert_max_num_queries(12):
        cells = cells_of(judges=["tiny", "large"], selections=["random:4"], seeds=list(range(20)))

    assert len(cells) == 40
