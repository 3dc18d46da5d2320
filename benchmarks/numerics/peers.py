"""Soft Bradley-Terry scores by other packages, from the same arrays."""

import importlib
import importlib.util
import os
from collections.abc import Callable

import numpy as np
import scipy.optimize
from scipy.special import expit

Fit = Callable[[np.ndarray, np.ndarray, np.ndarray, int], np.ndarray]
"""Takes first, second and p_first, all (n,), and the number of candidates. Returns scores of mean zero."""

MODULES = {
    "choix": "choix",
    "evalica": "evalica",
    "arena-rank": "arena_rank",
    "krippendorff": "krippendorff",
    "ppi-python": "ppi_py",
}
"""name of a package -> name of its module."""


def missing() -> list[str]:
    return [package for package in MODULES if not installed(package)]


def installed(package: str) -> bool:
    return importlib.util.find_spec(MODULES[package]) is not None


def fits(*packages: str) -> dict[str, Fit]:
    """Return the fits of scipy and of the named packages that are installed."""
    return {"scipy L-BFGS": scipy_fit} | dict(_FITS[package] for package in packages if installed(package))


def scipy_fit(first: np.ndarray, second: np.ndarray, p_first: np.ndarray, n: int) -> np.ndarray:
    """Fit to a gradient of 1e-8, or until the likelihood changes no more within double precision."""

    def loss(scores: np.ndarray) -> tuple[float, np.ndarray]:
        gap = scores[first] - scores[second]
        slope = p_first - expit(gap)
        gradient = np.bincount(second, slope, n) - np.bincount(first, slope, n)
        return float((np.logaddexp(0, gap) - p_first * gap).sum()), gradient

    options = {"maxiter": 5_000, "maxcor": 20, "gtol": 1e-8, "ftol": 1e-15}
    fit = scipy.optimize.minimize(loss, np.zeros(n), jac=True, method="L-BFGS-B", options=options)
    return fit.x - fit.x.mean()


def choix_fit(first: np.ndarray, second: np.ndarray, p_first: np.ndarray, n: int) -> np.ndarray:
    choix = importlib.import_module("choix")
    wins = np.bincount(first * n + second, p_first, n * n) + np.bincount(second * n + first, 1 - p_first, n * n)
    scores = choix.ilsr_pairwise_dense(wins.reshape(n, n), alpha=1e-6)
    return scores - scores.mean()


def evalica_fit(first: np.ndarray, second: np.ndarray, p_first: np.ndarray, n: int) -> np.ndarray:
    evalica = importlib.import_module("evalica")
    result = evalica.bradley_terry(
        [*first.tolist(), *first.tolist()],
        [*second.tolist(), *second.tolist()],
        [evalica.Winner.X] * len(first) + [evalica.Winner.Y] * len(first),
        weights=[*p_first.tolist(), *(1 - p_first).tolist()],
    )
    scores = np.log(result.scores.loc[list(range(n))].to_numpy())
    return scores - scores.mean()


def arena_rank_fit(first: np.ndarray, second: np.ndarray, p_first: np.ndarray, n: int) -> np.ndarray:
    """Fit arrays in the package's own format, so that its preparation of a table is not timed."""
    os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false")
    models = importlib.import_module("arena_rank.models.bradley_terry")
    arrays = importlib.import_module("jax.numpy")
    ones = arrays.ones(len(first))
    data = models.PairDataset(
        competitors=list(range(n)),
        pairs=arrays.column_stack([arrays.asarray(first), arrays.asarray(second)]),
        outcomes=arrays.asarray(p_first),
        counts=ones,
        weights=ones,
        opt_weights=ones,
    )
    scores = np.asarray(models.BradleyTerry(n).fit(data).params["ratings"])
    return scores - scores.mean()


_FITS: dict[str, tuple[str, Fit]] = {
    "choix": ("choix ilsr_pairwise_dense", choix_fit),
    "evalica": ("evalica bradley_terry", evalica_fit),
    "arena-rank": ("arena-rank BradleyTerry", arena_rank_fit),
}
