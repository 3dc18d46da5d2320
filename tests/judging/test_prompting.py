import json

import pytest

from judging.engine import Question
from judging.prompt_files import load_shipped_prompts
from judging.prompting import (
    PromptError,
    PromptText,
    TemplateProblem,
    check_template,
    require_valid,
)
from judging.wording import Wording, default_adjective

SUMMARY = {"context_noun": "passage", "candidate_noun": "summary"}


def shipped(name):
    return next(prompt for prompt in load_shipped_prompts() if prompt.name == name)


def prompt(template="<context> <A> <B>", **changes):
    return PromptText(
        **{"name": "mine", "version": 1, "method": "comparative", "template": template}
        | {"label_first": " A", "label_second": " B"}
        | changes
    )


def compared(template, wording, **texts):
    return prompt(template).worded(wording).comparison(**{"context": "C", "first": "1", "second": "2"} | texts)


def test_comparative_1_reads_as_published():
    worded = shipped("comparative-1").worded(Wording("coherence", **SUMMARY))

    assert worded.comparison(context="A text.", first="One.", second="Two.") == (
        "A text.\n\nSummary A: One.\n\nSummary B: Two.\n\nWhich Summary is more coherent, Summary A or Summary B?"
    )
    assert (worded.answer_prefix, worded.label_first, worded.label_second) == ("Summary", " A", " B")


@pytest.mark.realdata
@pytest.mark.parametrize(("name", "theirs"), [("comparative-1", "c1"), ("comparative-2", "c2")])
def test_shipped_prompts_equal_the_published_ones_for_every_published_adjective(shared_data, name, theirs):
    published = json.loads((shared_data / "prompts" / "liusie2023.json").read_text())
    adjectives = {name: word for name, word in published["adjectives"].items() if word and name != "good"}
    expected = {
        attribute: published[theirs]
        .replace("{adjective}", adjective)
        .replace("is more good", "is better")
        .replace("<A>", "first text")
        .replace("<B>", "second text")
        .replace("<context>", "a passage")
        for attribute, adjective in adjectives.items()
    }

    rendered = {
        attribute: shipped(name)
        .worded(Wording(attribute, **SUMMARY))
        .comparison(context="a passage", first="first text", second="second text")
        for attribute in adjectives
    }

    assert len(rendered) == 9
    assert rendered == expected


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


def test_more_good_stays_where_it_is_no_comparison_of_the_prompt():
    rendered = compared(
        "<A> <B> Say how {adjective} it is. Is one that is more goodly better?",
        Wording("overall"),
        first="this is more good",
    )

    assert rendered == "this is more good 2 Say how good it is. Is one that is more goodly better?"


@pytest.mark.parametrize(("attribute", "asked"), [("overall", "overall quality"), ("coherence", "coherence")])
def test_scoring_prompt_calls_what_it_measures_as_the_paper_does(attribute, asked):
    worded = shipped("scoring-1").worded(Wording(attribute, candidate_noun="summary"))

    assert worded.scoring(context="Some text.", candidate="A summary.") == (
        f"Some text.\n\nSummary: A summary.\n\nProvide a score between 1 and 10 that measures the summary's {asked}"
    )


def test_an_adjective_of_the_dataset_goes_before_the_default():
    assert compared("<A><B> {adjective}", Wording("coherence", adjective="well-ordered")) == "12 well-ordered"


def test_default_adjective_of_an_unknown_attribute_names_it():
    assert default_adjective("zest") == "good in terms of zest"


def test_texts_that_look_like_placeholders_are_left_alone():
    rendered = compared(
        "<context>|<A>|<B>|{adjective}", Wording("fluency"), context="<A>", first="<B> {adjective}", second="<context>"
    )

    assert rendered == "<A>|<B> {adjective}|<context>|fluent"


def test_words_that_look_like_placeholders_are_left_alone():
    wording = Wording("coherence", adjective="<A>", definition="{adjective}")

    assert compared("<A>|<B>|{adjective}|{definition}", wording) == "1|2|<A>|{adjective}"


