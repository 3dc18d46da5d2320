"""Where a question shows the metrics that a judge wrote itself."""

from dataclasses import replace

import pytest

from judging.prompting.criteria import MetricsPrompt, metrics_prompt, with_metrics, without_metrics
from judging.prompting.methods import METHODS
from judging.prompting.prompt_files import load_shipped_prompts
from judging.prompting.templates import PromptError, PromptText, Wording, check_template, prompt_problems

WORDING = Wording("coherence", candidate_noun="summary", context_noun="article")
SHIPPED = {prompt.name: prompt for prompt in load_shipped_prompts()}
BLOCK = MetricsPrompt("m", 1, "What matters in <context>?", "Look at:\n<metrics>", 150)


def prompt(template, reasoning=""):
    return PromptText("p", 1, "pairwise", template, "Summary", " A", " B", reasoning_template=reasoning)


def test_metrics_stand_before_the_question():
    shown = with_metrics(prompt("<context>\n\nA: <A>\n\nB: <B>\n\nWhich is better?"), BLOCK).worded(WORDING)

    text = shown.given("1. Is it short?").comparison(context="Article", first="x", second="y")

    assert text == "Article\n\nA: x\n\nB: y\n\nLook at:\n1. Is it short?\n\nWhich is better?"


def test_metrics_stand_where_a_template_wants_them():
    shown = with_metrics(prompt("<metrics>\n\nA: <A>\n\nB: <B>\n\nWhich?"), BLOCK).worded(WORDING)

    text = shown.given("Short?").comparison(context="", first="x", second="y")

    assert text == "Look at:\nShort?\n\nA: x\n\nB: y\n\nWhich?"


@pytest.mark.parametrize("template", ["A: <A>\n\nB: <B>\n\n<metrics>\n\nWhich?", "<metrics>A: <A>\n\nB: <B>\n\nWhich?"])
def test_place_for_metrics_is_empty_without_them(template):
    text = without_metrics(prompt(template)).worded(WORDING).comparison(context="", first="x", second="y")

    assert text == "A: x\n\nB: y\n\nWhich?"


def test_nothing_in_metrics_or_candidates_is_taken_for_a_placeholder():
    shown = with_metrics(prompt("A: <A>\n\nB: <B>\n\nWhich is more {adjective}?"), BLOCK).worded(WORDING)

    text = shown.given("<A> {adjective}").comparison(context="", first="<metrics>", second="y")

    assert text == "A: <metrics>\n\nB: y\n\nLook at:\n<A> {adjective}\n\nWhich is more coherent?"


def test_metrics_of_one_context_do_not_stay_for_the_next():
    shown = with_metrics(prompt("A: <A>\n\nB: <B>\n\nWhich?"), BLOCK).worded(WORDING)

    texts = [shown.given(metrics).comparison(context="", first="x", second="y") for metrics in ("one", "two")]

    assert [text.split("\n")[-3] for text in texts] == ["one", "two"]


def test_shipped_metrics_are_asked_of_a_context_alone_in_the_words_of_the_dataset():
    text = metrics_prompt(SHIPPED["metrics-1"]).text(WORDING, context="The pier.")

    assert text.startswith(
        "Please propose at most three concise questions about whether a potential summary is coherent"
    )
    assert "# Article:\nThe pier.\n" in text


def test_every_shipped_prompt_whose_method_takes_criteria_shows_them_before_its_question():
    able = [one for one in SHIPPED.values() if one.method in METHODS and METHODS[one.method].takes_criteria]

    shown = [with_metrics(one, metrics_prompt(SHIPPED["metrics-1"])) for one in able]

    assert {one.method for one in able} == {name for name, method in METHODS.items() if method.takes_criteria}
    for before, after in zip(able, shown, strict=True):
        assert after.template.endswith("<metrics>\n\n" + before.template.rpartition("\n\n")[2])
        assert check_template(after.template, method=after.method) == []
        assert ("<metrics>" in after.reasoning_template) == bool(before.reasoning_template)


def own(**changes):
    return replace(PromptText("ours", 1, "metrics", "Look at:\n<metrics>", reasoning_template="<context>?"), **changes)


def test_metrics_prompt_asks_by_its_first_step_and_shows_by_its_template():
    found = metrics_prompt(own(version=2, system="Be {adjective}."))

    assert found == MetricsPrompt("ours", 2, "<context>?", "Look at:\n<metrics>", 150, "Be {adjective}.")


NOT_SEEN = "is missing; the judge would not see it"


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"reasoning_template": "What matters?"}, f"reasoning_template: <context> {NOT_SEEN}"),
        ({"reasoning_template": "<context> <A>?"}, "reasoning_template: line 1, column 11: <A> is unknown here"),
        ({"template": "Look at them."}, f"template: <metrics> {NOT_SEEN}"),
        ({"template": "<metrics> of <context>"}, "template: line 1, column 14: <context> is unknown here"),
        ({"label_first": " A"}, "answer_prefix, label_first, label_second: leave them empty; what the judge writes is"),
        ({"label_tie": " C"}, "answer_prefix, label_first, label_second: leave them empty; what the judge writes is"),
        ({"system": "For <context>."}, "system: line 1, column 5: <context> is unknown here"),
    ],
)
def test_placeholders_of_a_prompt_for_metrics_are_checked(changes, problem):
    [found] = prompt_problems(own(**changes))

    assert prompt_problems(own()) == []
    assert found.startswith(problem)


def test_metrics_prompt_that_asks_for_a_definition_needs_one():
    asking = metrics_prompt(own(reasoning_template="{definition}: <context>?"))

    with pytest.raises(PromptError, match=r'prompt "ours" asks for \{definition\}, and the attribute "coherence" has'):
        asking.require_words(WORDING)
