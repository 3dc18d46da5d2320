"""Figures as a report has them."""

import pytest

ONE_CONTEXT = "an interval needs at least two contexts"
ALL_SKIPPED = "no context has two candidates with both scores whose human scores differ"


def interval(value, low, high, n):
    return {"value": pytest.approx(value), "low": pytest.approx(low), "high": pytest.approx(high), "n": n}


def of_one_context(value, n):
    return {"value": pytest.approx(value), "low": None, "high": None, "n": n, "undefined": ONE_CONTEXT}


def block_of_one_context(per_context, *, skipped, pooled, system):
    """A coefficient of one context, which has no interval."""
    ends = ("per_context_low", "per_context_high", "system_low", "system_high")
    return {
        "per_context": pytest.approx(per_context),
        "contexts": 1,
        "skipped": skipped,
        "pooled": pytest.approx(pooled),
        "system": pytest.approx(system),
        **dict.fromkeys(ends),
        "undefined": dict.fromkeys(ends, ONE_CONTEXT),
    }


def no_block(*, skipped, per_context, pooled, system):
    """A coefficient that does not exist, and why."""
    why = {"per_context": per_context, "pooled": pooled, "system": system}
    why |= {f"{level}_{end}": why[level] for level in ("per_context", "system") for end in ("low", "high")}
    return dict.fromkeys(why) | {"contexts": 0, "skipped": skipped, "undefined": why}


def undefined(reason, **fields):
    return {"value": None} | dict.fromkeys(("low", "high")) | fields | {"undefined": reason}