def test_a_template_that_asks_for_a_missing_definition_is_refused():
    with pytest.raises(PromptError, match=r'asks for \{definition\}, and the attribute "zest" has none'):
        prompt("<A><B>{definition}").worded(Wording("zest"))


def test_question_holds_all_that_an_engine_needs():
    worded = prompt("<A>/<B>", system="Judge the {candidate_noun}.", answer_prefix="{Candidate_noun}").worded(
        Wording("overall", candidate_noun="poem")
    )

    assert worded.question(context="", first="x", second="y") == Question(
        text="x/y", answer_prefix="Poem", label_first=" A", label_second=" B", system="Judge the poem."
    )


def test_check_template_finds_nothing_wrong_with_a_good_one():
    assert check_template("<context> <A> <B> {adjective} <quote>said</quote> <|end|> a < b", method="comparative") == []


def test_check_template_names_every_unknown_placeholder_with_its_place():
    template = "<A>\n<B> <Context>\n  {adjektive} <analysis A>"

    problems = check_template(template, method="comparative")

    assert [(p.placeholder, p.line, p.column) for p in problems] == [
        ("<Context>", 2, 5),
        ("{adjektive}", 3, 3),
        ("<analysis A>", 3, 15),
    ]
    assert str(problems[0]).startswith("line 2, column 5: <Context> is unknown here; known are <A>, <B>, <context>, ")


def test_check_template_names_what_is_missing():
    assert check_template("<context> <A>", method="comparative") == [
        TemplateProblem("<B>", 0, 0, "is missing; the judge would not see it")
    ]


def test_check_template_of_a_reasoning_template_wants_one_candidate_alone():
    problems = check_template("<context> <A> <B>", method="prepair", reasoning=True)

    assert [problem.placeholder for problem in problems] == ["<B>"]


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
        ({"label_first": " B"}, 'both are " B"; the answers could not be told apart'),
        ({"label_first": "B"}, 'both are "B"; the answers could not be told apart'),
        ({"method": "metric"}, "leave them empty; a metric answers in no words"),
        ({"label_tie": "B"}, 'label_tie: "B" — give a word that is neither of the two others'),
        ({"label_tie": " "}, 'label_tie: " " — give a word that is neither of the two others'),
        (
            {"method": "scoring", "template": "<A>", "label_tie": "C"},
            "label_tie: only a method that compares can offer a tie; leave it empty",
        ),
    ],
)
def test_require_valid_names_the_fault(changes, fault):
    with pytest.raises(PromptError) as failure:
        require_valid(prompt(**changes))

    assert fault in str(failure.value)


def test_shipped_prompts_are_valid_and_say_where_they_come_from():
    prompts = load_shipped_prompts()

    assert [(p.name, p.method) for p in prompts] == [
        ("against-context", "metric"),
        ("against-reference", "metric"),
        ("comparative-1", "comparative"),
        ("comparative-2", "comparative"),
        ("comparative-tie-1", "comparative"),
        ("cot-1", "cot"),
        ("cot-tie-1", "cot"),
        ("geval-1", "geval"),
        ("geval-2", "geval"),
        ("gptscore-1", "gptscore"),
        ("metrics-1", "metrics"),
        ("pairwise-1", "pairwise"),
        ("pairwise-tie-1", "pairwise"),
        ("pointwise-1", "pointwise"),
        ("prepair-1", "prepair"),
        ("prepair-star-1", "prepair-star"),
        ("prepair-star-tie-1", "prepair-star"),
        ("prepair-tie-1", "prepair"),
        ("scoring-1", "scoring"),
        ("scoring-2", "scoring"),
        ("text-alone", "metric"),
        ("unieval-1", "unieval"),
        ("unieval-2", "unieval"),
    ]
    assert all(p.source for p in prompts)
    assert shipped("prepair-1").source.startswith("Ours")


@pytest.mark.parametrize(
    ("attribute", "asked"),
    [
        ("continuity", "Is this response a good continuation given the dialogue?"),
        ("overall", "Is this response good given the dialogue?"),
    ],
)
def test_adjective_made_for_more_reads_as_usual_elsewhere(attribute, asked):
    worded = shipped("unieval-1").worded(Wording(attribute, context_noun="dialogue", candidate_noun="response"))

    text = worded.scoring(context="Hi.", candidate="Yo.")

    assert text == f"question: {asked} </s> response: Yo. </s> dialogue: Hi."


