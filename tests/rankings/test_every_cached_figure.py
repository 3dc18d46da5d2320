"""Every figure that is cached follows everything that it rests on. The cached answers equal those without a cache."""

import re
import sys
from functools import partial
from pathlib import Path

import pytest
from django.core.cache import cache
from django.core.cache.backends.dummy import DummyCache
from django.core.cache.backends.locmem import LocMemCache

import rankings
from evenhand.formats import RecordedVote, VoteRecord
from evenhand.numerics.reliability import vote_planner
from evenhand.numerics.significance import separation
from judging.models import Comparison
from judging.services.campaigns.vote_exclusions import exclude_rater, restore_votes
from judging.services.datasets.recorded.recorded_votes import import_votes
from judging.services.judges.judge_changes import rename_judge
from judging.services.plans.added_sentences import choose_sentence
from judging.services.runs.run_lifecycle import create_runs
from judging.services.runs.run_request import robustness_request
from judging.services.studies.study_changes import create_study, set_baseline
from rankings import report_cache
from rankings.analyses.record import analyses
from rankings.cache_bytes import packed
from rankings.diagnostics import diagnostics_report
from rankings.juries.stored_juries import make_jury
from rankings.loading.run_answers import forget_rows
from tests.factories import answer_run, make_dataset, make_run, note_answers
from tests.rankings.repeats.repeated_judging import repeat
from tests.rankings.studies import compared

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("forget_reports", "researcher")]

ROOT = Path(rankings.__file__).parent
CACHING = {
    ".".join(file.relative_to(ROOT.parent).with_suffix("").parts)
    for file in ROOT.rglob("*.py")
    if re.search(r"from rankings.report_cache import .*\bcached\b", file.read_text())
}
"""Modules with cached figures."""

CHOSEN = (
    "/api/datasets/{dataset}/report/",
    "/api/datasets/{dataset}/quality/",
    "/api/datasets/{dataset}/separation/?run={one}",
    "/api/datasets/{dataset}/steering/",
    "/datasets/{dataset}/human-judgments/",
    "/datasets/{dataset}/juries/",
    "/api/runs/{one}/compare/{other}/",
    "/api/runs/{one}/answers/",
    "/api/runs/{one}/scores/?ranking=win-ratio",
    "/api/runs/{one}/scores/?ranking=win-ratio&debias=true",
    "/api/runs/{one}/kinds/?by=length",
    "/api/runs/{one}/curve/?ranking=win-ratio&draws=2",
    "/runs/{one}/results/p-first/",
    "/runs/{other}/explanations/",
    "/api/runs/{steered}/shift/",
    *(f"/api/runs/{{jury}}/abstaining/?by={by}" for by in ("members", "probability")),
    "/api/runs/{jury}/abstaining/?by=members&alpha=0.4",
    "/api/runs/{jury}/cascade/?then={other}&alpha=0.4",
    *(f"/api/studies/{{study}}/table/?rows=judge&columns=attribute&figure={name}" for name in ("accuracy", "p_first")),
    "/studies/{study}/?rows=judge&columns=attribute&figure=accuracy&baseline=other",
    *(f"/studies/{{study}}/{tab}/" for tab in ("calibration", "systems", "matrix")),
)
FIGURES = (
    *CHOSEN,
    *(
        f"/api/{one.row}s/{{{'one' if one.row == 'run' else 'dataset'}}}/{one.name}/"
        for one in analyses().values()
        if {one.function.__module__} & CACHING and not any(f"/{one.name}/" in address for address in CHOSEN)
    ),
)
"""Addresses of the figures, and of each analysis with cached ones that is not chosen with options."""
RUNS = ("one", "other", "jury", "repeated", "steered")


def answered(run, *, by):
    """A finished run whose probabilities differ from pair to pair."""
    answer_run(run)
    for number, one in enumerate(run.comparisons.order_by("pk")):
        Comparison.objects.filter(pk=one.pk).update(p_first=(0.05 + by * number) % 0.9 + 0.05)
    return run


