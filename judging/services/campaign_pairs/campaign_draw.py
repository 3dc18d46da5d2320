"""The pairs or texts of a campaign, drawn by its rule or by the doubt of judges, at first and while it runs."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest
from math import inf
from statistics import fmean
from typing import Any

import numpy as np
from django.db.models import Max

from evenhand.numerics.selection.judge_doubt import doubt_of_pairs
from evenhand.refusals import Refused, raise_if_any
from judging.models import Attribute, Campaign, CampaignPair, Comparison, Outcome, Run, TrainingPair
from judging.models.comparisons import P_FIRST_OF_CHOICE
from judging.services.campaign_pairs.asked_pairs import (
    AskedPair,
    in_asked_order,
    on_all_attributes,
    store_pairs,
    texts_on_all_attributes,
)
from judging.services.campaign_pairs.campaign_selection import ADAPTIVE, GIVEN, CampaignSelection, choice_problems
from judging.services.campaign_pairs.pair_drawing import draw_pairs, plan_pairs

ANSWERS_PER_FETCH = 20_000
KeyPair = tuple[int, int]
_Texts = tuple[int, int | None]
SIZES = ("pairs_per_context", "contexts", "pair_limit")
"""Settings of a choice of pairs that may grow. None: all."""
LISTED = "pair_limit: the pairs of this campaign were listed one by one — list more of them"
NOT_LISTED = "pairs: a rule chose the pairs of this campaign — give larger numbers of pairs or contexts"
KNOWN = "pairs: the campaign has all of them — list others"
NO_MORE = "pairs: there are no others of these sizes — allow more contexts, or more pairs of each"
HAS_RANDOM_PAIRS = "contexts: the random pairs are a sample of the present contexts — start another campaign for more"


def draw_texts(contexts: Sequence[Sequence[int]], *, choice: CampaignSelection, seed: int) -> list[int]:
    """Draw candidates of each context, in the order in which they are asked.

    The result takes one candidate from each context in random order, then a second from each, and so on. A campaign
    that ends early has then covered all contexts.
    """
    rng = np.random.default_rng(seed)
    drawn = [rng.permutation(candidates).tolist()[: choice.pairs_per_context] for candidates in contexts]
    shuffled = [drawn[index] for index in rng.permutation(len(drawn))]
    rounds = [text for round_ in zip_longest(*shuffled) for text in round_ if text is not None]
    return rounds[: choice.pair_limit]


def count_texts(contexts: Sequence[Sequence[int]], choice: CampaignSelection) -> int:
    """Return the number of texts that a campaign asks about."""
    per_context = choice.pairs_per_context
    total = sum(len(texts) if per_context is None else min(len(texts), per_context) for texts in contexts)
    return total if choice.pair_limit is None else min(total, choice.pair_limit)


def load_doubts(runs: Sequence[Run]) -> dict[KeyPair, float]:
    """Return candidate pair, smaller key first -> doubt in [0, 1], for each pair that one of the runs answered.

    1 stands for an even probability: judges that are unsure, or that contradict each other or themselves.
    Runs on several attributes: the mean doubt over the attributes on which the pair was answered.
    """
    on_each: dict[KeyPair, list[float]] = defaultdict(list)
    for attribute in {run.attribute_id for run in runs}:
        doubts = _doubts_on_attribute([run for run in runs if run.attribute_id == attribute])
        for pair, doubt in doubts.items():
            on_each[pair].append(doubt)
    return {pair: fmean(doubts) for pair, doubts in on_each.items()}


def _doubts_on_attribute(runs: Sequence[Run]) -> dict[KeyPair, float]:
    rows = Comparison.objects.filter(run__in=runs, outcome=Outcome.ANSWERED).order_by("pk")
    columns = rows.values_list("run", "first", "second", "p_first", "choice")
    answers = [
        (run, first, second, P_FIRST_OF_CHOICE[choice] if p_first is None else p_first)
        for run, first, second, p_first, choice in columns.iterator(ANSWERS_PER_FETCH)
    ]
    if not answers:
        return {}
    run_of, first_of, second_of, p_first_of = (np.array(column) for column in zip(*answers, strict=True))
    doubts = doubt_of_pairs(run_of, first_of, second_of, p_first_of)
    pairs = zip(doubts.lower.tolist(), doubts.higher.tolist(), strict=True)
    return dict(zip(pairs, doubts.values.tolist(), strict=True))


def draw_asked_pairs(campaign: Campaign, choice: CampaignSelection, attributes: Sequence[Attribute]) -> list[AskedPair]:
    """Draw the pairs, or the texts of a campaign of ratings. Raises Refused if there are none."""
    by_context = candidates_of(campaign, choice)
    if campaign.is_of_ratings:
        texts = draw_texts(list(by_context.values()), choice=choice, seed=campaign.seed)
        return texts_on_all_attributes(texts, attributes)
    if not any(len(candidates) > 1 for candidates in by_context.values()):
        raise Refused(
            f'dataset "{campaign.dataset.name}": no context has two candidates, so there is no pair to vote on'
        )
    doubts = load_doubts(choice.runs)
    pairs = draw_pairs(list(by_context.values()), choice=choice, seed=campaign.seed, doubts=doubts)
    if not pairs:
        raise Refused("runs: they have no answers on pairs of these contexts — choose runs that are done")
    return on_all_attributes(pairs, attributes)


def candidates_of(campaign: Campaign, choice: CampaignSelection) -> Mapping[int, tuple[int, ...]]:
    return campaign.dataset.candidates_by_context(limit=choice.contexts)


def planned_pairs(campaign: Campaign, choice: CampaignSelection, attributes: Sequence[Attribute]) -> int | None:
    """Return the pairs of a campaign that chooses them during voting, on all attributes; None for others."""
    if choice.rule != ADAPTIVE:
        return None
    return plan_pairs(list(candidates_of(campaign, choice).values()), choice) * len(attributes)


def add_pairs(campaign: Campaign, sizes: Mapping[str, int | None]) -> int:
    """Add pairs by the rule of a campaign until it has these sizes, and return their number. Stored ones stay.

    None of the new ones is a random pair, so that these stay a sample of all pairs.
    sizes: of SIZES; those that are missing stay. Raises Refused for a smaller size, and where pairs cannot be added.
    """
    before, attributes = campaign.pair_choice, campaign.attributes_in_order()
    if all(before.get(name) == size for name, size in sizes.items()):
        return 0
    runs = list(Run.objects.filter(pk__in=before.get("runs", ())))
    choice = CampaignSelection(**before | dict(sizes) | {"runs": tuple(runs)})
    raise_if_any([*_growth_problems(before, sizes), *choice_problems(choice, attributes)])
    pairs, planned = list(_new_pairs(campaign, choice, attributes)), planned_pairs(campaign, choice, attributes)
    if not pairs and planned == campaign.pairs_planned:
        raise Refused(NO_MORE)
    campaign.pair_choice = choice.settings()
    campaign.pairs_planned = planned
    campaign.save(update_fields=["pair_choice", "pairs_planned"])
    _append(campaign, pairs)
    return len(pairs)


def add_listed_pairs(campaign: Campaign, pairs: Sequence[AskedPair]) -> None:
    """Add pairs to a campaign of listed ones, without those that it asks about or has as gold and training pairs.

    Raises Refused for a campaign whose pairs a rule chose, and if no pair is new.
    """
    if campaign.pair_choice["rule"] != GIVEN:
        raise Refused(NOT_LISTED)
    known = {pair.keys for pair in campaign.pairs.all()}
    trained = _texts_of(campaign.training_pairs.all())
    new = [one for one in pairs if (one.one, one.other, one.attribute) not in known]
    new = [one for one in new if (one.one, one.other) not in trained]
    if not new:
        raise Refused(KNOWN)
    _append(campaign, in_asked_order(new, campaign.attributes_in_order()))


def _append(campaign: Campaign, pairs: Sequence[AskedPair]) -> None:
    last = campaign.pairs.aggregate(last=Max("position"))["last"]
    store_pairs(campaign, pairs, start=last + 1)


def _growth_problems(before: Mapping[str, Any], sizes: Mapping[str, int | None]) -> Iterator[str]:
    if before["rule"] == GIVEN:
        yield LISTED
    if before["random_share"] and sizes.get("contexts", before["contexts"]) != before["contexts"]:
        yield HAS_RANDOM_PAIRS
    for name, size in sizes.items():
        now = before[name]
        if size is not None and (now is None or size < now):
            yield f"{name}: {size:,} — pairs can only be added; there are {'all' if now is None else f'{now:,}'} now"


def _new_pairs(campaign: Campaign, choice: CampaignSelection, attributes: Sequence[Attribute]) -> Iterator[AskedPair]:
    """Yield drawn pairs that the campaign lacks, up to its sizes. With adaptive, those of new contexts alone."""
    context_of = {one: context for context, own in candidates_of(campaign, choice).items() for one in own}
    drawn: dict[_Texts, list[AskedPair]] = {}
    for pair in draw_asked_pairs(campaign, replace(choice, random_share=0.0), attributes):
        drawn.setdefault((pair.one, pair.other), []).append(pair)
    asked, known = _texts_of(campaign.pairs.asked()), _texts_of([*campaign.pairs.all(), *campaign.training_pairs.all()])
    before = Counter(context_of[one] for one, _ in asked)
    after, total = before.copy(), len(asked)
    most = inf if choice.pairs_per_context is None else choice.pairs_per_context
    for texts, on_attributes in drawn.items():
        context = context_of[texts[0]]
        is_full = before[context] > 0 if choice.rule == ADAPTIVE else after[context] >= most
        if texts in known or is_full or (choice.pair_limit is not None and total >= choice.pair_limit):
            continue
        after[context] += 1
        total += 1
        yield from on_attributes


def _texts_of(pairs: Iterable[CampaignPair | TrainingPair]) -> set[_Texts]:
    return {(pair.one_id, pair.other_id) for pair in pairs}
