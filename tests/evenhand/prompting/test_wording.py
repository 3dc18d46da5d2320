"""The words of attributes."""

import pytest

from evenhand.prompting.wording import comparative_of


@pytest.mark.parametrize(
    ("adjective", "comparative"),
    [
        ("coherent", "more coherent"),
        ("good", "better"),
        ("good in terms of tone", "better in terms of tone"),
        ("good a continuation", "a better continuation"),
        ("goodly", "more goodly"),
    ],
)
def test_comparative_of_good_is_better(adjective, comparative):
    assert comparative_of(adjective) == comparative
