"""What a judge decided on a pair: the same for a row at hand and for rows that are looked for."""

from __future__ import annotations

from django.db.models import Q

from judging.models import Choice, Comparison, Outcome

P_OF_CHOICE = {Choice.FIRST.value: 1.0, Choice.SECOND.value: 0.0, Choice.TIE.value: 0.5}
"""What a choice without a probability counts as."""

_DECIDED = {
    Choice.FIRST: Q(p_first__gt=0.5) | Q(p_first=None, choice=Choice.FIRST),
    Choice.SECOND: Q(p_first__lt=0.5) | Q(p_first=None, choice=Choice.SECOND),
    Choice.TIE: Q(p_first=0.5) | Q(p_first=None, choice=Choice.TIE),
}


def decision(comparison: Comparison) -> str:
    """`first`, `second` or `tie`, by the probability where there is one; empty where there is no answer."""
    if comparison.outcome != Outcome.ANSWERED:
        return ""
    if comparison.p_first is None:
        return comparison.choice
    return "tie" if comparison.p_first == 0.5 else "first" if comparison.p_first > 0.5 else "second"


def decided(choice: Choice) -> Q:
    """Comparisons of which `decision` says so."""
    return Q(outcome=Outcome.ANSWERED) & _DECIDED[choice]
