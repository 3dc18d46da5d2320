"""The prompts that come with Evenhand, compared with the published ones."""

import json

import pytest

from evenhand.prompting.prompt_files import load_shipped_prompts
from evenhand.prompting.wording import Wording
from tests.evenhand.prompting.prompt_texts import shipped

SUMMARY = {"context_noun": "passage", "candidate_noun": "summary"}


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


@pytest.mark.parametrize(("attribute", "asked"), [("overall", "overall quality"), ("coherence", "coherence")])
def test_scoring_prompt_names_the_attribute_as_the_paper_does(attribute, asked):
    worded = shipped("scoring-1").worded(Wording(attribute, candidate_noun="summary"))

    assert worded.scoring(context="Some text.", candidate="A summary.") == (
        f"Some text.\n\nSummary: A summary.\n\nProvide a score between 1 and 10 that measures the summary's {asked}"
    )


def test_shipped_prompts_are_valid_and_name_their_source():
    prompts = load_shipped_prompts()

    assert {(prompt.name, prompt.method) for prompt in prompts} >= {
        ("against-context", "metric"),
        ("against-reference", "metric"),
        ("comparative-1", "comparative"),
        ("comparative-2", "comparative"),
        ("comparative-tie-1", "comparative"),
        ("cot-1", "cot"),
        ("cot-reply-1", "cot"),
        ("cot-reply-tie-1", "cot"),
        ("decision-1", "decision"),
        ("judgelm-1", "comparative"),
        ("prepair-star-reply-1", "prepair-star"),
        ("prepair-star-reply-tie-1", "prepair-star"),
        ("prometheus-absolute-1", "pointwise"),
        ("prometheus-relative-1", "cot"),
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
    }
    assert all(p.source for p in prompts)
    assert shipped("prepair-1").source.startswith("Ours")


@pytest.mark.parametrize(
    ("attribute", "asked"),
    [
        ("continuity", "Is this response a good continuation given the dialogue?"),
        ("overall", "Is this response good given the dialogue?"),
    ],
)
def test_adjective_for_more_changes_its_form_elsewhere(attribute, asked):
    worded = shipped("unieval-1").worded(Wording(attribute, context_noun="dialogue", candidate_noun="response"))

    text = worded.scoring(context="Hi.", candidate="Yo.")

    assert text == f"question: {asked} </s> response: Yo. </s> dialogue: Hi."


def test_separators_of_unieval_are_end_tokens_to_a_t5_tokenizer():
    from transformers import T5Tokenizer

    pieces = ("▁", "▁question", "▁summary", "▁Yes", "▁No", *"abcdefghijklmnopqrstuvwxyzCSQIY?:.")
    tokenizer = T5Tokenizer(vocab=[("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0), *((one, -1.0) for one in pieces)])
    worded = shipped("unieval-1").worded(Wording("coherence", **SUMMARY))

    ids = tokenizer(worded.scoring(context="Cats.", candidate="A cat.")).input_ids

    assert [place for place, token in enumerate(ids) if token == tokenizer.eos_token_id][-1] == len(ids) - 1
    assert ids.count(tokenizer.eos_token_id) == 3
    assert [tokenizer(label, add_special_tokens=False).input_ids for label in (worded.label_first, "Yes")] == [[6], [6]]


def test_prepair_analysis_shows_one_candidate_only():
    worded = shipped("prepair-1").worded(Wording("overall", context_noun="instruction", candidate_noun="output"))

    text = worded.reasoning(["Three."], context="Add 1 and 2.")

    assert text.endswith("# Instruction:\nAdd 1 and 2.\n\n# Output:\nThree.\n\n# Analysis:")
    assert not any(word in text for word in ("Output A", "Output B", "another", "other output", "pair", "compar"))


def test_prepair_shows_both_analyses_before_the_question():
    worded = shipped("prepair-1").worded(Wording("overall", context_noun="instruction", candidate_noun="output"))

    text = worded.comparison(
        context="Add.", first="Three.", second="Four.", analysis_first="Right.", analysis_second="Wrong."
    )

    assert text.endswith(
        "# Instruction:\nAdd.\n\n# Output A:\nThree.\n\n# Output B:\nFour.\n\n"
        "# Analysis of Output A:\nRight.\n\n# Analysis of Output B:\nWrong.\n\n"
        "# Which Output is better, Output A or Output B?"
    )


def test_every_shipped_prompt_with_a_tie_names_its_label_word():
    with_tie = [prompt for prompt in load_shipped_prompts() if prompt.label_tie and not prompt.verdict]

    assert [prompt.name for prompt in with_tie] == [
        "comparative-tie-1",
        "cot-tie-1",
        "pairwise-tie-1",
        "prepair-star-tie-1",
        "prepair-tie-1",
    ]
    assert all(prompt.template.endswith(", B for {Candidate_noun} B, or C for a tie.") for prompt in with_tie)
    assert not any("Do NOT say both" in prompt.template for prompt in with_tie)
