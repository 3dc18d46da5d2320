"""How the pairs of a run are chosen."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from judging.services.plans.adaptive_pairs import BT_OPTIMAL, HOLD_OUT, ROUND_PER_CANDIDATE
from rankings.numerics.selection.pair_selection import SELECTIONS as DRAWN_AT_ONCE

LARGEST_NUMBER = 2**31 - 1  # what its column holds
SELECTIONS = (*DRAWN_AT_ONCE, BT_OPTIMAL)


@dataclass(frozen=True, slots=True)
class Choice:
    """How the pairs of each context are chosen.

    budget: comparisons per context; None for every pair. A context with fewer pairs gives all it has.
    context_limit: only the first so many contexts of the dataset; None for all.
    hold_out: of an adaptive choice, the share of the budget that is drawn at random; None for the usual one.
    """

    selection: str = "full"
    budget: int | None = None
    context_limit: int | None = None
    seed: int = 0
    hold_out: float | None = None

    @property
    def is_adaptive(self) -> bool:
        """Whether pairs are chosen by the answers so far."""
        return self.selection == BT_OPTIMAL

    @property
    def held_out_share(self) -> float:
        """The share that is drawn at random, of an adaptive choice; 0 of any other, which has no need of it."""
        if not self.is_adaptive:
            return 0.0
        return HOLD_OUT if self.hold_out is None else float(self.hold_out)

    def spec(self) -> dict[str, Any]:
        """What the pairs depend on, for the spec of a run."""
        told = {name: getattr(self, name) for name in ("selection", "budget", "context_limit", "seed")}
        if not self.is_adaptive:
            return told
        return told | {"adaptive": {"hold_out": self.held_out_share, "round_per_candidate": ROUND_PER_CANDIDATE}}


EVERY_PAIR = Choice()


def choice_problems(choice: Choice) -> list[str]:
    """What is wrong with a choice whatever the dataset."""
    problems = [*_selection_problems(choice), *_budget_problems(choice), *_hold_out_problems(choice)]
    if choice.context_limit is not None and choice.context_limit < 1:
        problems.append(f"contexts: {choice.context_limit} — give a whole number above 0")
    elif choice.context_limit is not None and choice.context_limit > LARGEST_NUMBER:
        problems.append(f"contexts: {choice.context_limit} — no dataset has so many; leave it out for all of them")
    if not 0 <= choice.seed < 2**63:
        problems.append(f"seed: {choice.seed} — give a whole number from 0 to {2**63 - 1}")
    return problems


def _selection_problems(choice: Choice) -> Iterator[str]:
    if choice.selection not in SELECTIONS:
        yield f'selection: "{choice.selection}" is unknown; choose one of: {", ".join(SELECTIONS)}'
    elif choice.selection == "full" and choice.budget is not None:
        yield (
            f"comparisons: {choice.budget} — selection full asks every ordered pair; leave the number out or choose "
            f"another selection: {', '.join(SELECTIONS[1:])}"
        )
    elif choice.selection != "full" and choice.budget is None:
        yield f"comparisons: missing — selection {choice.selection} needs a number per context"


def _budget_problems(choice: Choice) -> Iterator[str]:
    if choice.budget is None:
        return
    if choice.budget < 1:
        yield f"comparisons: {choice.budget} — give a whole number above 0"
    elif choice.selection == "symmetric" and choice.budget % 2:
        yield f"comparisons: {choice.budget} — symmetric asks both orders of each pair; give an even number"


def _hold_out_problems(choice: Choice) -> Iterator[str]:
    if choice.hold_out is None:
        return
    if not choice.is_adaptive:
        yield f"hold-out: {choice.hold_out:g} — only selection {BT_OPTIMAL} holds comparisons out; leave it out"
    elif not 0 <= choice.hold_out < 1:  # NaN is not, either
        yield f"hold-out: {choice.hold_out:g} — give a share of the comparisons, from 0 to less than 1"
