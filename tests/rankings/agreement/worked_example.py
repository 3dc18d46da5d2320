"""Votes of three people and answers of a judge, small enough to work the agreement by hand."""

from tests.rankings.report.report_figures import agreement_json

# Choices of h1, h2 and h3 on each pair, by the candidate that they prefer ("=" a tie, "-" no vote)
VOTES = {("c0", "a", "b"): "aab", ("c0", "a", "c"): "aaa", ("c0", "b", "c"): "cc=", ("c1", "a", "b"): "ab-"}
TEXTS = {"c0": {"a": "A", "b": "BB", "c": "CCC"}, "c1": {"a": "A", "b": "B"}}
ANSWERS = """\
context,attribute,first,second,p_first,choice
c0,overall,a,b,0.9,
c0,overall,b,a,0.3,
c0,overall,a,c,0.2,
c0,overall,b,c,0.4,
c1,overall,a,b,0.5,
c1,overall,b,a,,unparsed
"""


def vote(first, second, preferred, rater):
    choice = {first: "first", second: "second", "=": "tie"}[preferred]
    return {"attribute": "overall", "first": first, "second": second, "choice": choice, "rater": rater}


def voted_contexts():
    """h2 is shown every pair the other way round."""
    votes = {key: [] for key in TEXTS}
    for (context, one, other), preferences in VOTES.items():
        for rater, preferred in zip(("h1", "h2", "h3"), preferences, strict=True):
            if preferred != "-":
                shown = (other, one) if rater == "h2" else (one, other)
                votes[context].append(vote(*shown, preferred, rater))
    return [
        {
            "context": key,
            "text": "An article.",
            "candidates": [{"candidate": name, "text": text} for name, text in texts.items()],
            "votes": votes[key],
        }
        for key, texts in TEXTS.items()
    ]


def report(dataset):
    """The JSON row of the only attribute in the report on agreement."""
    [row] = agreement_json(dataset, attributes=list(dataset.attributes.all()), runs=dataset.runs.all())["attributes"]
    return row
