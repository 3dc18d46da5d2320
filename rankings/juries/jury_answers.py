"""The answers of a jury: its members' answers, combined by a rule."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from evenhand.numerics import Undefined, human_preferences
from evenhand.numerics.arrays import BoolArray, FloatArray
from evenhand.numerics.juries.bt_sigma import fit_bt_sigma
from evenhand.numerics.juries.judge_weights import JudgeWeights, cross_fitted_logits, learn_judge_weights
from evenhand.numerics.juries.pooled_answers import (
    judge_logits,
    majority_decisions,
    mean_probabilities,
    weighted_product,
)
from evenhand.refusals import Refused
from rankings.loading import People
from rankings.repeats.repeated_answers import RepeatedAnswers


@dataclass(frozen=True, slots=True)
class JuryRule:
    """A way to combine answers.

    title: for pages. description: in a few words. decides: gives choices, not p_first. least: members.
    """

    title: str
    description: str
    decides: bool = False
    least: int = 2


RULES: Mapping[str, JuryRule] = {
    "majority": JuryRule(
        "majority of decisions", "The candidate that more members prefer wins. Equal numbers are a tie.", decides=True
    ),
    "mean": JuryRule("mean probability", "The mean of the members’ probabilities."),
    "product": JuryRule("product of experts", "The mean of the members’ log-odds."),
    "weighted": JuryRule(
        "learned weights",
        "The members’ log-odds, with weights that people’s preferences on other contexts suggest (five folds). "
        "One member alone is calibrated.",
        least=1,
    ),
    "bt-sigma": JuryRule(
        "BT-sigma",
        "A Bradley-Terry model with a weight and a bias for each member, fitted to their answers alone. At least three "
        "members.",
    ),
}


@dataclass(frozen=True, slots=True, eq=False)
class JuryAnswers:
    """The answers of a jury on the members' common pairs.

    p_first: float, (n_pairs,). 1, 1/2 or 0 for a rule that decides.
    learned: weights learned from all contexts; None for rules without weights.
    by_fold: the weights used in each part of the contexts; empty unless they were learned from people.
    """

    p_first: FloatArray
    learned: JudgeWeights | None = None
    by_fold: Sequence[JudgeWeights] = ()


def combine_answers(
    rule: str, members: RepeatedAnswers, people: People, *, learn_on: BoolArray | None = None
) -> JuryAnswers:
    """Combine the members' answers by a rule of RULES.

    people: their preferences teach the weights.
    learn_on: bool, (n_contexts,). Contexts from which the rule `weighted` learns; None to learn on the others in turn.
    Raises Refused if there are too few to learn from.
    """
    if learn_on is not None:
        return _by_weights_of(members, people, learn_on)
    return _COMBINED[rule](members, people)


def _by_product(members: RepeatedAnswers, people: People) -> JuryAnswers:
    number = len(members.p_first)
    return JuryAnswers(weighted_product(judge_logits(members.p_first), np.full(number, 1 / number)))


def _by_weights(members: RepeatedAnswers, people: People) -> JuryAnswers:
    logits = judge_logits(members.p_first)
    preferences = human_preferences(members.pairs, people.human.scores, people.votes)
    try:
        fitted = cross_fitted_logits(members.pairs, logits, preferences)
        learned = learn_judge_weights(members.pairs, logits, preferences)
    except Undefined as undefined:
        instead = "choose majority, mean or product" if len(logits) > 1 else "ask people to vote on these pairs"
        raise Refused(f'by: "weighted" learns from people, but {undefined}; {instead}') from None
    return JuryAnswers(np.asarray(expit(fitted.logits)), learned, fitted.learned)


def _by_weights_of(members: RepeatedAnswers, people: People, chosen: BoolArray) -> JuryAnswers:
    """Combine the answers by weights that are learned on some contexts."""
    logits = judge_logits(members.p_first)
    preferences = human_preferences(members.pairs, people.human.scores, people.votes)
    try:
        learned = learn_judge_weights(members.pairs, logits, preferences, chosen)
    except Undefined as undefined:
        raise Refused(f"choose-on: {undefined}, on the development part; choose another rule") from None
    return JuryAnswers(np.asarray(expit(learned.weights @ (logits - learned.biases[:, None]))), learned)


def _by_agreement(members: RepeatedAnswers, people: People) -> JuryAnswers:
    try:
        fitted = fit_bt_sigma(members.pairs, judge_logits(members.p_first))
    except Undefined as undefined:
        raise Refused(
            f'by: "bt-sigma" learns from how members agree, but {undefined}; choose majority, mean or product'
        ) from None
    return JuryAnswers(np.asarray(expit(fitted.logits)), fitted.judges)


_COMBINED: Mapping[str, Callable[[RepeatedAnswers, People], JuryAnswers]] = {
    "majority": lambda members, people: JuryAnswers(majority_decisions(members.p_first)),
    "mean": lambda members, people: JuryAnswers(mean_probabilities(members.p_first)),
    "product": _by_product,
    "weighted": _by_weights,
    "bt-sigma": _by_agreement,
}
