"""Which runs of a study share a chart."""

import pytest

from judging.models import Attribute, Dataset, Judge, Run
from rankings.studies.charts.run_panels import evenly_split, panels_of_questions, panels_of_runs, run_labels


def runs_of(*judged, attribute="coherence"):
    """Return a run for each (judge, prompt), with its names. No database: panels read only names and numbers."""
    dataset, attribute = Dataset(pk=1, name="Stories"), Attribute(pk=hash(attribute) % 1000, name=attribute)
    runs = [Run(dataset=dataset, attribute=attribute, judge=Judge(name=judge)) for judge, _ in judged]
    names = {}
    for number, (run, (judge, prompt)) in enumerate(zip(runs, judged, strict=True), start=1):
        run.pk = number
        names[number] = {
            "dataset": "Stories",
            "attribute": attribute.name,
            "judge": judge,
            "prompt": prompt,
        } | dict.fromkeys(("method", "selection", "seed"), "same")
    return runs, names


def panels(judged, heights=None, **more):
    runs, names = runs_of(*judged)
    heights = {} if heights is None else dict(zip(range(1, len(runs) + 1), heights, strict=True))
    return [(panel.title, list(panel.labels)) for panel in panels_of_runs(runs, names, heights, **more)]


GRID = [(judge, prompt) for judge in ("Alpha", "Beta", "Gamma") for prompt in ("CoT", "Plain", "Rules", "Swap")]


def test_many_runs_have_a_panel_for_each_judge_with_what_differs_at_the_lines():
    assert panels(GRID) == [(judge, ["CoT", "Plain", "Rules", "Swap"]) for judge in ("Alpha", "Beta", "Gamma")]


def test_panels_and_their_lines_begin_with_the_best():
    heights = [0.5, 0.6, 0.7, 0.4, 0.1, 0.9, 0.2, 0.3, 0.65, 0.64, 0.63, 0.62]

    assert panels(GRID, heights) == [
        ("Beta", ["Plain", "Swap", "Rules", "CoT"]),
        ("Alpha", ["Rules", "Plain", "CoT", "Swap"]),
        ("Gamma", ["CoT", "Plain", "Rules", "Swap"]),
    ]


def test_judge_with_more_lines_than_fit_has_further_panels_of_its_own():
    judged = [("Alpha", f"prompt {number}") for number in range(7)] + [("Beta", "prompt 0"), ("Beta", "prompt 1")]

    assert [(title, len(labels)) for title, labels in panels(judged)] == [
        ("Alpha (1 of 2)", 4),
        ("Alpha (2 of 2)", 3),
        ("Beta", 2),
    ]


def test_dimension_that_needs_the_fewest_panels_groups_the_runs():
    judged = [(f"judge {number}", prompt) for number in range(5) for prompt in ("CoT", "Plain")]

    assert panels(judged) == [(prompt, [f"judge {number}" for number in range(5)]) for prompt in ("CoT", "Plain")]


def test_runs_that_share_nothing_are_split_in_the_order_of_their_figures():
    judged = [(f"judge {number}", "CoT") for number in range(7)]

    assert panels(judged, [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7]) == [
        ("Runs 1–4 of 7", ["judge 6", "judge 5", "judge 4", "judge 3"]),
        ("Runs 5–7 of 7", ["judge 2", "judge 1", "judge 0"]),
    ]


def test_few_runs_share_one_panel_and_keep_their_whole_names():
    assert panels(GRID[:2] + GRID[4:6]) == [("", ["Alpha · CoT", "Alpha · Plain", "Beta · CoT", "Beta · Plain"])]


def test_every_run_of_58_is_in_exactly_one_panel_of_at_most_five():
    judged = [(f"judge {number % 6}", f"prompt {number // 6}") for number in range(58)]
    runs, names = runs_of(*judged)

    made = panels_of_runs(runs, names, {})

    assert sorted(run.pk for panel in made for run in panel.runs) == [run.pk for run in runs]
    assert {len(panel.runs) for panel in made} == {4, 5}
    assert all(len({names[run.pk]["judge"] for run in panel.runs}) == 1 for panel in made)


def test_repeats_in_a_group_are_told_apart_by_their_number():
    runs, names = runs_of(*[("Alpha", "CoT")] * 2, *[("Beta", "CoT")] * 2)

    assert run_labels(runs, names, within="judge") == {
        1: "Alpha · run 1",
        2: "Alpha · run 2",
        3: "Beta · run 3",
        4: "Beta · run 4",
    }


def test_title_names_the_attribute_where_several_are_drawn():
    runs, names = runs_of(*GRID)
    others, other_names = runs_of(*GRID[:2], attribute="fluency")
    for run in others:
        run.pk += len(runs)
    names |= {number + len(runs): one for number, one in other_names.items()}

    made = panels_of_runs([*runs, *others], names, {})

    assert [panel.title for panel in made] == [
        *(f"coherence · {judge}" for judge in ("Alpha", "Beta", "Gamma")),
        "fluency",
    ]
    assert [len(panel.runs) for panel in panels_of_questions([*runs, *others], dict.fromkeys(names, "label"))] == [
        12,
        2,
    ]


@pytest.mark.parametrize(("n", "lengths"), [(0, []), (1, [1]), (5, [5]), (6, [3, 3]), (11, [4, 3, 4])])
def test_panels_have_nearly_equal_numbers_of_lines(n, lengths):
    assert [len(part) for part in evenly_split(list(range(n)), most=5)] == lengths
