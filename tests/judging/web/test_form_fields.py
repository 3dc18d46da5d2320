"""Fields that several forms share."""

import pytest
from django.core.exceptions import ValidationError

from judging.models import Run
from judging.web.form_fields import RowsField

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("strange", ["9" * 20, "-1", "²", "pear", ""])
def test_what_can_be_no_row_is_refused_before_the_database_sees_it(django_assert_num_queries, strange):
    """SQLite fails at a number of twenty digits."""
    with django_assert_num_queries(0), pytest.raises(ValidationError, match=f"“{strange}” is not a valid value"):
        RowsField(Run.objects.all()).clean([strange])
