"""Data in temporary databases."""

from collections import deque

import pytest

from evenhand.formats import DiskDictionary, temporary_database
from evenhand.formats.temporary_database import StoreIsFull


def test_a_dictionary_keeps_the_first_value_of_a_key():
    numbers = DiskDictionary()

    assert numbers.add(("c1", "a", 1), [2.5, "text"])
    assert not numbers.add(("c1", "a", 1), [3.5])

    assert numbers.get(("c1", "a", 1)) == [2.5, "text"]
    assert numbers.get(("c1", "a", 2)) is None


def test_a_full_database_is_refused(monkeypatch):
    monkeypatch.setattr(temporary_database, "MAX_PAGES", 10)
    numbers = DiskDictionary()

    with pytest.raises(StoreIsFull):
        deque(numbers.add((number,), "text") for number in range(10_000))
