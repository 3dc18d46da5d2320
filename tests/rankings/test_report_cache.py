"""Figures are kept only while what they rest on stays the same."""

from datetime import timedelta
from shutil import copytree

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from evenhand.engine import Answer
from evenhand.formats import RecordedVote, VoteRecord
from judging.models import Campaign, Candidate, Comparison, Dataset, Score, User, Vote
from judging.services.campaigns.skips_and_undo import reopen_pair, skip_pair
from judging.services.campaigns.votes import change_vote
from judging.services.datasets.recorded.recorded_votes import import_votes
from judging.services.execution.chunk_execution import execute_chunk
from judging.services.judges.loaded_engine import Pace
from judging.services.runs.run_lifecycle import cancel, resume
from rankings import report_cache
from rankings.agreement.agreement_report import agreement_report
from rankings.compare.all_runs import compare_all
from rankings.compare.two_runs import compare_runs
from rankings.curves.curve_records import CurveChoice
from rankings.curves.curve_report import curve_report
from rankings.diagnostics.diagnostics_report import diagnostics_of
from rankings.record_states import states_of_votes
from rankings.report.report_rows import report_rows
from rankings.report_cache import LARGEST_LOADED, cached, cached_together, code_version, forget_figures
from rankings.scores.score_rows import scores_of
from tests.campaigns import make_annotator, make_campaign, prefer, shown_in
from tests.evenhand.engine.fake_engine import FakeEngine
from tests.factories import make_run, note_answers
from tests.rankings.studies import answers, compared, make_dataset, one_context, scored

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("forget_reports")]

BROKEN = Answer(error="the endpoint answered 400")
ONE_JUDGE = answers("a b 0.75", "b a 0.5", "a c 0.75", "c a 0.25", "b c 0.75", "c b 0.5")
LATER = answers("b a 0.25", "c a 0.25")
OTHER_JUDGE = answers("a b 0.5", "b a 0.75", "a c 0.25", "c a 0.5", "b c 0.25", "c b 0.75")
SCORES = "context,attribute,candidate,score\nc0,overall,a,5\nc0,overall,b,4\n"


def report(dataset):
    return report_rows(dataset)


def scores(dataset):
    return [scores_of(run, ranking="win-ratio") for run in dataset.runs.order_by("pk")]


def curve(dataset):
    return curve_report(dataset.runs.earliest("pk"), CurveChoice(rankings=("win-ratio",), measure="accuracy", draws=2))


def agreement(dataset):
    return agreement_report(dataset, attributes=dataset.attributes.all(), runs=dataset.runs.order_by("pk"))


def agreement_of_people(dataset):
    return agreement_report(dataset, attributes=dataset.attributes.all(), runs=[])


def difference(dataset):
    return compare_runs(*dataset.runs.order_by("pk"))


def differences(dataset):
    return compare_all(dataset.runs.order_by("pk"))


def diagnostics(dataset):
    return diagnostics_of(dataset.runs.earliest("pk"), runs=dataset.runs.order_by("pk"))


EVERY = [report, curve, agreement, difference, differences, diagnostics, scores]


def voted(name):
    """Three candidates without scores. On each pair, one person prefers the earlier candidate."""
    votes = [
        {"attribute": "overall", "first": first, "second": second, "choice": "first", "rater": "h1"}
        for first, second in ("ab", "ac", "bc")
    ]
    return make_dataset(one_context(None, None, None, votes=votes), name=name)


@pytest.fixture(scope="module")
def of_module(rows_of_module):
    """A dataset that nobody judged, and one with two judges' answers on all ordered pairs, in a campaign of Ann."""
    judged = voted("Judged")
    compared(judged, ONE_JUDGE, judge="one")
    compared(judged, OTHER_JUDGE, judge="other")
    make_campaign(judged, annotators=[make_annotator("ann")])
    voted("Unjudged")


@pytest.fixture
def dataset(of_module):
    return Dataset.objects.get(name="Unjudged")


@pytest.fixture
def judged(of_module):
    return Dataset.objects.get(name="Judged")


@pytest.fixture
def ann(of_module):
    return User.objects.get(username="ann")


@pytest.fixture
def campaign(of_module):
    return Campaign.objects.get()


@pytest.fixture
def assignment(campaign, ann):
    """A pair on which Ann prefers the later candidate."""
    return prefer(campaign, ann, earlier=False).assignment


