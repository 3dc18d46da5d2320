import numpy as np

from rankings.numerics.fitting.workspace import Workspace


def test_workspace_gives_the_memory_of_a_name_again():
    workspace = Workspace()

    large, other = workspace.empty("one", (4, 5), np.float64), workspace.empty("other", (4, 5), np.float64)
    small = workspace.empty("one", (3, 2), np.float32)

    assert (small.shape, small.dtype) == ((3, 2), np.float32)
    assert np.shares_memory(small, large)
    assert not np.shares_memory(small, other)


def test_workspace_grows_where_more_is_asked_for():
    workspace = Workspace()
    workspace.empty("one", (2,), np.int32)

    assert workspace.empty("one", (7, 3), np.int32).shape == (7, 3)
