import numpy as np
import pytest

from evenhand.numerics.fitting.laplacian_elimination import eliminate, resistances, solve


def dense_laplacian(size, weights):
    low, high = np.triu_indices(size, 1)
    matrix = np.zeros((size, size))
    matrix[low, high] = matrix[high, low] = -weights
    return matrix - np.diag(matrix.sum(axis=1))


@pytest.mark.parametrize("size", [2, 3, 7])
def test_solve_is_the_pseudo_inverse_of_the_laplacian(size):
    rng = np.random.default_rng(0)
    weights = rng.random((size * (size - 1) // 2, 4))
    right = rng.normal(size=(size, 4))
    right -= right.mean(axis=0)

    found = solve(eliminate(weights.copy()), right.copy())

    expected = [np.linalg.pinv(dense_laplacian(size, weights[:, at])) @ right[:, at] for at in range(4)]
    assert found == pytest.approx(np.stack(expected, axis=1))


@pytest.mark.parametrize("size", [2, 3, 7])
def test_resistances_are_those_of_the_pseudo_inverse_of_the_laplacian(size):
    rng = np.random.default_rng(1)
    low, high = np.triu_indices(size, 1)
    weights = np.where(rng.random((len(low), 4)) < 0.5, 0.0, rng.random((len(low), 4)))
    weights[high == low + 1] += 1e-3

    found = resistances(eliminate(weights))

    for at in range(4):
        inverse = np.linalg.pinv(dense_laplacian(size, weights[:, at]))
        expected = inverse[low, low] + inverse[high, high] - 2 * inverse[low, high]
        assert found[:, at] == pytest.approx(expected, rel=1e-9)


def test_solve_keeps_a_bridge_of_little_weight():
    """Two tight pairs, one edge of weight 1e-15 between them: a dense solver has no digit left."""
    weights = np.array([1, 0, 0, 1e-15, 0, 1])[:, None]

    found = solve(eliminate(weights), np.array([1e-15, 0, 0, -1e-15])[:, None])

    assert found[:, 0] == pytest.approx([0.5, 0.5, -0.5, -0.5], rel=1e-12)


def test_eliminate_leaves_out_candidates_without_a_weight():
    unconnected = np.array([1.0, 0.0, 0.0])[:, None]

    found = solve(eliminate(unconnected), np.array([1.0, -1.0, 0.0])[:, None])

    assert found[0] - found[1] == 1
