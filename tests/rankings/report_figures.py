"""Figures as a report has them."""

import pytest

ONE_CONTEXT = "an interval needs at least two contexts"
ALL_SKIPPED = "no context has two candidates with both scores whose human scores differ"


def interval(value, low, high, n):
    return {"value": pytest.approx(value), "low": pytest.approx(low), "high": pytest.approx(high), "n": n}


def of_one_context(value, n):
    return {"value": pytest.approx(value), "low": None, "high": None, "n": n, "undefined": ONE_CONTEXT}


def undefined(reason, **fields):
    return {"value": None} | dict.fromkeys(("low", "high")) | fields | {"undefined": reason}
