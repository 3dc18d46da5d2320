"""METEOR by nltk, with the synonyms of an installed WordNet. Nothing is ever downloaded."""

import warnings
from typing import Any

import nltk
import nltk.data
from nltk.corpus.reader.wordnet import WordNetCorpusReader
from nltk.stem.porter import PorterStemmer
from nltk.tokenize import NLTKWordTokenizer
from nltk.translate.meteor_score import single_meteor_score

from evenhand.engine.exceptions import LoadFailed
from evenhand.engine.metrics.text_metrics import TextMetric

ALPHA, BETA, GAMMA = 0.9, 3.0, 0.5

WORDNET_MISSING = (
    "METEOR matches synonyms by WordNet, which is not on this machine; get it with "
    '"python -m nltk.downloader wordnet", or put the folder corpora/wordnet of nltk\'s data into a folder that the '
    "variable NLTK_DATA names; the metric meteor-no-synonyms does not need it"
)


class EmptyThesaurus:
    """A thesaurus without words that replaces WordNet."""

    def synsets(self, word: str) -> list[Any]:
        return []

    def close(self) -> None:
        """Do nothing: no file is open."""


class ClosingWordNet(WordNetCorpusReader):  # type: ignore[misc]  # nltk has no types
    """A WordNet that closes its files, which nltk leaves open."""

    def close(self) -> None:
        for file in self._data_file_map.values():
            file.close()
        self._data_file_map.clear()


def meteor_metric(name: str) -> TextMetric:
    """METEOR [Banerjee2005], from 0 to 1. Raises LoadFailed if it needs WordNet and WordNet is missing."""
    tokenizer = NLTKWordTokenizer()
    synonyms, synonyms_name = (EmptyThesaurus(), "none") if name == "meteor-no-synonyms" else _wordnet()
    stemmer = PorterStemmer()

    def score(candidate: str, other: str) -> float:
        reference, measured = tokenizer.tokenize(other), tokenizer.tokenize(candidate)
        return float(
            single_meteor_score(
                reference, measured, stemmer=stemmer, wordnet=synonyms, alpha=ALPHA, beta=BETA, gamma=GAMMA
            )
        )

    parameters = f"alpha:{ALPHA}|beta:{BETA}|gamma:{GAMMA}"
    return TextMetric(
        name=name,
        implementation="nltk.single_meteor_score",
        signature=f"METEOR|tok:nltk words|case:lower|stemmer:Porter|synonyms:{synonyms_name}|{parameters}|"
        f"version:nltk {nltk.__version__}",
        score=score,
        release=synonyms.close,
    )


def _wordnet() -> tuple[Any, str]:
    """Return the WordNet of nltk's data, and its version. Raises LoadFailed."""
    folder = next(filter(None, map(_found, ("corpora/wordnet", "corpora/wordnet.zip/wordnet/"))), None)
    if folder is None:
        raise LoadFailed(WORDNET_MISSING)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # it warns that other languages are missing
            reader = ClosingWordNet(folder, None)
    except OSError as error:
        raise LoadFailed(f"the WordNet of nltk's data is incomplete: {error}") from error
    return reader, f"WordNet {reader.get_version()}"


def _found(resource: str) -> Any:  # noqa: ANN401 - nltk's own kinds of paths
    try:
        return nltk.data.find(resource)
    except LookupError:
        return None
