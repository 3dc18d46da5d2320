"""The answers of a jury: the comparisons that all of its members answered, combined by a rule."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from evenhand.numerics import Comparisons, Undefined, human_preferences
from evenhand.numerics.arrays import BoolArray, FloatArray
from evenhand.numerics.decisions import are_choices
from evenhand.numerics.juries.judge_weights import (
    JudgeWeights,
    cross_fitted_logits,
    judge_logits,
    learn_judge_weights,
    majority_decisions,
    mean_probabilities,
    weighted_product,
)
from evenhand.refusals import Refused
from judging.models import Run
from rankings.loading import People
from rankings.repeats.repeated_answers import RepeatedAnswers, common_answers

MOST_MEMBERS = 60
JURY_METHOD = "jury"


def require_members(runs: Sequence[Run], *, least: int = 2) -> None:
    """Raise Refused, with every reason, if the runs cannot be members of one jury. least: members that it needs."""
    if problems := [
        *_number_problems(runs, least),
        *(problem for run in runs for problem in _run_problems(run, runs[0])),
    ]:
        raise Refused(*problems)


def _number_problems(runs: Sequence[Run], least: int) -> list[str]:
    numbers = [run.pk for run in runs]
    if len(set(numbers)) < least:
        return ["run: a jury has at least two members; name two runs or more, or calibrate one with learned weights"]
    if len(numbers) > MOST_MEMBERS:
        return [f"run: {len(numbers)} members — a jury has at most {MOST_MEMBERS}"]
    repeated = sorted({number for number in numbers if numbers.count(number) > 1})
    return [f"run: {number} is named twice; a member counts once" for number in repeated]


def _run_problems(run: Run, first: Run) -> list[str]:
    problems = []
    if run.dataset_id != first.dataset_id:
        problems.append(f'run: {run.pk} is of the dataset "{run.dataset}", {first.pk} of "{first.dataset}"')
    elif run.attribute_id != first.attribute_id:
        problems.append(
            f'run: {run.pk} judged "{run.attribute}", {first.pk} "{first.attribute}"; name runs of one attribute'
        )
    if run.added_sentence:
        problems.append(f"run: {run.pk} has an added sentence; name the run without it")
    if run.asks_null_pairs:
        problems.append(f"run: {run.pk} compares texts with themselves; name a run that compares different ones")
    if run.is_scoring:
        problems.append(f"run: {run.pk} gives scores; members of a jury compare pairs")
    if run.is_active:
        problems.append(f"run: {run.pk} is not finished; wait for it, or cancel it")
    return problems


def require_probabilities(answers: Comparisons, run: Run) -> None:
    """Raise Refused if a judge that is to be calibrated gave choices alone."""
    if len(answers) and are_choices(answers.p_first):
        raise Refused(
            f"run: {run.pk} gave choices, and only probabilities can be calibrated; judge with a model that has "
            "them, or name two runs or more"
        )


def align_members(answers: Sequence[Comparisons], runs: Sequence[Run]) -> RepeatedAnswers:
    """Select the ordered pairs that every member answered, in the order of the dataset.

    answers: of each member. Raises Refused if there is no such pair.
    """
    try:
        return common_answers(answers)
    except Refused:
        raise Refused(_nothing_shared(answers, runs)) from None


def _nothing_shared(answers: Sequence[Comparisons], runs: Sequence[Run]) -> str:
    """Say which members share no pair with the first, or that only all together share none."""
    keys = [one.first * one.n_candidates + one.second for one in answers]
    apart = [run for run, own in zip(runs, keys, strict=True) if not len(np.intersect1d(keys[0], own))]
    if len(keys[0]) and apart:
        names = ", ".join(str(run.pk) for run in apart)
        return f"run: {names} answered no comparison that run {runs[0].pk} answered; leave out one side"
    if not len(keys[0]):
        return f"run: {runs[0].pk} has no answered comparison; leave it out"
    return "run: no comparison was answered by all of these runs; leave out those with the fewest answers"


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


_COMBINED: Mapping[str, Callable[[RepeatedAnswers, People], JuryAnswers]] = {
    "majority": lambda members, people: JuryAnswers(majority_decisions(members.p_first)),
    "mean": lambda members, people: JuryAnswers(mean_probabilities(members.p_first)),
    "product": _by_product,
    "weighted": _by_weights,
}
