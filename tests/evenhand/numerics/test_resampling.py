import numpy as np
import pytest

from evenhand.numerics.resampling import resampled_counts, resamples


def test_resamples_draw_contexts_with_replacement():
    drawn = np.concatenate(list(resamples(7)))

    assert drawn.shape == (1000, 7)
    assert np.bincount(drawn.ravel()) / 7000 == pytest.approx(np.full(7, 1 / 7), abs=0.02)


@pytest.mark.parametrize("n_contexts", [3, 524, 525, 4001])
def test_counts_are_those_of_the_drawn_contexts(n_contexts):
    """524 contexts are the most whose counts are cached; of 4,001, the counts come in several chunks."""
    drawn = np.concatenate(list(resamples(n_contexts)))

    counted = np.concatenate([chunk.copy() for chunk in resampled_counts(n_contexts)])

    assert (counted == [np.bincount(row, minlength=n_contexts) for row in drawn]).all()
