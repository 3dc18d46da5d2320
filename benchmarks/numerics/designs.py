"""The greedy D-optimal choice of comparisons."""

import time

import numpy as np

from benchmarks.numerics.lines import Line, seconds
from evenhand.numerics.selection.d_optimal import design_sequence


def designs(n: int = 1_056, length: int = 5_280) -> list[Line]:
    started = time.process_time()
    design = design_sequence(n, length)
    ours = time.process_time() - started
    started = time.process_time()
    plain = rank_one_sequence(n, length)
    theirs = time.process_time() - started
    mine, its = log_determinant(design, n), log_determinant(plain, n)
    task = f"D-optimal design, N={n:,}, K={length:,}"
    note = f"log-determinant {mine:.4f} against {its:.4f}"
    matrix = np.eye(n) + 1.0
    inverses = seconds(lambda: np.linalg.inv(matrix)) * (length - n + 1)
    return [
        Line(task, ours, "a rank-one update a step", theirs, 10.0, abs(mine - its), mine, its, note),
        Line(task, ours, "an inverse a step", inverses, note="peer: three steps, the fastest multiplied"),
    ]


def rank_one_sequence(n: int, length: int) -> np.ndarray:
    """Return the pairs of the same search, by Sherman-Morrison updates of the whole inverse and all pairs' gains."""
    numbers = np.arange(1, n + 1, dtype=np.float64)
    inverse = np.minimum(numbers[:, None], numbers)
    open_pairs = np.triu(np.full((n, n), 2, dtype=np.int8), 1)
    pairs = [(at, at + 1) for at in range(n - 1)]
    for pair in pairs:
        open_pairs[pair] -= 1
    while len(pairs) < length:
        diagonal = np.diag(inverse)
        gains = diagonal[:, None] + diagonal - 2 * inverse
        gains[open_pairs == 0] = -1.0
        i, j = divmod(int(gains.argmax()), n)
        open_pairs[i, j] -= 1
        pairs.append((i, j))
        difference = inverse[i] - inverse[j]
        inverse -= np.outer(difference, difference / (1 + difference[i] - difference[j]))
    return np.array(pairs, dtype=np.intp)


def log_determinant(design: np.ndarray, n: int) -> float:
    """Return the log-determinant of the chosen pairs' Laplacian, anchored at the first candidate."""
    laplacian = np.zeros((n, n))
    np.add.at(laplacian, tuple(design.T), -1.0)
    laplacian += laplacian.T
    laplacian[np.arange(n), np.arange(n)] = -laplacian.sum(axis=1)
    laplacian[0, 0] += 1
    return float(np.linalg.slogdet(laplacian)[1])
