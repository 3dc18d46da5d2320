"""The alternative annotator test of a report: can a judge replace people?"""

import numpy as np

from evenhand.numerics import Undefined
from evenhand.numerics.agreement.alternative_annotator import alternative_annotator_test
from evenhand.numerics.arrays import IntArray
from rankings.agreement.agreement_row import AlternativeAnnotatorRow, PersonTest
from rankings.agreement.raters import Panel

EPSILON = 0.2
FEWEST_PEOPLE, FEWEST_PAIRS = 3, 5  # required by the test
TOO_FEW = f"fewer than {FEWEST_PEOPLE} people share {FEWEST_PAIRS} pairs with the judge and another person"


def alternative_annotator(panel: Panel, judge: int) -> AlternativeAnnotatorRow:
    """Test one judge (a row of the panel) against people with enough common pairs."""
    rows = _taking_part(panel, judge)
    left_out = [panel.raters[row].name for row in panel.people if row not in rows]
    try:
        if len(rows) < FEWEST_PEOPLE:
            raise Undefined(TOO_FEW)
        test = alternative_annotator_test(panel.table.part(rows), panel.table.codes[judge], epsilon=EPSILON)
    except Undefined as undefined:
        return AlternativeAnnotatorRow(None, None, None, EPSILON, [], left_out, undefined.reason)
    return AlternativeAnnotatorRow(
        passed=test.passed,
        winning_rate=test.winning_rate,
        advantage=test.advantage,
        epsilon=EPSILON,
        people=[
            PersonTest(panel.raters[row].name, p_value, pairs)
            for row, p_value, pairs in zip(rows.tolist(), test.p_values.tolist(), test.units.tolist(), strict=True)
        ],
        left_out=left_out,
    )


def _taking_part(panel: Panel, judge: int) -> IntArray:
    """Return the people with enough pairs that the judge and another of these people answered too."""
    answered = panel.table.codes >= 0
    rows = panel.people
    while len(rows):
        people = answered[rows]
        shared = people & answered[judge] & (people.sum(axis=0) >= 2)
        enough = shared.sum(axis=1) >= FEWEST_PAIRS
        if enough.all():
            break
        rows = rows[enough]
    return np.asarray(rows)
