"""A dataset with votes of four people and answers of two judges, who disagree as often as real raters do."""

import numpy as np

from tests.rankings.studies import compared, make_dataset

PEOPLE = {"h1": 0.9, "h2": 0.85, "h3": 0.8, "h4": 0.7}
JUDGES = {"careful": 0.5, "hasty": 2.5, "steady": 1.0}
"""Standard deviation of the noise in the log-odds of each judge."""


def voted_dataset(*, contexts=20, name="Panel"):
    """Contexts of three candidates, a better than b better than c. PEOPLE holds how often each person says so."""
    rng = np.random.default_rng(7)
    return make_dataset([voted_context(f"c{number}", rng) for number in range(contexts)], name=name)


def voted_context(key, rng):
    scores = {"a": 3, "b": 2, "c": 1}
    return {
        "context": key,
        "text": f"Article {key}.",
        "candidates": [
            {"candidate": name, "text": "word " * int(rng.integers(3, 9)), "scores": {"overall": score}}
            for name, score in scores.items()
        ],
        "votes": [
            {"attribute": "overall", "first": first, "second": second, "choice": choice(rng, skill), "rater": rater}
            for rater, skill in PEOPLE.items()
            for first, second in ("ab", "ac", "bc")
        ],
    }


def choice(rng, skill):
    """Draw a vote on a pair whose first candidate is better."""
    return "tie" if rng.random() < 0.08 else "first" if rng.random() < skill else "second"


def judged(dataset, judge):
    """A run of one of the judges: both orders of every pair."""
    rng = np.random.default_rng(sorted(JUDGES).index(judge))
    lines = ["context,attribute,first,second,p_first"]
    for context in dataset.contexts.all():
        for first in "abc":
            for second in "abc":
                if first != second:
                    seen = ord(second) - ord(first) + 0.3 + JUDGES[judge] * rng.normal()
                    lines.append(f"{context.key},overall,{first},{second},{1 / (1 + np.exp(-seen)):.4f}")
    return compared(dataset, "\n".join(lines) + "\n", judge=judge)