@pytest.fixture
def judged(researcher):
    """Return name -> row for the names in braces of an address."""
    dataset = make_dataset(candidates=(3,) * 6, owner=researcher)
    attribute = dataset.attributes.get()
    pairs = [(f"c{number}", *pair) for number in range(6) for pair in ("ab", "bc")]
    votes = [
        RecordedVote("", 2, context, VoteRecord("coherence", first, second, choice, rater))
        for rater, choice in (("h1", "first"), ("h2", "first"), ("h3", "second"))
        for context, first, second in pairs
    ]
    import_votes(votes, dataset=dataset)
    one = answered(make_run(dataset, owner=researcher), by=0.37)
    lines = [",".join((context, "coherence", *pair, f"0.{n % 9 + 1}")) for n, (context, *pair) in enumerate(pairs)]
    other = compared(dataset, "\n".join(["context,attribute,first,second,p_first", *lines, ""]), judge="other")
    steered = create_runs(
        [robustness_request(one, choose_sentence(dataset, sentence="choose-this"))], owner=researcher
    )[0]
    answered(steered, by=0.31)
    jury = make_jury(name="jury", run=[one, other], by="mean", owner=researcher).run
    _, repeated = (repeat(dataset, seed=seed, firsts={seed}, owner=researcher) for seed in (1, 2))
    study = create_study("Table 1", owner=researcher, runs=[one, other, jury])
    set_baseline(study, one)
    rows = {"one": one, "other": other, "jury": jury, "repeated": repeated, "steered": steered}
    return rows | {"dataset": dataset, "study": study, "attribute": attribute}


def shown(client, judged):
    """Return address -> what it answers, without the tokens of forms."""
    places = {name: row.pk for name, row in judged.items()}
    answers = {address: client.get(address.format(**places)) for address in FIGURES}
    return {
        address: (answer.status_code, re.sub(r'(csrfmiddlewaretoken" value=|X-CSRFToken": )"[^"]+"', "", answer.text))
        for address, answer in answers.items()
    }


def computed(client, judged, monkeypatch, cache):
    """Return the same answers with another cache."""
    forget_rows()
    with monkeypatch.context() as patched:
        patched.setattr(report_cache, "cache", cache)
        patched.setattr(report_cache, "_kept", {})
        return shown(client, judged)


def answer_again(run):
    """Replace an answer, as an error that is asked again."""
    old = run.comparisons.order_by("pk")[3]
    same = {name: getattr(old, name) for name in ("run", "context", "first", "second", "outcome")}
    old.delete()
    Comparison.objects.create(**same, p_first=0.97, text="Because it drifts.")
    note_answers(run)


def changes(judged):
    """Yield what changes -> the change, one after the other."""
    dataset, vote = judged["dataset"], VoteRecord("coherence", "a", "c", "second", "h1")
    yield "a vote", lambda: import_votes([RecordedVote("", 2, "c0", vote)], dataset=dataset)
    exclusion = []
    yield "an exclusion", lambda: exclusion.append(exclude_rater(dataset, rater="h3", reason="too quick"))
    yield "its end", lambda: restore_votes(exclusion[0])
    yield "a judge's name", lambda: rename_judge(judged["one"].judge, name="renamed")
    for name in RUNS:
        yield f"an answer of {name}", partial(answer_again, judged[name])


def changed_by_callers():
    """Return the values kept in memory that are no longer those of the cache."""
    return [value for key, value in report_cache._kept.items() if packed(value) != cache.get(key)]


def test_every_cached_figure_follows_all_that_it_rests_on(client, judged, monkeypatch):
    seen, key = set(), report_cache._key

    def noting(what):
        frame = sys._getframe(1)
        while frame.f_globals["__name__"] == report_cache.__name__:
            frame = frame.f_back
        seen.add(frame.f_globals["__name__"])
        return key(what)

    monkeypatch.setattr(report_cache, "_key", noting)
    monkeypatch.setattr(separation, "FEWEST_DRAWN", 2)  # six contexts are enough here
    monkeypatch.setattr(diagnostics_report, "SPLITS", 2)  # they take a fifth of the time,
    monkeypatch.setattr(vote_planner, "SIMULATIONS", 20)  # and these another fifth
    first, stale = shown(client, judged), set()
    assert first == computed(client, judged, monkeypatch, DummyCache("", {}))

    for change, make in changes(judged):
        make()
        kept, fresh = shown(client, judged), computed(client, judged, monkeypatch, LocMemCache(change, {}))
        stale |= {(change, address) for address in FIGURES if kept[address] != fresh[address]}

    assert {status for status, _ in first.values()} == {200, 404}  # 404: nothing is explained yet
    assert CACHING - seen == set()
    assert sorted(stale) == []
    assert changed_by_callers() == []
