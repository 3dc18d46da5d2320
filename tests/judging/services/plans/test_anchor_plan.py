"""The pairs of a run that compares every text with one system."""

import pytest

from evenhand.refusals import Refused
from judging.models import Candidate, Exclusion
from judging.services.plans.run_plan import make_plan, plan_size
from judging.services.plans.selection_settings import SelectionSettings, selection_of, selection_problems
from tests.factories import make_dataset, make_run

pytestmark = pytest.mark.django_db

AGAINST_B = SelectionSettings("anchor", anchor="system-b")


def pairs_of(dataset, selection):
    keys = {pk: f"{context}{key}" for pk, context, key in Candidate.objects.values_list("pk", "context__key", "key")}
    plan = make_plan(dataset, selection=selection)
    return [(keys[first], keys[second]) for part in plan.chunks for first, second in part.pairs]


def test_every_other_text_is_compared_with_the_anchor_in_both_orders():
    dataset = make_dataset(candidates=(3, 2))

    assert pairs_of(dataset, AGAINST_B) == [
        *[("c0a", "c0b"), ("c0b", "c0a"), ("c0b", "c0c"), ("c0c", "c0b")],
        *[("c1a", "c1b"), ("c1b", "c1a")],
    ]
    assert plan_size(dataset, selection=AGAINST_B).comparisons == 6


def test_contexts_without_the_anchor_are_counted_and_not_compared():
    dataset = make_dataset(candidates=(3, 3, 1))
    Candidate.objects.get(context__key="c1", key="b").delete()

    size = plan_size(dataset, selection=AGAINST_B)

    assert (size.contexts, size.comparisons, size.without_anchor) == (1, 4, 1)


def test_an_anchor_without_any_opponent_is_refused():
    dataset = make_dataset(candidates=(2,))
    without = SelectionSettings("anchor", anchor="system-b", exclusion=Exclusion(systems=("system-b",)))

    with pytest.raises(Refused, match="nothing to compare"):
        make_plan(dataset, selection=without)


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        (
            SelectionSettings("anchor"),
            "anchor: missing — selection anchor compares every text with one system; name it",
        ),
        (SelectionSettings("full", anchor="x"), 'anchor: "x" — only selection anchor has one; leave it out'),
        (SelectionSettings("anchor", 5, anchor="x"), "selection anchor asks each text with the anchor"),
    ],
)
def test_settings_that_do_not_fit_are_refused(settings, problem):
    [found] = selection_problems(settings)

    assert problem in found


def test_a_stored_run_knows_its_anchor():
    run = make_run(make_dataset(), selection=AGAINST_B)

    assert selection_of(run) == AGAINST_B
    assert (run.selection, run.anchor, run.selection_name) == ("anchor", "system-b", "anchor:system-b")


def test_an_unknown_anchor_is_refused_with_the_systems_there_are():
    with pytest.raises(Refused, match=r'anchor: "Summaries" has no system "system-x".*there are: system-a, system-b'):
        make_run(make_dataset(), selection=SelectionSettings("anchor", anchor="system-x"))
