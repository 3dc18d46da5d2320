"""The store of contexts: its order, its keys, and records made of it."""

import pytest

from evenhand.formats import CandidateRecord, ContextRecord, VoteRecord, temporary_database
from evenhand.formats.datasets.draft_store import DraftStore, StoredContext, StoredContexts
from tests.evenhand.formats.small_files import context, dataset_problems, json_lines

VOTE = VoteRecord("overall", "a", "b", "tie", "h1")


def stored(key: str) -> StoredContext:
    return StoredContext(key, f"Text {key}.", "news", "", {"turn": "1"}, "d.csv", 2)


@pytest.fixture
def store():
    store = DraftStore()
    for key in ("c1", "c2"):
        store.add_context(stored(key), key)
    store.add_candidate(2, CandidateRecord("a", "Half \ud800", "M8", {"q": 0.1 + 0.2}, {"q": {"r": 4.0}}))
    store.add_vote(2, VOTE)
    return store


def test_store_finds_contexts_and_candidates_by_key(store):
    assert store.find_context("c2") == (2, stored("c2"))
    assert store.find_context("c3") is None
    assert store.find_candidate(2, "a").scores == {"q": 0.1 + 0.2}
    assert store.find_candidate(1, "a") is None


def test_store_refuses_a_taken_key_but_no_empty_one(store):
    assert store.add_context(stored("c1"), "c1") is None
    assert [store.add_context(stored(""), "") for _ in range(2)] == [3, 4]
    assert [store.add_candidate(context, CandidateRecord("a", "x")) for context in (1, 2)] == [True, False]


def test_store_replaces_the_candidate_of_one_context(store):
    store.add_candidate(1, CandidateRecord("a", "other"))

    store.replace_candidate(2, CandidateRecord("a", "new"))

    assert [store.find_candidate(context, "a").text for context in (1, 2)] == ["other", "new"]


def test_stored_contexts_are_a_sequence_of_records(store):
    contexts = StoredContexts(store)
    candidate = CandidateRecord("a", "Half \ud800", "M8", {"q": 0.1 + 0.2}, {"q": {"r": 4.0}})
    first = ContextRecord("c1", "Text c1.", "news", fields={"turn": "1"})
    second = ContextRecord("c2", "Text c2.", "news", "", {"turn": "1"}, (candidate,), (VOTE,))

    assert contexts == (first, second)
    assert (contexts[0], contexts[-1], contexts[:1]) == (first, second, (first,))
    assert list(contexts) == list(contexts)
    assert contexts != (first,)


def test_store_has_a_largest_size(monkeypatch):
    monkeypatch.setattr(temporary_database, "MAX_PAGES", 100)
    rows = [context(context=f"c{number}", text="word " * 1_000) for number in range(200)]

    assert dataset_problems(json_lines(*rows)) == [
        "data.jsonl: no space for all its contexts — expected a dataset of at most 4 GB, "
        "and that much free space in the folder of temporary files"
    ]


def test_large_contexts_are_those_above_a_limit(store):
    limits = {"candidates": 1, "characters": 1_000, "votes": 1}
    assert list(store.large_contexts(**limits)) == []

    assert [one.key for one in store.large_contexts(**limits | {"votes": 0})] == ["c2"]
    assert [one.key for one in store.large_contexts(**limits | {"candidates": 0})] == ["c2"]
    assert [one.key for one in store.large_contexts(**limits | {"characters": 20})] == ["c2"]
