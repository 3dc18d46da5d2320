"""How much judges doubt each pair, from the answers of runs."""

from collections import defaultdict
from collections.abc import Sequence
from statistics import fmean

import numpy as np

from evenhand.numerics.selection.judge_doubt import doubt_of_pairs
from judging.models import Comparison, Outcome, Run
from judging.models.comparisons import P_FIRST_OF_CHOICE

ANSWERS_PER_FETCH = 20_000
KeyPair = tuple[int, int]


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
