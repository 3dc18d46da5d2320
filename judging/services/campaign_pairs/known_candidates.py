"""Find the candidates of pairs that a file or a request names by their keys."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from evenhand.formats.recorded.known_pairs import KnownPair
from evenhand.refusals import Refused, did_you_mean
from judging.models import Attribute, Campaign, Candidate, Dataset, PairAnswer

MOST_NAMED_PROBLEMS = 100
PairKey = tuple[int, int, int]
"""Ids of the earlier candidate, the later one, and the attribute."""


@dataclass(frozen=True, slots=True)
class AnsweredPair:
    """A pair of candidates with its known answer; None for a pair to ask about. one stands before other."""

    one: Candidate
    other: Candidate
    answer: PairAnswer | None
    attribute: Attribute
    explanation: str = ""

    @property
    def keys(self) -> PairKey:
        return self.one.pk, self.other.pk, self.attribute.pk


def find_candidates(campaign: Campaign, pairs: Sequence[KnownPair]) -> list[AnsweredPair]:
    """Return the pairs with their candidates and attributes.

    Raises Refused with every unknown context, candidate and attribute.
    """
    contexts = {pair.context for pair in pairs}
    known = _candidates_by_key(campaign.dataset, contexts)
    attributes = {attribute.name: attribute for attribute in campaign.attributes_in_order()}
    if len(attributes) == 1:
        attributes[""] = next(iter(attributes.values()))
    problems = [
        problem for pair in pairs for problem in (*_problems(pair, known), *_attribute_problems(pair, attributes))
    ]
    if problems:
        raise Refused(*problems[:MOST_NAMED_PROBLEMS], more=max(0, len(problems) - MOST_NAMED_PROBLEMS))
    return [_with_candidates(pair, known[pair.context], attributes[pair.attribute]) for pair in pairs]


def _candidates_by_key(dataset: Dataset, contexts: set[str]) -> dict[str, dict[str, Candidate]]:
    by_context: dict[str, dict[str, Candidate]] = {}
    candidates = Candidate.objects.filter(context__dataset=dataset, context__key__in=contexts)
    for candidate in candidates.select_related("context").defer("text", "context__text"):
        by_context.setdefault(candidate.context.key, {})[candidate.key] = candidate
    return by_context


def _attribute_problems(pair: KnownPair, attributes: Collection[str]) -> list[str]:
    if pair.attribute in attributes:
        return []
    if not pair.attribute:
        return [f"{_place(pair)}attribute: is empty — the campaign has several; name one of {', '.join(attributes)}"]
    suggestion = did_you_mean(pair.attribute, attributes)
    return [f'{_place(pair)}attribute: "{pair.attribute}" is not an attribute of the campaign{suggestion}']


def _place(pair: KnownPair) -> str:
    return f"{pair.file}, line {pair.line}, " if pair.file else ""


def _problems(pair: KnownPair, known: dict[str, dict[str, Candidate]]) -> list[str]:
    place = _place(pair)
    if pair.context not in known:
        return [f'{place}context: "{pair.context}" is not in the dataset']
    candidates = known[pair.context]
    return [
        f'{place}{side}: "{key}" is not a candidate of {pair.context}{did_you_mean(key, candidates)}'
        for side, key in (("first", pair.first), ("second", pair.second))
        if key not in candidates
    ]


def _with_candidates(pair: KnownPair, candidates: dict[str, Candidate], attribute: Attribute) -> AnsweredPair:
    first, second = candidates[pair.first], candidates[pair.second]
    is_in_order = first.position < second.position
    answers = {"first": PairAnswer.ONE, "second": PairAnswer.OTHER, "tie": PairAnswer.TIE}
    if not is_in_order:
        answers |= {"first": PairAnswer.OTHER, "second": PairAnswer.ONE}
    one, other = (first, second) if is_in_order else (second, first)
    return AnsweredPair(one, other, answers.get(pair.answer), attribute, pair.explanation)
