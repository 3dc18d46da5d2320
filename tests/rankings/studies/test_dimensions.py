"""The rows and columns that a study's table has before a reader chooses."""

import pytest

from rankings.juries.stored_juries import make_jury
from rankings.studies.dimensions import usual_dimensions
from tests.rankings.agreement.panels import judged, voted_dataset
from tests.rankings.studies import compared

pytestmark = pytest.mark.django_db
COLUMNS = "context,attribute,first,second,judge,prompt,p_first\n"


def test_prompts_are_the_columns_where_a_method_has_several():
    dataset = voted_dataset(contexts=2)
    answers = [COLUMNS + f"c0,overall,a,b,careful,{prompt},0.7\n" for prompt in ("short", "long")]
    runs = [compared(dataset, one) for one in answers]

    assert usual_dimensions(runs, rows=("judge",)) == (("judge",), ("prompt",))


def test_prompts_are_no_columns_where_every_method_has_one():
    dataset = voted_dataset(contexts=2)
    runs = [judged(dataset, "careful"), judged(dataset, "hasty")]
    jury = make_jury(name="panel", run=runs, by="majority").run

    assert usual_dimensions([*runs, jury], rows=("judge",)) == (("judge",), ("attribute",))
