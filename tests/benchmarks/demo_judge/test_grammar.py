import random

import pytest

from benchmarks.demo_judge.grammar import (
    FLAWS,
    PRAISE_REMARK,
    invent_story,
    retell_story,
    write_analysis,
    write_candidate,
    write_notes,
)
from benchmarks.demo_judge.vocabulary import FAMILIAR_DOMAINS, UNFAMILIAR_DOMAINS


def story_and_rng(seed=3):
    rng = random.Random(seed)
    return invent_story(rng, FAMILIAR_DOMAINS[0]), rng


def test_invent_story_repeats_a_story_for_the_same_seed():
    assert story_and_rng()[0] == story_and_rng()[0]


def test_write_notes_names_every_fact():
    story, _ = story_and_rng()

    text = write_notes(story)

    facts = [story.agent, story.character, story.place, story.time, *story.reasons]
    facts += [f"{verb} the {thing}" for verb, thing in story.deeds]
    assert [fact for fact in facts if fact not in text] == []


def test_retell_story_uses_only_deeds_of_the_story():
    story, rng = story_and_rng()
    foreign = set(FAMILIAR_DOMAINS[0].objects) - {thing for _, thing in story.deeds}

    words = " ".join(" ".join(retell_story(rng, story)) for _ in range(50)).replace(".", "").split()

    assert foreign & set(words) == set()


def test_write_candidate_without_flaws_spoils_no_word():
    story, rng = story_and_rng()

    candidate = write_candidate(rng, story, [], other_domains=FAMILIAR_DOMAINS)

    assert (candidate.flaws, candidate.spoiled_spans) == ((), ())
    assert candidate.severity("coherence") == candidate.severity("fluency") == 0


@pytest.mark.parametrize("flaw", [flaw for flaw in FLAWS if flaw != "cut"])
def test_write_candidate_reports_the_words_that_a_flaw_spoiled(flaw):
    story, rng = story_and_rng()

    candidate = write_candidate(rng, story, [flaw], other_domains=FAMILIAR_DOMAINS)

    assert candidate.spoiled_spans
    assert all(" " not in candidate.text[start:end] for start, end in candidate.spoiled_spans)


def test_severity_counts_only_flaws_that_harm_the_attribute():
    story, rng = story_and_rng()

    candidate = write_candidate(rng, story, ["stray", "shuffled"], other_domains=FAMILIAR_DOMAINS)

    severities = {name: candidate.severity(name) for name in ("coherence", "fluency", "relevance")}
    assert severities == {"coherence": 3, "fluency": 2, "relevance": 1}


def test_write_analysis_names_the_flaws_or_praises():
    assert write_analysis(["cut", "stray"]) == "One sentence belongs to another story. A sentence breaks off."
    assert write_analysis([]) == PRAISE_REMARK


def test_unfamiliar_domains_share_no_content_word_with_the_familiar_ones():
    familiar, unfamiliar = (
        {word for domain in domains for word in domain.agents + domain.verbs + domain.objects}
        for domains in (FAMILIAR_DOMAINS, UNFAMILIAR_DOMAINS)
    )

    assert familiar & unfamiliar == set()
