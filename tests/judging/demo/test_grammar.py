import random

import pytest

from judging.demo.grammar import FLAWS, PRAISE, analysis, notes, retell, tell, write
from judging.demo.vocabulary import FAMILIAR, UNFAMILIAR


def story_and_rng(seed=3):
    rng = random.Random(seed)
    return tell(rng, FAMILIAR[0]), rng


def test_a_story_is_the_same_for_the_same_seed():
    assert story_and_rng()[0] == story_and_rng()[0]


def test_notes_hold_every_fact():
    story, _ = story_and_rng()

    text = notes(story)

    facts = [story.agent, story.character, story.place, story.time, *story.reasons]
    facts += [f"{verb} the {thing}" for verb, thing in story.deeds]
    assert [fact for fact in facts if fact not in text] == []


def test_a_retelling_uses_only_deeds_of_the_story():
    story, rng = story_and_rng()
    foreign = set(FAMILIAR[0].objects) - {thing for _, thing in story.deeds}

    words = " ".join(" ".join(retell(rng, story)) for _ in range(50)).replace(".", "").split()

    assert foreign & set(words) == set()


def test_a_flawless_candidate_has_no_spoiled_words():
    story, rng = story_and_rng()

    candidate = write(rng, story, [], elsewhere=FAMILIAR)

    assert (candidate.flaws, candidate.spoiled) == ((), ())
    assert candidate.severity("coherence") == candidate.severity("fluency") == 0


@pytest.mark.parametrize("flaw", [flaw for flaw in FLAWS if flaw != "cut"])
def test_a_flaw_spoils_words_of_the_text(flaw):
    story, rng = story_and_rng()

    candidate = write(rng, story, [flaw], elsewhere=FAMILIAR)

    assert candidate.spoiled
    assert all(" " not in candidate.text[start:end] for start, end in candidate.spoiled)


def test_severity_counts_only_the_flaws_that_harm_the_attribute():
    story, rng = story_and_rng()

    candidate = write(rng, story, ["stray", "shuffled"], elsewhere=FAMILIAR)

    severities = {name: candidate.severity(name) for name in ("coherence", "fluency", "relevance")}
    assert severities == {"coherence": 3, "fluency": 2, "relevance": 1}


def test_analysis_names_the_flaws_or_praises():
    assert analysis(["cut", "stray"]) == "One sentence belongs to another story. A sentence breaks off."
    assert analysis([]) == PRAISE


def test_unfamiliar_domains_share_no_content_word_with_the_familiar_ones():
    familiar, unfamiliar = (
        {word for domain in domains for word in domain.agents + domain.verbs + domain.objects}
        for domains in (FAMILIAR, UNFAMILIAR)
    )

    assert familiar & unfamiliar == set()
