"""The records of methods, and the prompts that belong to them."""

import re
from pathlib import Path

import pytest

from docs.built_tables import literature
from evenhand.prompting.methods import CRITERIA, METHODS, PROMPTED, method_names
from evenhand.prompting.prompt_files import load_shipped_prompts

SHIPPED = {prompt.name: prompt for prompt in load_shipped_prompts()}
DOCUMENTED = Path(__file__).parents[3] / "docs/reference/methods.md"


@pytest.mark.parametrize("name", PROMPTED)
def test_default_prompt_of_a_method_is_shipped_and_belongs_to_it(name):
    assert SHIPPED[PROMPTED[name].default_prompt].method == name


@pytest.mark.parametrize("name", PROMPTED)
def test_source_of_a_method_is_among_the_references(name):
    source = PROMPTED[name].source

    assert not source or f"[{source}]" in literature()


@pytest.mark.parametrize("name", METHODS)
def test_method_is_documented(name):
    assert re.search(rf"^\| `{re.escape(name)}` \|", DOCUMENTED.read_text(), re.MULTILINE)


@pytest.mark.parametrize("name", PROMPTED)
def test_method_with_reasoning_has_a_limit_of_tokens(name):
    method = PROMPTED[name]

    assert method.reasons == (method.reasoning_tokens > 0)


COMPARING = {"comparative", "pairwise", "cot", "prepair", "prepair-star"}
SCORING = {"scoring", "pointwise", "geval", "unieval", "gptscore", "metric"}


@pytest.mark.parametrize(
    ("capability", "able", "unable"),
    [
        ("is_scoring", SCORING, COMPARING | {"metrics", "decision"}),
        ("reads_decision", {"decision"}, COMPARING | SCORING),
        ("takes_ties", COMPARING, SCORING | {"metrics"}),
        (
            "has_labels",
            COMPARING | {"scoring", "pointwise", "geval", "unieval"},
            {"gptscore", "metric", "metrics", "decision"},
        ),
        ("takes_criteria", COMPARING | {"scoring", "pointwise"}, {"geval", "unieval", "gptscore", "metric", "metrics"}),
        ("takes_own_prompts", COMPARING | {"geval", "unieval", "gptscore", "metrics"}, {"metric"}),
        ("runs_at_endpoints", COMPARING | {"scoring", "geval", "unieval"}, {"gptscore"}),
        ("reasons", {"cot", "prepair", "prepair-star", "geval", "metrics"}, {"comparative", "scoring", "metric"}),
        ("reasons_about_texts", {"cot", "prepair", "prepair-star"}, {"comparative", "geval", "metric"}),
        ("reasons_about_pairs", {"cot", "prepair-star"}, {"comparative", "prepair", "geval", "metrics"}),
        ("reasons_once", {"geval"}, {"comparative", "prepair", "cot", "metrics"}),
    ],
)
def test_methods_differ_in_what_they_can(capability, able, unable):
    assert {name for name in able | unable if getattr(PROMPTED[name], capability)} == able


def test_criteria_are_not_a_method_that_answers():
    assert CRITERIA.name not in METHODS


def test_method_names_joins_names_for_a_sentence():
    assert method_names([METHODS["cot"]]) == "cot"
    assert method_names([METHODS["cot"], METHODS["geval"], METHODS["metric"]]) == "cot, geval and metric"
