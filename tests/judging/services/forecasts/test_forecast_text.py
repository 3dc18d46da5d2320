"""Forecasts as text."""

import pytest

from judging.services.forecasts.forecast_text import forecast_facts, forecast_warnings

GIBIBYTE = 2**30
UNDEFINED = {"value": None, "undefined": "the model runs here"}


def row(*, tokens=None, memory=None, pilot=None, **changes):
    counted = {
        "counted": 10,
        "contexts": 2,
        "is_exact": True,
        "prompt_tokens": 1_500,
        "shared_tokens": 500,
        "longest": 200,
        "limit": 4096,
        "too_long": 0,
    }
    sizes = {
        "weight_bytes": GIBIBYTE,
        "computed_bytes": GIBIBYTE,
        "cache_bytes": 0,
        "batch_tokens": 1024,
        "machine_bytes": 8 * GIBIBYTE,
    }
    tried = {"asked": {"requests": 4, "prompt_tokens": 600, "seconds": 0.5}, "without_answer": 0, "problem": ""}
    return {
        "method": "comparative",
        "criteria": 0,
        "reasonings": 0,
        "tokens": counted | (tokens or {}),
        "memory": sizes | (memory or {}),
        "pilot": tried | (pilot or {}),
        "seconds": {"value": 90.0},
        "cost": UNDEFINED,
    } | changes


def facts_by_name(*rows):
    return {fact.name: fact.text for fact in forecast_facts(rows)}


def test_facts_of_one_run():
    assert facts_by_name(row()) == {
        "tokens": "1,500, or 500 if the common beginning of a context's prompts is computed once (all counted)",
        "longest prompt": "200 tokens; the model takes 4,096",
        "memory": "estimated: weights 1.00 GiB, 1.00 GiB for 1,024 tokens at once, keys and values 0 MiB "
        "(of 8.00 GiB available)",
        "pilot": "4 questions with 600 tokens in all, answered in 0.50 s",
        "time": "about 1 min 30 s",
        "cost": "the model runs here",
    }


def test_tokens_of_an_endpoint_are_extrapolated_from_the_pilot():
    unknown = {"prompt_tokens": None, "undefined": "only the endpoint knows"}
    silent = {"asked": {"requests": 4, "prompt_tokens": 0, "seconds": 0.5}}
    asked = {"comparisons": 30, "reused": 10}

    facts = facts_by_name(row(**asked) | {"tokens": unknown}, row(**asked) | {"tokens": unknown})
    of_a_silent_one = facts_by_name(row(**asked, pilot=silent) | {"tokens": unknown})

    assert facts["tokens"] == "about 6,000, extrapolated from the endpoint's counts in the pilot"
    assert of_a_silent_one["tokens"] == "only the endpoint knows"


@pytest.mark.parametrize(
    ("method", "criteria", "written"), [("prepair", 0, 512), ("geval", 0, 512), ("cot", 0, 256), ("pairwise", 3, 150)]
)
def test_reasoning_that_may_make_prompts_too_long_gives_a_warning(method, criteria, written):
    longest = 4_096 - written + 1
    tight = row(method=method, criteria=criteria, tokens={"longest": longest})
    fits = row(method=method, criteria=criteria, tokens={"longest": longest - 1})

    assert facts_by_name(tight)["longest prompt"] == (
        f"{longest:,} tokens, plus up to {written} of reasoning and criteria; the model takes 4,096"
    )
    assert forecast_warnings([tight]) == [
        f"with up to {written} tokens of reasoning and criteria, the longest prompts may exceed the 4,096 tokens that "
        "the model takes; these would become errors"
    ]
    assert forecast_warnings([fits]) == []


@pytest.mark.parametrize(
    ("usual", "words"),
    [({}, ""), ({"usual": None, "unusual": 0}, ""), ({"usual": 512, "unusual": 0}, "; its files give 512")],
)
def test_longest_prompt_of_a_model_that_takes_any(usual, words):
    assert (
        facts_by_name(row(tokens={"limit": None} | usual))["longest prompt"]
        == f"200 tokens; the model takes any number{words}"
    )


def test_facts_of_several_runs_are_their_sums():
    longer = row(tokens={"longest": 300, "is_exact": False}, cost={"value": 0.25}, reasonings=3, method="prepair")

    facts = facts_by_name(row(cost={"value": 0.5}), longer)

    assert facts["before"].startswith("3 texts of reasoning to write, of at most 256 tokens")
    assert facts["tokens"].startswith("3,000, or 1,000")
    assert facts["tokens"].endswith("(an estimate, counted on 20 prompts of 4 contexts)")
    assert (facts["longest prompt"], facts["time"], facts["cost"]) == (
        "300 tokens, plus up to 512 of reasoning and criteria; the model takes 4,096",
        "about 3 min 0 s",
        "about 0.75 at the judge's prices",
    )


@pytest.mark.parametrize(
    ("seconds", "cost", "words"),
    [
        (0.0, 0.0, ("about 0 s", "about 0 at the judge's prices")),
        (13.98, 0.00431, ("about 14 s", "about 0.0043 at the judge's prices")),
        (7_325.0, 1_234.5, ("about 2 h 2 min", "about 1,234.50 at the judge's prices")),
    ],
)
def test_time_and_cost_are_rounded(seconds, cost, words):
    facts = facts_by_name(row(seconds={"value": seconds}, cost={"value": cost}))

    assert (facts["time"], facts["cost"]) == words


def test_time_of_several_runs_is_undefined_if_one_is():
    facts = facts_by_name(row(), row(pilot=None, seconds={"value": None, "undefined": "not yet"}))

    assert facts["time"] == "not yet"


def test_run_that_fits_has_no_warnings():
    assert forecast_warnings([row()]) == []


@pytest.mark.parametrize(
    ("changes", "warning"),
    [
        (
            {"tokens": {"too_long": 1}},
            "1 of the prompts is longer than the 4,096 tokens that the model takes, and would become an error",
        ),
        (
            {"tokens": {"too_long": 1_200, "is_exact": False}},
            "about 1,200 of the prompts are longer than the 4,096 tokens that the model takes, and would become errors",
        ),
        (
            {"tokens": {"refused": 10, "problem": "the label words cannot be distinguished"}},
            "10 of the questions cannot be asked of this model and would become errors: the label words "
            "cannot be distinguished",
        ),
        (
            {"tokens": {"limit": None, "usual": 512, "unusual": 3}},
            "3 of the prompts are longer than the 512 tokens that the model's files give: they are not truncated and "
            "get answers, but the model may not be trained on such long texts",
        ),
        (
            {"pilot": {"without_answer": 1, "problem": "it wrote 'neither'"}},
            "1 of the pilot's 4 questions has no answer: it wrote 'neither'",
        ),
        (
            {"memory": {"weight_bytes": 14 * GIBIBYTE, "computed_bytes": None, "cache_bytes": None}},
            "the judge needs about 14.00 GiB of memory; its machine has 8.00 GiB",
        ),
    ],
)
def test_run_that_does_not_fit_has_a_warning(changes, warning):
    assert forecast_warnings([row(**changes)]) == [warning]


def test_unknown_memory_gives_no_warning():
    assert forecast_warnings([row(memory={"machine_bytes": None})]) == []
    assert forecast_warnings([row() | {"memory": {"undefined": "the model runs at its endpoint"}}]) == []
