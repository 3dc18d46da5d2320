"""The settings by which a run chooses its pairs, and their problems."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from evenhand.numerics.selection.adaptive_selection import BT_OPTIMAL
from evenhand.numerics.selection.pair_selection import ALL_PAIRS, ANCHOR
from evenhand.numerics.selection.pair_selection import SELECTIONS as DRAWN_BEFOREHAND
from evenhand.numerics.selection.pairs_sort import PAIRS_SORT
from evenhand.numerics.selection.until_sure import DEFAULT_BOUND, UNTIL_SURE
from evenhand.refusals import unknown_choice
from judging.models import NOTHING_LEFT_OUT, Exclusion, Run
from judging.models.runs import NULL_PAIRS
from judging.services.plans.adaptive_pairs import HOLD_OUT, ROUND_PER_CANDIDATE

LARGEST_NUMBER = 2**31 - 1  # the database column holds no larger number
SELECTION_RULES = (*DRAWN_BEFOREHAND, BT_OPTIMAL, UNTIL_SURE, PAIRS_SORT, ANCHOR, NULL_PAIRS)
SELECTION_TITLES = {
    "full": "every pair, in both orders",
    "symmetric": "random pairs, each in both orders",
    "no-repeat": "random pairs, each in one order only",
    "d-optimal": "pairs that make the scores most precise, chosen before the first answer",
    "as-given": "every pair once, in the order of the dataset",
    "random": "random pairs",
    "bt-optimal": "pairs that make the scores most precise, chosen in rounds by the answers so far",
    "until-sure": "pairs chosen in rounds, until asking the rest would hardly change the ranking",
    "anchor": "each text with one system, in both orders",
    "pairs": "what the merge sort of PairS needs, chosen by the answers so far",
    "null-pairs": "each text with itself, to see a lean where nothing differs; in no report",
}
WITHOUT_NUMBER = (*ALL_PAIRS, PAIRS_SORT, ANCHOR, NULL_PAIRS)
"""Rules that take no number of comparisons."""
NEEDS_NO_NUMBER = (*WITHOUT_NUMBER, UNTIL_SURE)
"""Rules that work without a number of comparisons."""
_ASKED = {
    "full": "every ordered pair",
    "as-given": "every pair once",
    PAIRS_SORT: "what its sort needs",
    ANCHOR: "each text with the anchor",
    NULL_PAIRS: "each text with itself",
}


@dataclass(frozen=True, slots=True)
class SelectionSettings:
    """How the pairs of each context are chosen.

    rule: one of SELECTION_RULES.
    comparisons: number per context; None for every pair. A context with fewer pairs gives all it has.
    contexts: only the first contexts of the dataset, this many; None for all.
    hold_out: for an adaptive rule, the share of random pairs kept for evaluation; None for the default.
    bound: for `until-sure`, the expected share of reordered pairs at which a context is done; None for the default.
    anchor: for `anchor`, the system that every candidate is compared with; empty for other rules.
    exclusion: systems and contexts left out. The pairs of the other contexts do not depend on left-out contexts.
    """

    rule: str = "full"
    comparisons: int | None = None
    contexts: int | None = None
    seed: int = 0
    hold_out: float | None = None
    exclusion: Exclusion = NOTHING_LEFT_OUT
    bound: float | None = None
    anchor: str = ""

    @property
    def is_adaptive(self) -> bool:
        """True if the answers so far choose the next pairs."""
        return self.rule in (BT_OPTIMAL, UNTIL_SURE, PAIRS_SORT)

    @property
    def held_out_share(self) -> float:
        """Share of random pairs kept for evaluation; 0 for a rule that is not adaptive."""
        if self.rule != BT_OPTIMAL:
            return 0.0
        return HOLD_OUT if self.hold_out is None else float(self.hold_out)

    @property
    def sure_bound(self) -> float:
        """Return the bound of `until-sure`."""
        return DEFAULT_BOUND if self.bound is None else float(self.bound)

    def spec(self) -> dict[str, Any]:
        """Return the part of a run's spec that determines its pairs."""
        settings = {
            "selection": self.rule,
            "comparisons": self.comparisons,
            "contexts": self.contexts,
            "seed": self.seed,
            **self.exclusion.spec(),
        }
        if self.rule == ANCHOR:
            return settings | {"anchor": self.anchor}
        if not self.is_adaptive:
            return settings
        if self.rule == PAIRS_SORT:
            return settings | {"adaptive": {"hold_out": 0.0}}
        if self.rule == UNTIL_SURE:
            return settings | {"adaptive": {"hold_out": 0.0, "bound": self.sure_bound}}
        return settings | {"adaptive": {"hold_out": self.held_out_share, "round_per_candidate": ROUND_PER_CANDIDATE}}


