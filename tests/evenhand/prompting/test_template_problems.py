"""Checks of templates: required and allowed placeholders."""

import pytest

from evenhand.prompting.template_problems import PromptError, TemplateProblem, check_template
from evenhand.prompting.templates import require_valid
from tests.evenhand.prompting.prompt_texts import prompt

SUMMARY = {"context_noun": "passage", "candidate_noun": "summary"}


def test_check_template_names_what_is_missing_in_a_template_and_an_analysis():
    problems = check_template("<context> <A> <B>", method="prepair", reasoning=True)

    assert check_template("<context> <A> <B> {adjective} <quote>said</quote> <|end|> a < b", method="comparative") == []
    assert check_template("<context> <A>", method="comparative") == [
        TemplateProblem("<B>", 0, 0, "is missing; the judge would not see it")
    ]
    assert [problem.placeholder for problem in problems] == ["<B>"]


def test_check_template_names_every_unknown_placeholder_with_its_position():
    template = "<A>\n<B> <Context>\n  {adjektive} <analysis A>"

    problems = check_template(template, method="comparative")

    assert [(p.placeholder, p.line, p.column) for p in problems] == [
        ("<Context>", 2, 5),
        ("{adjektive}", 3, 3),
        ("<analysis A>", 3, 15),
    ]
    assert str(problems[0]).startswith("line 2, column 5: <Context> is unknown here; known are <A>, <B>, <context>, ")


def test_check_template_refuses_an_unknown_method():
    with pytest.raises(PromptError, match='method "guessing" is unknown; choose one of: comparative, pairwise'):
        check_template("<A>", method="guessing")


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"template": "<A>"}, "template: <B> is missing"),
        ({"reasoning_template": "<A>"}, "reasoning_template: this method has none"),
        ({"method": "prepair"}, "reasoning_template: <A> is missing"),
        ({"system": "See <A>."}, "system: line 1, column 5: <A> is unknown here"),
        ({"answer_prefix": "<B>"}, "answer_prefix: line 1, column 1: <B> is unknown here"),
        ({"label_first": " "}, "both label words must be given"),
        ({"label_first": " B"}, 'both are " B"; the answers could not be distinguished'),
        ({"label_first": "B"}, 'both are "B"; the answers could not be distinguished'),
        ({"method": "metric"}, "leave them empty; a metric gives a number, not words"),
        ({"label_tie": "B"}, 'label_tie: "B" — give a word that is neither of the two others'),
        ({"label_tie": " "}, 'label_tie: " " — give a word that is neither of the two others'),
        (
            {"method": "scoring", "template": "<A>", "label_tie": "C"},
            "label_tie: only a method that compares can offer a tie; leave it empty",
        ),
    ],
)
def test_require_valid_names_the_problem(changes, fault):
    with pytest.raises(PromptError) as failure:
        require_valid(prompt(**changes))

    assert fault in str(failure.value)


@pytest.mark.parametrize(
    ("reasoning_template", "fault"),
    [
        ("Write steps for <context>.", "reasoning_template: line 1, column 17: <context> is unknown here"),
        (" ", "reasoning_template: is empty; the judge would be asked to write nothing first"),
    ],
)
def test_reasoning_about_the_task_shows_no_text_and_is_not_empty(reasoning_template, fault):
    faulty = prompt(
        "<reasoning> <A>", method="geval", reasoning_template=reasoning_template, label_first=" 1", label_second=" 5"
    )

    with pytest.raises(PromptError) as failure:
        require_valid(faulty)

    assert fault in str(failure.value)


def test_prompt_for_likelihoods_shows_only_the_context_and_has_no_label_words():
    with pytest.raises(PromptError) as failure:
        require_valid(prompt("Write as well as <A>.", method="gptscore"))

    assert "template: line 1, column 18: <A> is unknown here" in str(failure.value)
    assert "label_first, label_second: leave them empty; the candidate itself follows" in str(failure.value)
