"""METEOR with a WordNet of two words, and without any."""

import pytest

from evenhand.engine import LoadFailed
from tests.evenhand.engine.metrics.questions import open_metric, score_of

VERSION = "  1 WordNet 3.0 Copyright of nobody\n"
SYNSET = "{offset:08d} 06 n 02 car 0 auto 0 000 | a thing with wheels\n"


@pytest.fixture
def wordnet(tmp_path, monkeypatch):
    """A WordNet in which car and auto mean one thing, as the files of its authors have it; nltk sees no other data."""
    import nltk

    folder = tmp_path / "corpora" / "wordnet"
    folder.mkdir(parents=True)
    monkeypatch.setattr(nltk.data, "path", [str(tmp_path)])
    for part in ("adj", "adv", "noun", "verb"):
        (folder / f"{part}.exc").write_text("")
        (folder / f"index.{part}").write_text(VERSION)
        (folder / f"data.{part}").write_text(VERSION)
    (folder / "index.sense").write_text("")
    offset = len(VERSION)
    (folder / "data.noun").write_text(VERSION + SYNSET.format(offset=offset))
    (folder / "index.noun").write_text(
        VERSION + "".join(f"{word} n 1 0 1 0 {offset:08d}\n" for word in ("auto", "car"))
    )
    (folder / "lexnames").write_text("".join(f"{number:02d}\tname{number}\t1\n" for number in range(7)))
    return folder


def test_meteor_matches_synonyms(wordnet):
    # three of three words match, in one chunk; without synonyms two of three, in two
    with_synonyms, without = (1 - 0.5 * (1 / 3) ** 3), 2 / 3 * (1 - 0.5 * (2 / 2) ** 3)

    assert score_of("meteor", "The auto stops", "the car stopped") == pytest.approx(with_synonyms, abs=1e-12)
    assert score_of("meteor-no-synonyms", "The auto stops", "the car stopped") == pytest.approx(without, abs=1e-12)


def test_signature_of_meteor_names_the_wordnet(wordnet):
    engine = open_metric("meteor")

    assert "|synonyms:WordNet 3.0|" in engine.describe().signature
    engine.close()


def test_meteor_without_a_wordnet_explains_how_to_get_one(tmp_path, monkeypatch):
    import nltk

    monkeypatch.setattr(nltk.data, "path", [str(tmp_path)])

    with pytest.raises(LoadFailed, match="METEOR matches synonyms by WordNet, which is not on this machine"):
        open_metric("meteor")


def test_meteor_with_an_incomplete_wordnet_fails_to_load(wordnet):
    (wordnet / "index.noun").unlink()

    with pytest.raises(LoadFailed, match="the WordNet of nltk's data is incomplete"):
        open_metric("meteor")