def assert_follow(dataset, change, *every):
    """All figures differ after the change, and equal those computed without a cache."""
    before = [figures(dataset) for figures in every]

    change()

    after = [figures(dataset) for figures in every]
    forget_figures()
    assert after == [figures(dataset) for figures in every]
    assert [one for one, old in zip(after, before, strict=True) if one == old] == []


def is_kept(figures, dataset):
    """Return True if figures come from the cache. Only computing them reads the candidates."""
    with CaptureQueriesContext(connection) as captured:
        figures(dataset)
    return not any('FROM "judging_candidate"' in query["sql"] for query in captured)


def change_to_other_choice(assignment):
    choice = "first" if assignment.vote.choice == "second" else "second"
    change_vote(assignment, choice=choice, shown=shown_in(assignment))


def skip_after_all(assignment):
    skip_pair(assignment, reason="undecided")


def judge(run, *answers, **slices):
    """Let a judge give these answers to what is left of a run, and then 0.5."""
    left = iter(answers)
    engine = FakeEngine(lambda question: next(left, 0.5))
    execute_chunk(run.chunks.get().pk, load=lambda settings: engine, **slices)


def candidates(dataset):
    return {candidate.key: candidate for candidate in Candidate.objects.filter(context__dataset=dataset)}


def add_comparison(run, first, second, p_first, **fields):
    there = candidates(run.dataset)
    Comparison.objects.create(
        run=run,
        context=there[first].context,
        first=there[first],
        second=there[second],
        outcome="answered",
        p_first=p_first,
        **fields,
    )
    note_answers(run)


def add_score(run, candidate, value, **fields):
    there = candidates(run.dataset)[candidate]
    Score.objects.create(run=run, context=there.context, candidate=there, outcome="answered", value=value, **fields)
    note_answers(run)


# Votes


def test_figures_follow_a_vote_that_is_added(judged, campaign, ann):
    assert_follow(judged, lambda: prefer(campaign, ann, earlier=False), report, agreement_of_people)


def test_figures_follow_a_vote_that_is_changed(judged, assignment):
    assert_follow(judged, lambda: change_to_other_choice(assignment), report, agreement_of_people)


@pytest.mark.parametrize("withdraw", [reopen_pair, skip_after_all])
def test_figures_follow_a_vote_that_is_withdrawn(judged, assignment, withdraw):
    assert_follow(judged, lambda: withdraw(assignment), report, agreement_of_people)


def test_figures_follow_a_vote_that_another_program_stores(judged):
    there = candidates(judged)
    pair = {"context": there["a"].context, "first": there["a"], "second": there["b"], "choice": "second"}

    assert_follow(judged, lambda: Vote.objects.create(attribute=judged.attributes.get(), rater="h2", **pair), report)


def test_figures_follow_votes_that_are_imported(judged):
    vote = RecordedVote("votes.csv", 2, "c0", VoteRecord("overall", "a", "b", "second", "h2"))

    assert_follow(judged, lambda: import_votes([vote], dataset=judged), report, agreement_of_people)


def test_figures_follow_a_change_that_seems_older_than_another(judged, campaign, ann):
    """Clocks of two servers differ, and the change that began first may be stored last."""
    first, second = (prefer(campaign, ann, earlier=False).assignment for _ in range(2))
    change_to_other_choice(first)
    Vote.objects.filter(assignment=first).update(changed_at=timezone.now() + timedelta(hours=1))

    assert_follow(judged, lambda: change_to_other_choice(second), report)


@pytest.mark.parametrize("withdraw", [reopen_pair, skip_after_all])
def test_vote_that_is_withdrawn_leaves_another_state_than_before_it(judged, campaign, ann, withdraw):
    """Figures that were computed while the vote was there may be kept under the state before it."""
    attribute = judged.attributes.get().pk
    before = states_of_votes([attribute])

    withdraw(prefer(campaign, ann, earlier=False).assignment)

    assert Vote.objects.filter(attribute=attribute).count() == 3
    assert states_of_votes([attribute]) != before


# Answers of judges


def test_figures_follow_a_run_that_is_resumed(dataset):
    run = make_run(dataset)
    judge(run, 0.75, 0.25, pace=Pace(first=4), on_slice=lambda: cancel(run))
    compared(dataset, OTHER_JUDGE, judge="other")

    assert_follow(dataset, lambda: (resume(run), judge(run, 0.25, 0.75)), report, scores)


