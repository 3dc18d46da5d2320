"""Runs on one context on which three people voted."""

from tests.rankings.studies import answers, compared, make_dataset, one_context

VOTES = [
    {"attribute": "overall", "first": first, "second": second, "choice": choice, "rater": rater}
    for rater in ("h1", "h2", "h3")
    for first, second, choice in (("a", "b", "first"), ("c", "b", "second"), ("a", "c", "first"))
]
ANSWERS = ("a b 0.9", "b a 0.3", "a c 0.8", "c a 0.6", "b c 0.7", "c b 0.4")


def voted_run(*scores, votes=VOTES, name="Study"):
    """A judge and people on one context of three candidates, both with a before b before c."""
    return compared(make_dataset(one_context(*scores, votes=votes), name=name), answers(*ANSWERS))
