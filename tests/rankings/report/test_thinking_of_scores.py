"""How far thinking moved the scores of a run that scores candidates one by one."""

import pytest

from tests.commands import printed_json
from tests.rankings.studies import make_dataset, one_context, scored

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("forget_reports")]

HEAD = "context,attribute,candidate,score,score_before\n"
THOUGHT = HEAD + "c0,overall,a,4,3\nc0,overall,b,2,2.5\nc0,overall,c,1,\n"


def rows_of(capsys):
    return printed_json(capsys, "report", "--dataset", "Study")["rows"]


def test_report_says_how_far_thinking_moved_the_scores(capsys):
    scored(make_dataset(one_context(3, 2, 1)), THOUGHT)

    [row] = rows_of(capsys)

    assert (row["thinking_shift"]["value"], row["thinking_shift"]["n"]) == (0.75, 2)
    assert "thinking_flips" not in row
