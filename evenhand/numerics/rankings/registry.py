"""The registry of rankings. To add one, write its function in a file of its own and add a record here."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from scipy.special import logit

from evenhand.numerics.arrays import FloatArray
from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.debiasing import Debiasing, required
from evenhand.numerics.decisions import decide
from evenhand.numerics.exceptions import UnknownRanking
from evenhand.numerics.rankings.bradley_terry import bradley_terry
from evenhand.numerics.rankings.likelihood import decision_weights, hard_likelihood, likelihood
from evenhand.numerics.rankings.mean_wins import average_probability, win_ratio
from evenhand.numerics.rankings.product_of_experts import clipped, poe_bradley_terry, poe_gaussian, poe_gaussian_hard
from evenhand.numerics.rankings.scores_at_budgets import PartialScores
from evenhand.numerics.scores import Scores
from evenhand.refusals import unknown_choice

_POSITION = "the score is a position"
_NO_MODEL = "a mean has no model of the answers"
_IN_NATS = "in nats, mean zero within a context: one that is 1 higher is preferred with odds of 2.7 to 1"
_IN_PROBABILITY = (
    "in units of probability, mean zero within a context: one that is 0.1 higher is expected to be preferred with a "
    "probability of 0.6"
)


@dataclass(frozen=True, slots=True)
class Ranking:
    """One way to turn comparisons into scores.

    name: in commands, files and the HTTP API. title: on pages. column: in tables for a paper; empty: not a column.
    formula: the definition, as docs/reference/report.md gives it. source: keys of rankings/citations/references.bib.
    unit: a sentence for pages that says what a score means.
    takes: the kind of answer that it uses.
    score, debiased: return raw and debiased scores.
    curve: prepares scores at rising budgets; None: the ranking has no curve.
    needs_connection: True if it gives no scores where the comparisons of a context do not connect its candidates.
    no_standard_error: reason why it has no standard errors; empty: it has them.
    with_chosen_pairs: its behaviour if a run chose pairs by earlier answers. A ranking that ignores the strength of
    opponents is distorted.
    clips: True if its scores of hard decisions depend on where probabilities are clipped.
    in_usual_curves, in_reliability, in_comparisons: True if it is a default of curves, diagnostics, or run comparisons.
    """

    name: str
    title: str
    formula: str
    source: str
    unit: str
    takes: Literal["probabilities", "decisions"]
    score: Callable[[Comparisons], Scores]
    debiased: Callable[[Comparisons, Debiasing], Scores]
    curve: Callable[[FloatArray, Debiasing | None], PartialScores] | None = None
    column: str = ""
    needs_connection: bool = False
    no_standard_error: str = ""
    with_chosen_pairs: Literal["distorted", "sound", "unknown"] = "unknown"
    clips: bool = False
    in_usual_curves: bool = False
    in_reliability: bool = False
    in_comparisons: bool = False

    @property
    def breaks_ties(self) -> bool:
        """True if the order of the dataset decides between candidates with the same answers."""
        return self.no_standard_error == _POSITION


def _threshold(debiasing: Debiasing | None) -> float:
    return 0.5 if debiasing is None else required(debiasing.threshold)


def _soft(p_first: FloatArray, debiasing: Debiasing | None) -> FloatArray:
    return p_first if debiasing is None else debiasing.p_first(p_first)


_RECORDS = (
    Ranking(
        name="win-ratio",
        title="win ratio",
        column="win ratio",
        formula="share of comparisons won, a tie half",
        source="Liusie2024",
        unit="Share of its comparisons that a candidate won, a tie counting one half: 0 to 1.",
        takes="decisions",
        score=win_ratio,
        debiased=lambda c, d: win_ratio(c, threshold=required(d.threshold)),
        curve=lambda p, d: PartialScores(decide(p, _threshold(d)), "mean"),
        no_standard_error=_NO_MODEL,
        with_chosen_pairs="distorted",
        in_usual_curves=True,
        in_comparisons=True,
    ),
    Ranking(
        name="average-probability",
        title="average probability",
        column="avg. prob.",
        formula="mean probability of being better",
        source="Liusie2024b",
        unit="Mean probability of being better, over a candidate’s comparisons: 0 to 1.",
        takes="probabilities",
        score=average_probability,
        debiased=lambda c, d: average_probability(c.with_p_first(d.p_first(c.p_first))),
        curve=lambda p, d: PartialScores(_soft(p, d), "mean"),
        no_standard_error=_NO_MODEL,
        with_chosen_pairs="distorted",
        in_usual_curves=True,
        in_reliability=True,
        in_comparisons=True,
    ),
    Ranking(
        name="bradley-terry",
        title="Bradley-Terry",
        formula=(
            "Bradley-Terry abilities from decisions, a tie half a win each way, with 1/(N − 1) pseudo-wins on every "
            "ordered pair"
        ),
        source="Liusie2024b, Bradley1952",
        unit=f"From decisions, {_IN_NATS}.",
        takes="decisions",
        score=bradley_terry,
        debiased=lambda c, d: bradley_terry(c, threshold=required(d.threshold)),
        curve=lambda p, d: PartialScores(decide(p, _threshold(d)), "logistic", pseudo_wins=True),
        needs_connection=True,
        with_chosen_pairs="sound",
        in_usual_curves=True,
        in_comparisons=True,
        in_reliability=True,
    ),
    Ranking(
        name="poe-bt",
        title="PoE, Bradley-Terry",
        column="PoE-BT",
        formula=(
            "product of experts with the soft Bradley-Terry expert: maximum likelihood on probabilities, clipped to "
            "[1e-6, 1 − 1e-6]"
        ),
        source="Liusie2024b",
        unit=f"From probabilities, {_IN_NATS}.",
        takes="probabilities",
        score=poe_bradley_terry,
        debiased=lambda c, d: poe_bradley_terry(c, gamma=required(d.gamma)),
        curve=lambda p, d: PartialScores(clipped(p), "logistic", 0.0 if d is None else required(d.gamma)),
        needs_connection=True,
        with_chosen_pairs="sound",
        clips=True,
        in_usual_curves=True,
        in_reliability=True,
    ),
    Ranking(
        name="poe-gaussian",
        title="PoE, Gaussian",
        formula="product of Gaussian experts, mean p − β, constant variance",
        source="Liusie2024b",
        unit=f"From probabilities, {_IN_PROBABILITY}.",
        takes="probabilities",
        score=poe_gaussian,
        debiased=lambda c, d: poe_gaussian(c, beta=required(d.beta)),
        curve=lambda p, d: PartialScores(p, "gaussian", 0.5 if d is None else required(d.beta)),
        needs_connection=True,
        with_chosen_pairs="sound",
        in_usual_curves=True,
        in_reliability=True,
    ),
    Ranking(
        name="poe-gaussian-hard",
        title="PoE, Gaussian, hard decisions",
        formula="product of Gaussian experts on decisions",
        source="Liusie2024b",
        unit=f"From decisions, {_IN_PROBABILITY}.",
        takes="decisions",
        score=poe_gaussian_hard,
        debiased=lambda c, d: poe_gaussian_hard(c, beta=required(d.beta_hard)),
        curve=lambda p, d: PartialScores(decide(p), "gaussian", 0.5 if d is None else required(d.beta_hard)),
        needs_connection=True,
        no_standard_error="decisions do not have the constant variance of the model",
        with_chosen_pairs="sound",
    ),
    Ranking(
        name="likelihood",
        title="likelihood",
        formula="the order with the highest likelihood, exact up to 16 candidates; the score is minus the position",
        source="Liusie2024, appendix B",
        unit=(
            "Minus the place in the order that makes the answers likeliest: −1 is best. Candidates that the "
            "answers leave free have their mean place."
        ),
        takes="probabilities",
        score=likelihood,
        debiased=lambda c, d: likelihood(c.with_p_first(d.p_first(c.p_first))),
        curve=lambda p, d: PartialScores(logit(clipped(_soft(p, d))), "order"),
        no_standard_error=_POSITION,
    ),
    Ranking(
        name="likelihood-hard",
        title="likelihood, hard decisions",
        formula=(
            "the order with the highest likelihood of the decisions, a tie half each way, exact up to 16 candidates; "
            "the score is minus the position"
        ),
        source="Liusie2024, equation 13",
        unit=(
            "Minus the place in the order that makes the decisions likeliest: −1 is best. Candidates that the "
            "decisions leave free have their mean place."
        ),
        takes="decisions",
        score=hard_likelihood,
        debiased=lambda c, d: hard_likelihood(c, shares=d.first_shares),
        curve=lambda p, d: PartialScores(decision_weights(p, None if d is None else d.first_shares), "order"),
        no_standard_error=_POSITION,
    ),
)
RANKINGS: Mapping[str, Ranking] = MappingProxyType({ranking.name: ranking for ranking in _RECORDS})
"""name -> its record, in the order of reports."""

DEFAULT_RANKING = "bradley-terry"
"""The ranking that pages show first."""

RANKING_TITLES: Mapping[str, str] = MappingProxyType(
    {DEFAULT_RANKING: RANKINGS[DEFAULT_RANKING].title} | {name: ranking.title for name, ranking in RANKINGS.items()}
)
"""name -> title on pages, the default ranking first."""


def ranking_named(name: str) -> Ranking:
    """Return the record of a ranking. Raises UnknownRanking."""
    if name not in RANKINGS:
        raise UnknownRanking(unknown_choice("ranking", str(name), RANKINGS))
    return RANKINGS[name]


def rankings_with_chosen_pairs(behaviour: Literal["distorted", "sound", "unknown"]) -> tuple[Ranking, ...]:
    """Return the rankings with this behaviour for runs that chose pairs by earlier answers."""
    return tuple(ranking for ranking in RANKINGS.values() if ranking.with_chosen_pairs == behaviour)


def score(ranking: str, comparisons: Comparisons, debiasing: Debiasing | None = None) -> Scores:
    """Score candidates by the named ranking, each context separately.

    debiasing: of the whole run, even if `comparisons` are a part of it. Default: raw scores.
    A ranking that takes probabilities leaves out bounded comparisons.

    Raises UnknownRanking, and Undefined if the debiased ranking does not exist for this run.
    """
    record = ranking_named(ranking)
    if record.takes == "probabilities":
        comparisons = comparisons.known()
    return record.score(comparisons) if debiasing is None else record.debiased(comparisons, debiasing)


def scorer_at_budgets(ranking: str, p_first: FloatArray, debiasing: Debiasing | None = None) -> PartialScores:
    """Prepare a ranking to score orders of asking at rising budgets, for ranking curves.

    p_first: float, (n,). The answers of all comparisons. debiasing: as in `score`.

    Raises UnknownRanking, also for rankings without curves, and Undefined as `score` does.
    """
    record = ranking_named(ranking)
    if record.curve is None:
        raise UnknownRanking(f'the ranking "{ranking}" has no curve')
    return record.curve(p_first, debiasing)


CURVE_RANKINGS = tuple(name for name, ranking in RANKINGS.items() if ranking.curve is not None)
"""The rankings that have curves."""
