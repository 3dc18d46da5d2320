"""Dense stacks of Laplacians of weighted graphs, and their pseudo-inverses."""

import numpy as np

from evenhand.numerics.arrays import FloatArray


def laplacians(weights: FloatArray) -> FloatArray:
    """Return the Laplacian of each graph, (n_problems, size, size). weights: of ordered pairs, of the same shape."""
    both = weights + weights.transpose(0, 2, 1)
    diagonal = np.arange(both.shape[1])
    laplacian = -both
    laplacian[:, diagonal, diagonal] = both.sum(axis=2) - both[:, diagonal, diagonal]
    return laplacian


def pseudo_inverses(matrices: FloatArray) -> FloatArray:
    """Return pseudo-inverses of Laplacians of connected graphs, (n_problems, size, size).

    Constant vectors have eigenvalue 0. They get the mean eigenvalue before the inversion and 0 again after it.
    """
    size = matrices.shape[1]
    flat = (np.trace(matrices, axis1=1, axis2=2) / size)[:, None, None]
    inverses: FloatArray = np.linalg.inv(matrices + flat / size).astype(np.float64, copy=False)
    return inverses - 1 / (flat * size)
