"""The rankings by name, as they are and with the position bias of the run taken out."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from rankings.numerics.comparisons import Comparisons
from rankings.numerics.debiasing import Debiasing, required
from rankings.numerics.exceptions import UnknownRanking
from rankings.numerics.rankings.average_probability import average_probability
from rankings.numerics.rankings.bradley_terry import bradley_terry
from rankings.numerics.rankings.likelihood import likelihood
from rankings.numerics.rankings.product_of_experts import poe_bradley_terry, poe_gaussian, poe_gaussian_hard
from rankings.numerics.rankings.win_ratio import win_ratio
from rankings.numerics.scores import Scores

METHODS: Mapping[str, Callable[[Comparisons], Scores]] = MappingProxyType(
    {
        "win-ratio": win_ratio,
        "average-probability": average_probability,
        "bradley-terry": bradley_terry,
        "poe-bt": poe_bradley_terry,
        "poe-gaussian": poe_gaussian,
        "poe-gaussian-hard": poe_gaussian_hard,
        "likelihood": likelihood,
    }
)

_DEBIASED: Mapping[str, Callable[[Comparisons, Debiasing], Scores]] = MappingProxyType(
    {
        "win-ratio": lambda c, d: win_ratio(c, threshold=required(d.threshold)),
        "average-probability": lambda c, d: average_probability(c.with_p_first(d.p_first(c.p_first))),
        "bradley-terry": lambda c, d: bradley_terry(c, threshold=required(d.threshold)),
        "poe-bt": lambda c, d: poe_bradley_terry(c, gamma=required(d.gamma)),
        "poe-gaussian": lambda c, d: poe_gaussian(c, beta=required(d.beta)),
        "poe-gaussian-hard": lambda c, d: poe_gaussian_hard(c, beta=required(d.beta_hard)),
        "likelihood": lambda c, d: likelihood(c.with_p_first(d.p_first(c.p_first))),
    }
)


def score(ranking: str, comparisons: Comparisons, debiasing: Debiasing | None = None) -> Scores:
    """One score per candidate by the named ranking, each context on its own.

    debiasing: of the whole run, also where `comparisons` are a part of it; left out, answers are taken as they are.

    Raises UnknownRanking, and Undefined where the debiased ranking does not exist for this run.
    """
    if ranking not in METHODS:
        raise UnknownRanking(f'no ranking is called "{ranking}"; there are {", ".join(METHODS)}')
    if debiasing is None:
        return METHODS[ranking](comparisons)
    return _DEBIASED[ranking](comparisons, debiasing)