@pytest.mark.parametrize(
    ("reasoning_template", "fault"),
    [
        ("Write steps for <context>.", "reasoning_template: line 1, column 17: <context> is unknown here"),
        (" ", "reasoning_template: is empty; the judge would be asked to write nothing first"),
    ],
)
def test_first_step_before_any_text_shows_none_and_asks_for_something(reasoning_template, fault):
    faulty = prompt(
        "<reasoning> <A>",
        method="geval",
        reasoning_template=reasoning_template,
        label_first=" 1",
        label_second=" 5",
    )

    with pytest.raises(PromptError) as failure:
        require_valid(faulty)

    assert fault in str(failure.value)


def test_prompt_of_likelihoods_shows_the_context_alone_and_has_no_label_words():
    with pytest.raises(PromptError) as failure:
        require_valid(prompt("Write as well as <A>.", method="gptscore"))

    assert "template: line 1, column 18: <A> is unknown here" in str(failure.value)
    assert "label_first, label_second: leave them empty; the candidate itself follows" in str(failure.value)


def test_separators_of_unieval_are_end_tokens_to_a_t5_tokenizer():
    from transformers import T5Tokenizer

    pieces = ("▁", "▁question", "▁summary", "▁Yes", "▁No", *"abcdefghijklmnopqrstuvwxyzCSQIY?:.")
    tokenizer = T5Tokenizer(vocab=[("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0), *((one, -1.0) for one in pieces)])
    worded = shipped("unieval-1").worded(Wording("coherence", **SUMMARY))

    ids = tokenizer(worded.scoring(context="Cats.", candidate="A cat.")).input_ids

    assert [place for place, token in enumerate(ids) if token == tokenizer.eos_token_id][-1] == len(ids) - 1
    assert ids.count(tokenizer.eos_token_id) == 3
    assert [tokenizer(label, add_special_tokens=False).input_ids for label in (worded.label_first, "Yes")] == [[6], [6]]


def test_prepair_looks_at_one_candidate_without_a_word_of_another():
    worded = shipped("prepair-1").worded(Wording("overall", context_noun="instruction", candidate_noun="output"))

    text = worded.reasoning(context="Add 1 and 2.", candidate="Three.")

    assert text.endswith("# Instruction:\nAdd 1 and 2.\n\n# Output:\nThree.\n\n# Analysis:")
    assert not any(word in text for word in ("Output A", "Output B", "another", "other output", "pair", "compar"))


def test_prepair_shows_both_analyses_before_it_asks():
    worded = shipped("prepair-1").worded(Wording("overall", context_noun="instruction", candidate_noun="output"))

    text = worded.comparison(
        context="Add.", first="Three.", second="Four.", analysis_first="Right.", analysis_second="Wrong."
    )

    assert text.endswith(
        "# Instruction:\nAdd.\n\n# Output A:\nThree.\n\n# Output B:\nFour.\n\n"
        "# Analysis of Output A:\nRight.\n\n# Analysis of Output B:\nWrong.\n\n"
        "# Which Output is better, Output A or Output B?"
    )


def test_every_shipped_prompt_that_offers_a_tie_says_how_to_call_it():
    with_tie = [prompt for prompt in load_shipped_prompts() if prompt.label_tie]

    assert [prompt.name for prompt in with_tie] == [
        "comparative-tie-1",
        "cot-tie-1",
        "pairwise-tie-1",
        "prepair-star-tie-1",
        "prepair-tie-1",
    ]
    assert all(prompt.template.endswith(", B for {Candidate_noun} B, or C for a tie.") for prompt in with_tie)
    assert not any("Do NOT say both" in prompt.template for prompt in with_tie)


def test_question_offers_a_tie_where_the_prompt_does():
    asked = prompt(label_tie=" C").worded(Wording("overall")).question(context="", first="x", second="y")

    assert asked.label_tie == " C"
