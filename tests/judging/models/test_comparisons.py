"""The decision of a comparison, as a property and as a filter."""

import pytest

from judging.models import Choice, Comparison
from judging.models.comparisons import decided
from tests.factories import answer_run, make_dataset, make_run

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ({"p_first": 0.6, "choice": ""}, "first"),
        ({"p_first": 0.4, "choice": "first"}, "second"),
        ({"p_first": 0.5, "choice": ""}, "tie"),
        ({"p_first": None, "choice": "second"}, "second"),
        ({"p_first": None, "choice": "tie"}, "tie"),
        ({"p_first": None, "choice": "", "outcome": "unparsed"}, ""),
        ({"p_first": None, "choice": "", "outcome": "error"}, ""),
    ],
)
def test_decision_and_its_filter_agree(answer, expected):
    answer_run(make_run(make_dataset(candidates=(2,)))).comparisons.update(**answer)

    found = [choice for choice in Choice if Comparison.objects.filter(decided(choice)).exists()]

    assert Comparison.objects.first().decision == expected
    assert found == ([expected] if expected else [])
