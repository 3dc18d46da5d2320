"""Find the candidates of pairs that a file or a request names by their keys."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from judging.exceptions import Refused, did_you_mean
from judging.formats.recorded.known_pairs import KnownPair
from judging.models import Candidate, Dataset, PairAnswer

MOST_NAMED_PROBLEMS = 100


@dataclass(frozen=True, slots=True)
class AnsweredPair:
    """A pair of candidates with its known answer. one stands before other in the dataset."""

    one: Candidate
    other: Candidate
    answer: PairAnswer
    explanation: str = ""

    @property
    def keys(self) -> tuple[int, int]:
        return self.one.pk, self.other.pk


def find_candidates(dataset: Dataset, pairs: Sequence[KnownPair]) -> list[AnsweredPair]:
    """Return the pairs with their candidates. Raises Refused with every unknown context and candidate."""
    contexts = {pair.context for pair in pairs}
    known = _candidates_by_key(dataset, contexts)
    problems = [problem for pair in pairs for problem in _problems(pair, known)]
    if problems:
        raise Refused(*problems[:MOST_NAMED_PROBLEMS], more=max(0, len(problems) - MOST_NAMED_PROBLEMS))
    return [_with_candidates(pair, known[pair.context]) for pair in pairs]


def _candidates_by_key(dataset: Dataset, contexts: set[str]) -> dict[str, dict[str, Candidate]]:
    by_context: dict[str, dict[str, Candidate]] = {}
    candidates = Candidate.objects.filter(context__dataset=dataset, context__key__in=contexts)
    for candidate in candidates.select_related("context").defer("text", "context__text"):
        by_context.setdefault(candidate.context.key, {})[candidate.key] = candidate
    return by_context


def _problems(pair: KnownPair, known: dict[str, dict[str, Candidate]]) -> list[str]:
    place = f"{pair.file}, line {pair.line}, " if pair.file else ""
    if pair.context not in known:
        return [f'{place}context: "{pair.context}" is not in the dataset']
    candidates = known[pair.context]
    return [
        f'{place}{side}: "{key}" is not a candidate of {pair.context}{did_you_mean(key, candidates)}'
        for side, key in (("first", pair.first), ("second", pair.second))
        if key not in candidates
    ]


def _with_candidates(pair: KnownPair, candidates: dict[str, Candidate]) -> AnsweredPair:
    first, second = candidates[pair.first], candidates[pair.second]
    is_in_order = first.position < second.position
    answers = {"first": PairAnswer.ONE, "second": PairAnswer.OTHER, "tie": PairAnswer.TIE}
    if not is_in_order:
        answers |= {"first": PairAnswer.OTHER, "second": PairAnswer.ONE}
    one, other = (first, second) if is_in_order else (second, first)
    return AnsweredPair(one, other, answers[pair.answer], pair.explanation)
