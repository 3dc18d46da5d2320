"""Reference rows of a study's table."""

import pytest

from rankings.studies.study_page import NOTE_ON_PEOPLE
from tests.rankings.pages import read
from tests.rankings.studies.charts.studies_with_charts import VOTES, make_study

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("forget_reports", "researcher")]


@pytest.mark.parametrize(("votes", "times"), [(VOTES, 1), ([], 0)])
def test_table_says_on_which_contexts_the_figures_of_people_are(client, votes, times):
    page = read(client, "study", make_study("first judge", "second judge", votes=votes), figure="p_first")

    assert page.count(NOTE_ON_PEOPLE) == times
