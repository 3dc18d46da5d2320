import numpy as np

from evenhand.numerics.decisions import decide


def test_decide_gives_a_tie_only_at_the_threshold():
    p_first = np.array([0.49, 0.5, 0.51, 0.6])

    assert decide(p_first).tolist() == [0, 0.5, 1, 1]
    assert decide(p_first, 0.6).tolist() == [0, 0, 0, 0.5]
