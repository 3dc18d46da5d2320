"""Laplacians of weighted graphs: dense stacks of them, and their pseudo-inverses."""

import numpy as np

from rankings.numerics.arrays import FloatArray


def laplacians(weights: FloatArray) -> FloatArray:
    """The graph Laplacian of each matrix of weights of ordered pairs, (n_problems, size, size)."""
    both = weights + weights.transpose(0, 2, 1)
    diagonal = np.arange(both.shape[1])
    laplacian = -both
    laplacian[:, diagonal, diagonal] = both.sum(axis=2) - both[:, diagonal, diagonal]
    return laplacian


def pseudo_inverses(matrices: FloatArray) -> FloatArray:
    """Pseudo-inverses of Laplacians of connected graphs, (n_problems, size, size).

    The flat direction gets the mean eigenvalue before inverting, and is taken out again after.
    """
    size = matrices.shape[1]
    flat = (np.trace(matrices, axis1=1, axis2=2) / size)[:, None, None]
    inverses: FloatArray = np.linalg.inv(matrices + flat / size).astype(np.float64, copy=False)
    return inverses - 1 / (flat * size)