def test_figures_follow_an_error_that_is_asked_again(dataset):
    run = make_run(dataset)
    judge(run, BROKEN, 0.75, 0.25)
    compared(dataset, OTHER_JUDGE, judge="other")

    assert_follow(dataset, lambda: (resume(run, errors=True), judge(run, 0.25)), report, scores)


def test_report_follows_an_error_that_is_not_answered_yet(dataset):
    run = make_run(dataset)
    judge(run, BROKEN, 0.75, 0.25)

    assert_follow(dataset, lambda: resume(run, errors=True), report)


def test_report_follows_a_score_that_is_added(dataset):
    run = scored(dataset, SCORES)

    assert_follow(dataset, lambda: add_score(run, "c", 1.0), report)


@pytest.mark.parametrize(
    "bring_in", [lambda dataset: scored(dataset, SCORES), lambda dataset: compared(dataset, LATER)]
)
def test_figures_follow_a_run_that_is_imported(judged, bring_in):
    assert_follow(judged, lambda: bring_in(judged), report, agreement, diagnostics)


def test_report_is_computed_for_a_run_of_another_database_with_the_same_number(judged):
    report(judged)

    judged.runs.update(created_at=timezone.now())

    assert not is_kept(report, judged)


# Changes that do not matter


@pytest.mark.parametrize("figures", EVERY)
def test_figures_are_kept_while_nothing_changes(judged, figures):
    assert not is_kept(figures, judged)
    assert is_kept(figures, judged)


def test_figures_are_kept_when_another_dataset_changes(judged, ann):
    for figures in EVERY:
        figures(judged)
    other = make_dataset(one_context(1, 2), name="Other")
    run = compared(other, answers("a b 0.75"))

    prefer(make_campaign(other, name="Another", annotators=[ann]), ann, earlier=False)
    add_comparison(run, "b", "a", 0.75)

    assert [figures for figures in EVERY if not is_kept(figures, judged)] == []


def test_figures_of_a_run_are_kept_when_another_run_changes(judged):
    one, other = judged.runs.order_by("pk")
    report_rows(judged, runs=[one])

    other.comparisons.latest("pk").delete()
    note_answers(other)

    assert is_kept(lambda dataset: report_rows(dataset, runs=[one]), judged)
    assert not is_kept(lambda dataset: report_rows(dataset, runs=[other]), judged)


# Values in memory


def test_values_cached_together_are_computed_once_until_the_cache_is_cleared():
    computed = []

    def lengths(names):
        computed.extend(names)
        return {name: [len(name)] for name in names}

    def ask():
        return cached_together({"a": ("a",), "bb": ("bb",)}, lengths)

    assert ask() == ask() == {"a": [1], "bb": [2]}
    assert computed == ["a", "bb"]
    forget_figures()
    assert ask() == {"a": [1], "bb": [2]}
    assert computed == ["a", "bb"] * 2


@pytest.mark.parametrize(("size", "stays"), [(10, True), (LARGEST_LOADED, False)])
def test_small_values_cached_together_stay_in_memory(size, stays):
    one, other = (cached_together({"a": ("a", size)}, lambda _: {"a": [0.5] * size})["a"] for _ in range(2))
    again = cached_together({"a": ("a", size)}, lambda _: {})["a"]

    assert one == other == again
    assert (other is again) is stays


def test_another_process_reads_what_one_has_computed():
    first = cached(("shared",), lambda: [0.5])

    report_cache._kept.clear()  # as after a restart

    assert cached(("shared",), lambda: [0.25]) == first == [0.5]


def test_a_value_that_cannot_be_read_without_code_is_refused():
    with pytest.raises(TypeError, match="builtins:object cannot be cached"):
        cached(("an object",), object)


@pytest.mark.parametrize("package", ["evenhand", "rankings"])
def test_figures_are_computed_again_after_a_change_of_any_formula(tmp_path, monkeypatch, package):
    copies = [copytree(folder, tmp_path / folder.name) for folder in report_cache.FOLDERS_OF_FORMULAS]
    monkeypatch.setattr(report_cache, "FOLDERS_OF_FORMULAS", copies)
    before = code_version.__wrapped__()

    (tmp_path / package / "__init__.py").write_text("changed = True")

    assert code_version.__wrapped__() != before
