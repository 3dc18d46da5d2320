"""Figures as bytes: the same after reading, and never code."""

import pickle

import msgpack
import numpy as np
import pytest

from evenhand.engine import Answer
from evenhand.numerics import Figure
from judging.models import Choice
from rankings.cache_bytes import packed, unpacked


@pytest.mark.parametrize(
    "value",
    [
        None,
        [1, 2.5, float("inf"), "text", b"bytes", True],
        ((1, "a"), [(2,), {3}], frozenset({4})),
        {("c0", "a"): 0.5, None: 1, 7: {"x": ()}},
        {"figure": Answer(p_first=0.25)},
        Choice.FIRST,
    ],
)
def test_a_value_is_the_same_after_reading(value):
    read = unpacked(packed(value))

    assert (read, type(read), repr(read)) == (value, type(value), repr(value))


def test_equal_objects_take_the_room_of_one():
    one, many = (packed([Figure.missing("A long reason. " * 100) for _ in range(n)]) for n in (1, 100))

    assert len(many) < len(one) + 1_000
    assert unpacked(many)[99].undefined == "A long reason. " * 100


def test_an_array_is_the_same_after_reading_and_can_be_changed():
    array = np.arange(6, dtype=np.int16).reshape(2, 3)

    read = unpacked(packed({"rows": array, "one": array[1, 2]}))

    assert (read["rows"].dtype, read["rows"].tolist()) == (np.dtype("int16"), array.tolist())
    assert (read["one"], type(read["one"])) == (5, np.int16)
    read["rows"][0, 0] = 9


class Elsewhere:
    """A class that only this test has."""


@pytest.mark.parametrize("value", [Elsewhere(), Elsewhere, lambda: 0, object()])
def test_a_value_of_another_class_is_refused(value):
    with pytest.raises(TypeError, match="cannot be cached"):
        packed(value)


@pytest.mark.parametrize("name", ["os:system", "builtins:eval", "evenhand.options:read_options", "judging.models:User"])
def test_bytes_that_name_anything_but_our_dataclasses_are_refused(name):
    forged = msgpack.packb([[msgpack.packb([name, ["true"]])], msgpack.packb(None)])

    with pytest.raises(TypeError, match="cannot be cached"):
        unpacked(forged)


def test_a_pickle_is_no_value(tmp_path):
    class Harm:
        def __reduce__(self):
            return (tmp_path.joinpath("harm").write_text, ("",))

    with pytest.raises(ValueError, match="unpack"):
        unpacked(pickle.dumps(Harm()))

    assert not (tmp_path / "harm").exists()
