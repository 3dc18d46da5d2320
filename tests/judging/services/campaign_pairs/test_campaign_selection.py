"""The choice of the pairs of a campaign: its problems, the answers of runs, and what is stored."""

import pytest

from evenhand.refusals import Refused
from judging.models import Comparison, Purpose, Vote
from judging.services.campaign_pairs.campaign_selection import describe_choice
from tests.campaigns import make_annotator, make_campaign, vote
from tests.factories import answer_run, make_dataset, make_run

pytestmark = pytest.mark.django_db


def run_that_doubts(dataset, *pairs):
    """A run that is certain of all pairs but these: (context key, candidate key, candidate key)."""
    run = answer_run(make_run(dataset), p_first=0.5)
    certain = Comparison.objects.filter(run=run)
    for answer in certain.select_related("context", "first", "second"):
        names = {answer.first.key, answer.second.key}
        is_doubted = any(answer.context.key == context and names == {*candidates} for context, *candidates in pairs)
        answer.p_first = 0.5 if is_doubted else float(answer.first.key < answer.second.key)
        answer.save()
    return run


def test_campaign_asks_the_pairs_that_judges_doubt():
    dataset = make_dataset(candidates=(3, 3))
    answer_run(make_run(dataset), p_first=0.5)
    run = run_that_doubts(dataset, ("c0", "a", "c"), ("c1", "b", "c"))

    campaign = make_campaign(dataset, selection="unsure", pair_limit=2, runs=[run])

    pairs = campaign.pairs.values_list("one__context__key", "one__key", "other__key")
    assert set(pairs) == {("c0", "a", "c"), ("c1", "b", "c")}
    assert describe_choice(campaign) == f"where judges disagree or are unsure (runs {run.pk})"
    assert campaign.pair_choice == {
        "rule": "unsure",
        "pairs_per_context": None,
        "contexts": None,
        "pair_limit": 2,
        "random_share": 0.0,
        "runs": [run.pk],
    }


def test_votes_on_random_pairs_are_marked():
    ann = make_annotator("ann")
    campaign = make_campaign(annotators=[ann], random_share=0.5)

    votes = [vote(campaign, ann) for _ in range(6)]

    random_pairs = set(campaign.pairs.filter(purpose=Purpose.HELD_OUT).values_list("pk", flat=True))
    marked = Vote.objects.filter(purpose=Purpose.HELD_OUT)
    assert len(random_pairs) == 3
    assert {one.assignment.pair_id for one in marked} == random_pairs
    assert len(votes) - marked.count() == 3
    assert describe_choice(campaign) == "most informative for a ranking; 3 random pairs held out"


def test_pairs_without_an_answer_are_not_doubted():
    dataset = make_dataset(candidates=(2, 2))
    run = answer_run(make_run(dataset), p_first=0.5)
    Comparison.objects.filter(run=run, context__key="c0").update(outcome="unparsed", p_first=None)

    campaign = make_campaign(dataset, selection="unsure", pair_limit=2, runs=[run])

    assert [pair.one.context.key for pair in campaign.pairs.all()] == ["c1"]


def test_campaign_is_refused_if_no_pair_has_an_answer():
    dataset = make_dataset()

    with pytest.raises(Refused, match="they have no answers on pairs of these contexts"):
        make_campaign(dataset, selection="unsure", pair_limit=2, runs=[make_run(dataset)])


@pytest.mark.parametrize(
    ("choice", "problem"),
    [
        ({"selection": "unsure", "pair_limit": 1}, "runs: missing"),
        ({"selection": "all", "pairs_per_context": 3}, "pairs per context: 3 — the selection all takes every pair"),
    ],
)
def test_impossible_choices_are_refused(choice, problem):
    with pytest.raises(Refused) as refused:
        make_campaign(**choice)

    assert problem in str(refused.value)


def test_runs_are_refused_unless_they_compare_on_the_attribute():
    dataset = make_dataset(attributes=("coherence", "fluency"))
    of_other = make_run(dataset, attribute="fluency")
    scoring = make_run(dataset, prompt="scoring-1")
    good = make_run(dataset)

    with pytest.raises(Refused) as refused:
        make_campaign(dataset, selection="unsure", runs=[of_other, scoring, good])
    with pytest.raises(Refused, match="only the selection unsure reads answers of judges"):
        make_campaign(dataset, runs=[good])

    assert refused.value.problems == (
        "pair limit: missing — the selection unsure needs a limit of pairs, or a number per context",
        f'runs: run {of_other.pk} is not about "coherence" of this dataset',
        f"runs: run {scoring.pk} scores candidates one by one — choose runs that compare pairs",
    )
