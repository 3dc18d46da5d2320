import numpy as np

from rankings.numerics.hashes import row_hashes


def test_equal_rows_have_equal_hashes_and_different_rows_do_not():
    rows = np.array([[1.0, 2.0], [2.0, 1.0], [1.0, 2.0], [1.0, 0.0], [1.0, -0.0], [0.5, 0.5]])

    hashes = row_hashes(rows).tolist()

    assert hashes[0] == hashes[2]
    assert hashes[3] == hashes[4]
    assert len(set(hashes)) == 4
