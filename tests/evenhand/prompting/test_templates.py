import pytest

from evenhand.engine import Question
from evenhand.prompting.templates import PromptError
from evenhand.prompting.wording import Wording, default_adjective
from tests.evenhand.prompting.prompt_texts import prompt, shipped


def compared(template, wording, **texts):
    return prompt(template).worded(wording).comparison(**{"context": "C", "first": "1", "second": "2"} | texts)


def test_prompt_follows_the_nouns_of_the_dataset_with_and_without_capital():
    worded = shipped("comparative-2").worded(Wording("fluency", context_noun="dialogue", candidate_noun="response"))

    assert worded.comparison(context="Hi.", first="Yo.", second="No.") == (
        "Dialogue:\nHi.\n\nResponse A: Yo.\n\nResponse B: No.\n\n"
        "Which Response is more fluent relative to the dialogue, Response A or Response B?"
    )
    assert worded.answer_prefix == "Response"


@pytest.mark.parametrize(
    ("attribute", "question"),
    [
        ("overall", "Which is better?"),
        ("continuity", "Which is better a continuation?"),
        ("Coherence", "Which is more coherent?"),
        ("zest", "Which is better in terms of zest?"),
    ],
)
def test_more_good_becomes_better(attribute, question):
    assert compared("<A><B>Which is more {adjective}?", Wording(attribute)) == f"12{question}"


def test_more_good_is_unchanged_outside_a_comparison():
    rendered = compared(
        "<A> <B> Say how {adjective} it is. Is one that is more goodly better?",
        Wording("overall"),
        first="this is more good",
    )

    assert rendered == "this is more good 2 Say how good it is. Is one that is more goodly better?"


def test_adjective_of_the_dataset_replaces_the_default_which_names_an_unknown_attribute():
    assert compared("<A><B> {adjective}", Wording("coherence", adjective="well-ordered")) == "12 well-ordered"
    assert default_adjective("zest") == "good in terms of zest"


def test_texts_and_words_that_look_like_placeholders_are_unchanged():
    rendered = compared(
        "<context>|<A>|<B>|{adjective}", Wording("fluency"), context="<A>", first="<B> {adjective}", second="<context>"
    )
    wording = Wording("coherence", adjective="<A>", definition="{adjective}")

    assert rendered == "<A>|<B> {adjective}|<context>|fluent"
    assert compared("<A>|<B>|{adjective}|{definition}", wording) == "1|2|<A>|{adjective}"


def test_template_with_a_missing_definition_is_refused():
    with pytest.raises(PromptError, match=r'asks for \{definition\}, and the attribute "zest" has none'):
        prompt("<A><B>{definition}").worded(Wording("zest"))


def test_question_has_every_field_for_an_engine():
    worded = prompt("<A>/<B>", system="Judge the {candidate_noun}.", answer_prefix="{Candidate_noun}").worded(
        Wording("overall", candidate_noun="poem")
    )

    assert worded.question(context="", first="x", second="y") == Question(
        text="x/y",
        answer_prefix="Poem",
        label_first=" A",
        label_second=" B",
        system="Judge the poem.",
        candidates=("x", "y"),
    )


def test_question_has_the_label_word_of_a_tie_if_the_prompt_does():
    asked = prompt(label_tie=" C").worded(Wording("overall")).question(context="", first="x", second="y")

    assert asked.label_tie == " C"
