"""Criteria that a judge writes for itself, and their position in a question."""

from dataclasses import replace

import pytest

from evenhand.prompting.criteria import CriteriaPrompt, criteria_prompt, with_criteria, without_criteria
from evenhand.prompting.methods import METHODS
from evenhand.prompting.prompt_files import load_shipped_prompts
from evenhand.prompting.template_problems import PromptError, check_template
from evenhand.prompting.templates import PromptText, prompt_problems
from evenhand.prompting.wording import Wording

WORDING = Wording("coherence", candidate_noun="summary", context_noun="article")
SHIPPED = {prompt.name: prompt for prompt in load_shipped_prompts()}
BLOCK = CriteriaPrompt("m", 1, "What matters in <context>?", "Look at:\n<metrics>", 150)


def prompt(template, reasoning=""):
    return PromptText(
        name="p",
        method="pairwise",
        template=template,
        answer_prefix="Summary",
        label_first=" A",
        label_second=" B",
        reasoning_template=reasoning,
    )


def test_criteria_precede_the_question_or_replace_the_placeholder_of_a_template():
    shown = with_criteria(prompt("<context>\n\nA: <A>\n\nB: <B>\n\nWhich is better?"), BLOCK).worded(WORDING)

    text = shown.with_criteria("1. Is it short?").comparison(context="Article", first="x", second="y")

    assert text == "Article\n\nA: x\n\nB: y\n\nLook at:\n1. Is it short?\n\nWhich is better?"

    shown = with_criteria(prompt("<metrics>\n\nA: <A>\n\nB: <B>\n\nWhich?"), BLOCK).worded(WORDING)

    text = shown.with_criteria("Short?").comparison(context="", first="x", second="y")

    assert text == "Look at:\nShort?\n\nA: x\n\nB: y\n\nWhich?"


@pytest.mark.parametrize("template", ["A: <A>\n\nB: <B>\n\n<metrics>\n\nWhich?", "<metrics>A: <A>\n\nB: <B>\n\nWhich?"])
def test_placeholder_is_removed_without_criteria(template):
    text = without_criteria(prompt(template)).worded(WORDING).comparison(context="", first="x", second="y")

    assert text == "A: x\n\nB: y\n\nWhich?"


def test_placeholders_in_criteria_and_candidates_are_not_replaced():
    shown = with_criteria(prompt("A: <A>\n\nB: <B>\n\nWhich is more {adjective}?"), BLOCK).worded(WORDING)

    text = shown.with_criteria("<A> {adjective}").comparison(context="", first="<metrics>", second="y")

    assert text == "A: <metrics>\n\nB: y\n\nLook at:\n<A> {adjective}\n\nWhich is more coherent?"


def test_criteria_of_one_context_do_not_remain_for_the_next():
    shown = with_criteria(prompt("A: <A>\n\nB: <B>\n\nWhich?"), BLOCK).worded(WORDING)

    texts = [shown.with_criteria(metrics).comparison(context="", first="x", second="y") for metrics in ("one", "two")]

    assert [text.split("\n")[-3] for text in texts] == ["one", "two"]


def test_shipped_request_for_criteria_shows_the_context_in_the_words_of_the_dataset():
    text = criteria_prompt(SHIPPED["metrics-1"]).text(WORDING, context="The pier.")

    assert text.startswith(
        "Please propose at most three concise questions about whether a potential summary is coherent"
    )
    assert "# Article:\nThe pier.\n" in text


def test_every_shipped_prompt_whose_method_takes_criteria_shows_them_before_its_question():
    able = [one for one in SHIPPED.values() if one.method in METHODS and METHODS[one.method].takes_criteria]

    shown = [with_criteria(one, criteria_prompt(SHIPPED["metrics-1"])) for one in able]

    assert {one.method for one in able} == {name for name, method in METHODS.items() if method.takes_criteria}
    for before, after in zip(able, shown, strict=True):
        assert after.template.endswith("<metrics>\n\n" + before.template.rpartition("\n\n")[2])
        assert check_template(after.template, method=after.method, one_reply=bool(after.verdict)) == []
        assert ("<metrics>" in after.reasoning_template) == bool(before.reasoning_template)


def own(**changes):
    return replace(
        PromptText(name="ours", method="metrics", template="Look at:\n<metrics>", reasoning_template="<context>?"),
        **changes,
    )


def test_criteria_prompt_requests_by_its_reasoning_template():
    found = criteria_prompt(own(version=2, system="Be {adjective}."))

    assert found == CriteriaPrompt("ours", 2, "<context>?", "Look at:\n<metrics>", 150, "Be {adjective}.")


NOT_SEEN = "is missing; the judge would not see it"


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"reasoning_template": "What matters?"}, f"reasoning_template: <context> {NOT_SEEN}"),
        ({"reasoning_template": "<context> <A>?"}, "reasoning_template: line 1, column 11: <A> is unknown here"),
        ({"template": "Look at them."}, f"template: <metrics> {NOT_SEEN}"),
        ({"template": "<metrics> of <context>"}, "template: line 1, column 14: <context> is unknown here"),
        ({"label_first": " A"}, "answer_prefix, label_first, label_second: leave them empty; other prompts show"),
        ({"label_tie": " C"}, "answer_prefix, label_first, label_second: leave them empty; other prompts show"),
        ({"system": "For <context>."}, "system: line 1, column 5: <context> is unknown here"),
    ],
)
def test_placeholders_of_a_prompt_for_criteria_are_checked(changes, problem):
    [found] = prompt_problems(own(**changes))

    assert prompt_problems(own()) == []
    assert found.startswith(problem)


def test_criteria_prompt_with_a_definition_needs_one():
    asking = criteria_prompt(own(reasoning_template="{definition}: <context>?"))

    with pytest.raises(PromptError, match=r'prompt "ours" asks for \{definition\}, and the attribute "coherence" has'):
        asking.require_words(WORDING)
