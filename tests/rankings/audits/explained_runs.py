"""A run with explanations."""

from judging.models import Run
from tests.rankings.studies import compared, make_dataset

EXPLAINED = """\
context,attribute,first,second,p_first,choice,text
c0,overall,a,b,0.9,,B drifts.
c0,overall,b,a,0.9,,A is short.
c0,overall,a,c,,second,C is off topic.
c0,overall,c,a,0.5,,They are alike.
c0,overall,b,c,0.2,,
c1,overall,a,b,0.8,,A repeats itself.
c1,overall,b,c,0.8,,Nobody voted here.
"""


def explained_run() -> Run:
    """Three wrong verdicts that are explained; one that is not, one tie, one right, one on which people say nothing."""
    return compared(make_dataset(), EXPLAINED)
