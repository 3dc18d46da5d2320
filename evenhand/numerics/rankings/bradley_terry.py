"""Bradley-Terry scores from hard decisions [Bradley1952]."""

from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.decisions import decide
from evenhand.numerics.fitting.logistic_scores import logistic_scores
from evenhand.numerics.scores import Scores


def bradley_terry(comparisons: Comparisons, *, threshold: float = 0.5) -> Scores:
    """Maximum-likelihood log-abilities in nats, mean zero within each context, with standard errors.

    A tie is half a win each way. Every ordered pair of the N compared candidates of a context has 1 / (N - 1) wins
    added, so that a candidate that always wins has a finite score [Liusie2024b]. `threshold` is where a decision turns.
    """
    decided = comparisons.with_p_first(decide(comparisons.p_first, threshold))
    return logistic_scores(decided, pseudo_wins=True)