EVERY_PAIR = SelectionSettings()


def selection_of(run: Run) -> SelectionSettings:
    """Return the settings by which a stored run chose its pairs."""
    return SelectionSettings(
        rule=run.selection,
        comparisons=run.comparisons_per_context,
        contexts=run.contexts,
        seed=run.seed,
        hold_out=run.hold_out if run.selection == BT_OPTIMAL else None,
        exclusion=run.exclusion,
        bound=run.spec["adaptive"]["bound"] if run.selection == UNTIL_SURE else None,
        anchor=run.anchor,
    )


def selection_problems(selection: SelectionSettings) -> list[str]:
    """Return the problems of these settings that do not depend on the dataset."""
    problems = [*_rule_problems(selection), *_budget_problems(selection), *_hold_out_problems(selection)]
    problems += [*_bound_problems(selection), *_anchor_problems(selection)]
    if selection.contexts is not None and selection.contexts < 1:
        problems.append(f"contexts: {selection.contexts} — give a whole number above 0")
    elif selection.contexts is not None and selection.contexts > LARGEST_NUMBER:
        problems.append(f"contexts: {selection.contexts} — no dataset is that large; leave it out for all contexts")
    if not 0 <= selection.seed < 2**63:
        problems.append(f"seed: {selection.seed} — give a whole number from 0 to {2**63 - 1}")
    return problems


def scoring_problems(selection: SelectionSettings) -> list[str]:
    """Return the problems of these settings for a scoring run, which has no pairs."""
    if selection.rule == "full":
        return []
    return [
        f"selection: {selection.rule} — this method scores every candidate alone, so there are no pairs to choose; "
        "leave it out"
    ]


def _rule_problems(selection: SelectionSettings) -> Iterator[str]:
    if selection.rule not in SELECTION_RULES:
        yield unknown_choice("selection", selection.rule, SELECTION_RULES)
    elif selection.rule in WITHOUT_NUMBER and selection.comparisons is not None:
        budgeted = [rule for rule in SELECTION_RULES if rule not in WITHOUT_NUMBER]
        yield (
            f"comparisons: {selection.comparisons} — selection {selection.rule} asks {_ASKED[selection.rule]}; leave "
            f"the number out or choose another selection: {', '.join(budgeted)}"
        )
    elif selection.rule not in NEEDS_NO_NUMBER and selection.comparisons is None:
        yield f"comparisons: missing — selection {selection.rule} needs a number per context"


def _budget_problems(selection: SelectionSettings) -> Iterator[str]:
    if selection.comparisons is None:
        return
    if selection.comparisons < 1:
        yield f"comparisons: {selection.comparisons} — give a whole number above 0"
    elif selection.rule == "symmetric" and selection.comparisons % 2:
        yield f"comparisons: {selection.comparisons} — symmetric asks both orders of each pair; give an even number"


def _hold_out_problems(selection: SelectionSettings) -> Iterator[str]:
    if selection.hold_out is None:
        return
    if selection.rule != BT_OPTIMAL:
        yield f"hold-out: {selection.hold_out:g} — only selection {BT_OPTIMAL} holds comparisons out; leave it out"
    elif not 0 <= selection.hold_out < 1:  # also catches NaN
        yield f"hold-out: {selection.hold_out:g} — give a share of the comparisons, from 0 to less than 1"


def _bound_problems(selection: SelectionSettings) -> Iterator[str]:
    if selection.bound is None:
        return
    if selection.rule != UNTIL_SURE:
        yield f"bound: {selection.bound:g} — only selection {UNTIL_SURE} stops at a bound; leave it out"
    elif not 0 < selection.bound < 0.5:  # also catches NaN
        yield f"bound: {selection.bound:g} — give a share of reordered pairs above 0 and below 0.5"


def _anchor_problems(selection: SelectionSettings) -> Iterator[str]:
    if selection.rule == ANCHOR and not selection.anchor:
        yield f"anchor: missing — selection {ANCHOR} compares every text with one system; name it"
    elif selection.rule != ANCHOR and selection.anchor:
        yield f'anchor: "{selection.anchor}" — only selection {ANCHOR} has one; leave it out'
