"""Measure how often 95 % intervals over contexts cover the truth, on made-up judges whose truth is known.

    python docs/findings/coverage_of_intervals.py

It writes coverage_of_intervals.json next to this file.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import expit

from evenhand.numerics import Comparisons, OrderedPairs
from evenhand.numerics.arrays import FloatArray, IntArray
from evenhand.numerics.correlation.coefficients import spearman_rows
from evenhand.numerics.intervals import (
    GUARD_OF_DIFFERENCES,
    Ends,
    Spread,
    coefficient_guard,
    macro_share,
)
from evenhand.numerics.juries.judge_weights import learn_judge_weights
from evenhand.numerics.reliability.judge_errors import DecidedPairs, judge_errors
from evenhand.numerics.reliability.prediction_powered import Labelled, Unlabelled, powered_mean
from evenhand.numerics.reliability.unjudged_systems import half_width, system_scores
from evenhand.numerics.significance.kinds import kind_accuracies
from evenhand.numerics.significance.margins import VERDICTS, verdict_by_margin
from evenhand.numerics.significance.separation import separate

CONTEXTS = (2, 3, 5, 8, 12, 20, 50, 100)
SIZES = (1, 5, 30)
"""Comparisons of one context."""
RATES = (0.5, 0.75, 0.97)
CANDIDATES = (2, 4, 8, 16)
SPREAD = 10.0
"""Contexts differ: the chance of a right answer follows a beta distribution with this sum of its parameters."""
MARGIN = 0.05
JUDGES, RESAMPLES, DIGITS = 2_000, 500, 3
MANY = 200_000


def finding(judges: int = JUDGES) -> dict[str, list[dict[str, Any]]]:
    """Return one row for each figure and design: the coverage of the rule, and of percentiles over drawn contexts.

    And one row for each design of a judge that replaces another: how often it gets each verdict.
    """
    kinds = (shares, differences, coefficients, macros, corrected_rates, weights)
    coverage = [row for kind in kinds for row in kind(judges)]
    return {
        "coverage": coverage,
        "separations": list(separations(judges // 4)),
        "kinds": list(kinds(judges)),
        "unjudged": list(unjudged(judges // 4)),
        "verdicts": list(verdicts(judges)),
    }


def shares(judges: int) -> Iterator[dict[str, Any]]:
    """Accuracies, with the rate that they have over all contexts."""
    for rate in RATES:
        for size in SIZES:
            for contexts in CONTEXTS:
                rng = np.random.default_rng([contexts, size, int(100 * rate)])
                right = rng.binomial(size, chances(rng, rate, (contexts, judges))).astype(np.float64)
                spread = Spread.of(right, np.full(right.shape, float(size)))
                row = {"figure": "share", "truth": rate, "size": size, "contexts": contexts}
                yield row | covered(spread.wilson(), drawn(right / size), rate)


def differences(judges: int) -> Iterator[dict[str, Any]]:
    """Differences of two judges on the same comparisons. The second is right where the first is, but for some."""
    for rate, other in ((0.75, 0.75), (0.97, 0.97), (0.9, 0.8)):
        for size in SIZES:
            for contexts in CONTEXTS:
                rng = np.random.default_rng([contexts, size, int(100 * rate), 1])
                one, two = (
                    rng.binomial(size, chances(rng, of, (contexts, judges))).astype(np.float64) for of in (rate, other)
                )
                spread = Spread.of(one - two, np.full(one.shape, float(size)), GUARD_OF_DIFFERENCES)
                row = {"figure": "difference", "truth": round(rate - other, 2), "size": size, "contexts": contexts}
                yield row | covered(spread.student(-1, 1), drawn((one - two) / size), rate - other)


def coefficients(judges: int) -> Iterator[dict[str, Any]]:
    """Mean Spearman correlations of candidates within contexts, for a weak judge and for a strong one."""
    for noise in (2.0, 0.3):
        for candidates in CANDIDATES:
            rng = np.random.default_rng([candidates, int(10 * noise)])
            truth = float(correlations(rng, noise, candidates, MANY).mean())
            for contexts in CONTEXTS:
                within = correlations(rng, noise, candidates, contexts * judges).reshape(contexts, judges)
                spread = Spread.of(within, np.ones(within.shape), coefficient_guard(candidates))
                row = {"figure": "spearman", "truth": round(truth, 2), "size": candidates, "contexts": contexts}
                yield row | covered(spread.student(-1, 1), drawn(within), truth)


def macros(judges: int) -> Iterator[dict[str, Any]]:
    """Means over two subsets of one half of the contexts each."""
    for rate in RATES:
        for contexts in (number for number in CONTEXTS if number >= 8):
            rng = np.random.default_rng([contexts, int(100 * rate), 2])
            member = (np.arange(contexts) % 2)[:, None] == np.arange(2)
            right = rng.binomial(5, chances(rng, rate, (judges, contexts))).astype(np.float64)
            figures = [macro_share(one[:, None] * member, 5.0 * member, if_empty="") for one in right]
            ends: list[Ends] = [(figure.low, figure.high) for figure in figures]
            row = {"figure": "macro", "truth": rate, "size": 5, "contexts": contexts}
            yield row | covered(ends, None, rate)


def corrected_rates(judges: int) -> Iterator[dict[str, Any]]:
    """Win rates by a judge, corrected for its errors. People voted on one context in ten, on one pair or five of each.

    truth: the win rate. skill: the judge's sensitivity plus its specificity, minus one. unusable: share of studies
    without a corrected rate. width_powered: of the prediction-powered interval, from the same answers.
    """
    for right, left, rate in ((0.8, 0.8, 0.5), (0.9, 0.7, 0.7), (0.6, 0.6, 0.5)):
        for size in SIZES[:2]:
            for voted in (number for number in CONTEXTS if number >= 5):
                rng = np.random.default_rng([voted, size, int(100 * right), 4])
                studies = [_study(rng, right, left, rate, voted, size) for _ in range(judges // 4)]
                found = [judge_errors(study).rogan_gladen for study in studies]
                row = {"figure": "corrected", "truth": rate, "skill": round(right + left - 1, 1), "size": size}
                row |= {"contexts": voted} | covered([(one.low, one.high) for one in found], None, rate)
                powered = round(float(np.mean([_width_powered(study) for study in studies])), DIGITS)
                unusable = round(float(np.mean([one.value is None for one in found])), DIGITS)
                yield row | {"width_powered": powered, "unusable": unusable}


def _study(rng: np.random.Generator, right: float, left: float, rate: float, voted: int, size: int) -> DecidedPairs:
    contexts = np.repeat(np.arange(10 * voted), size)
    wins, hits, misses = (chances(rng, one, (10 * voted, 1))[contexts, 0] for one in (rate, right, left))
    human = (rng.random(len(contexts)) < wins).astype(np.float64)
    judge = np.where(human == 1, rng.random(len(contexts)) < hits, rng.random(len(contexts)) >= misses) * 1.0
    return DecidedPairs(human, judge, contexts < voted, contexts)


def _width_powered(study: DecidedPairs) -> float:
    seen, others = study.voted, ~study.voted
    labelled = Labelled(study.human[seen], study.judge[seen], study.contexts[seen])
    mean = powered_mean(labelled, Unlabelled(study.judge[others], study.contexts[others]))
    return min(mean.high, 1.0) - max(mean.low, 0.0)


def separations(judges: int) -> Iterator[dict[str, Any]]:
    """Differences of all systems at once: of equal systems whose texts differ, with a lean, and of systems apart.

    Each ordered pair of a context is asked once; of 16 systems, 40 pairs drawn for each context.
    """
    for systems in (2, 6, 16):
        for kind, strengths, spread, lean in (
            ("equal", np.zeros(systems), 1.0, 0.3),
            ("apart", np.linspace(-1.5, 1.5, systems), 0.0, 0.0),
        ):
            for contexts in (number for number in CONTEXTS if number >= 12):
                rng = np.random.default_rng([contexts, systems, int(10 * spread), 4])
                truth, held, apart = strengths[:, None] - strengths, 0, 0.0
                for _ in range(judges):
                    found = separate(*compared_systems(rng, strengths, contexts, spread, lean))
                    held += bool(((found.low <= truth) & (truth <= found.high)).all())
                    apart += float(found.apart[np.triu_indices(systems, 1)].mean())
                shares_of = {"all covered": round(held / judges, DIGITS), "apart": round(apart / judges, DIGITS)}
                yield {"systems": systems, "kind": kind, "contexts": contexts} | shares_of


def compared_systems(
    rng: np.random.Generator, strengths: FloatArray, contexts: int, spread: float, lean: float
) -> tuple[Comparisons, IntArray]:
    """Draw a judge's comparisons of systems, and the context of each. spread: of the texts of one system."""
    pairs = np.argwhere(~np.eye(len(strengths), dtype=bool))
    asked = np.concatenate([rng.permutation(len(pairs))[:40] for _ in range(contexts)])
    first, second = pairs[asked].T
    rows = np.repeat(np.arange(contexts), min(len(pairs), 40))
    texts = strengths + spread * rng.normal(size=(contexts, len(strengths)))
    wins = rng.random(len(rows)) < expit(texts[rows, first] - texts[rows, second] + lean)
    return Comparisons(len(strengths), first, second, wins.astype(float)), rows


def weights(judges: int) -> Iterator[dict[str, Any]]:
    """Weights of one judge that is calibrated, whose log-odds have a standard deviation of 2. truth: the weight."""
    for truth in (0.3, 1.0, 2.0):
        for size in SIZES[:2]:
            for contexts in (number for number in CONTEXTS if number >= 3):
                rng, n = np.random.default_rng([contexts, size, int(10 * truth), 5]), contexts * size
                first, starts, ends = 2 * np.arange(n), 2 * size * np.arange(contexts), []
                for _ in range(judges // 4):
                    logits = rng.normal(0, 2, n)
                    pairs = Comparisons(2 * n, first, first + 1, expit(logits), starts)
                    people = (rng.random(n) < expit(truth * logits)).astype(np.float64)
                    found = learn_judge_weights(pairs, logits[None], people)
                    ends.append((float(found.low[0]), float(found.high[0])))
                yield {"figure": "weight", "truth": truth, "size": size, "contexts": contexts} | covered(
                    ends, None, truth
                )


def unjudged(judges: int) -> Iterator[dict[str, Any]]:
    """Win rates of a system that no person judged, by a judge with a liking of its own for each system.

    level: what the interval promises with this number of judged systems. People's win rate is over the same pairs.
    """
    for judged in (5, 10, 19, 40):
        for liking in (0.2, 1.0):
            rng, n, inside, widths = np.random.default_rng([judged, int(10 * liking), 7]), judged + 1, 0, []
            for _ in range(judges):
                strengths, likings = rng.normal(0, [[1.0], [liking]], (2, n))
                pairs, contexts = compared_systems(rng, strengths, 20, 1.0, 0.0)
                first, second, apart = pairs.first, pairs.second, 2 * (strengths + likings)
                p_first = expit(apart[first] - apart[second] + rng.normal(size=len(first)))
                texts, starts = n * contexts, n * np.arange(20)
                by_judge = Comparisons(20 * n, first + texts, second + texts, p_first, starts)
                seen = (first < judged) & (second < judged)
                known, sides = np.where(seen, pairs.p_first, np.nan), OrderedPairs(first, second)
                found = system_scores(by_judge, sides, known, known, n_systems=n)
                own = np.append(pairs.p_first[first == judged], 1 - pairs.p_first[second == judged])
                half = half_width(found.residuals)
                inside += bool(abs(own.mean() - found.judge[judged]) <= half.value)
                widths.append(2 * half.value)
            row = {"judged": judged, "liking": liking, "level": round(half.level, DIGITS)}
            yield row | {"covered": round(inside / judges, DIGITS), "width": round(float(np.mean(widths)), DIGITS)}


def kinds(judges: int) -> Iterator[dict[str, Any]]:
    """Accuracies on kinds of contexts: equal ones, and one kind whose rate is 20 points lower.

    covered: intervals of the difference of the first kind. found: studies in which Holm's test finds any kind.
    contexts: of each kind.
    """
    for several in (2, 5):
        for loss in (0.0, 0.2):
            for size in SIZES[:2]:
                for contexts in (5, 12, 20):
                    rng = np.random.default_rng([contexts, size, several, int(10 * loss), 6])
                    of_contexts = np.repeat(np.arange(several), contexts)
                    rates, sizes = np.where(of_contexts == 0, 0.8 - loss, 0.8), np.full(len(of_contexts), float(size))
                    drawn_rates = rng.beta(SPREAD * rates, SPREAD * (1 - rates), (judges // 5, len(rates)))
                    right = rng.binomial(size, drawn_rates).astype(np.float64)
                    studies = [kind_accuracies(one, sizes, of_contexts, several, if_empty="") for one in right]
                    ends: list[Ends] = [(one[0].difference.low, one[0].difference.high) for one in studies]
                    found = np.mean([any((row.p_value_holm or 0.0) < 0.05 for row in one) for one in studies])
                    row = {"kinds": several, "loss": loss, "size": size, "contexts": contexts}
                    yield row | covered(ends, None, -loss) | {"found": round(float(found), DIGITS)}


def verdicts(judges: int) -> Iterator[dict[str, Any]]:
    """Verdicts at a margin of 5 points on a judge that is worse by a loss. The old one is right in 80 % of cases.

    On half of the comparisons, the two are right or wrong by the same chance.
    """
    for loss in (MARGIN, 0.0, 2 * MARGIN):
        for size in SIZES:
            for contexts in CONTEXTS:
                rng = np.random.default_rng([contexts, size, int(100 * loss), 3])
                old = rng.beta(SPREAD * 0.8, SPREAD * 0.2, (contexts, judges))
                luck, own = rng.random((2, size, contexts, judges))
                shared = rng.random(luck.shape) < 0.5
                right = (np.where(shared, luck, own) < np.clip(old - loss, 0, 1)).sum(axis=0) - (luck < old).sum(axis=0)
                truth = float((np.clip(old - loss, 0, 1) - old).mean())
                spread = Spread.of(right.astype(float), np.full(right.shape, float(size)), GUARD_OF_DIFFERENCES)
                found = [verdict_by_margin(low, high, MARGIN) for low, high in spread.student(-1, 1)]
                shares_of = {verdict: round(found.count(verdict) / judges, DIGITS) for verdict in VERDICTS}
                yield {"loss": round(-truth, 3) + 0.0, "size": size, "contexts": contexts} | shares_of


def chances(rng: np.random.Generator, rate: float, shape: tuple[int, int]) -> FloatArray:
    """Draw the chance of a right answer in each context."""
    return np.asarray(rng.beta(SPREAD * rate, SPREAD * (1 - rate), shape))


def correlations(rng: np.random.Generator, noise: float, candidates: int, n: int) -> FloatArray:
    """Draw the correlation of each of n contexts. Scores of people have one digit, so some tie."""
    people = np.round(rng.normal(size=(n, candidates)), 1)
    people[(people == people[:, :1]).all(axis=1), 0] += 0.1  # a context without a difference would not count
    return np.asarray(spearman_rows(people + noise * rng.normal(size=people.shape), people))


def drawn(values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the percentile interval of each mean over contexts drawn with replacement. values: (contexts, judges)."""
    n = len(values)
    times = np.random.default_rng(0).multinomial(n, np.full(n, 1 / n), RESAMPLES) / n
    low, high = np.quantile(times @ values, [0.025, 0.975], axis=0)
    return low, high


def covered(ends: list[Ends], before: tuple[FloatArray, FloatArray] | None, truth: float) -> dict[str, Any]:
    """Return the share of intervals that contain the truth, and their mean width; None where there are none."""
    known = [(low, high) for low, high in ends if low is not None and high is not None]
    holds: Callable[[float, float], bool] = lambda low, high: low - 1e-9 <= truth <= high + 1e-9  # noqa: E731
    return {
        "covered": round(float(np.mean([holds(*one) for one in known])), DIGITS) if known else None,
        "width": round(float(np.mean([high - low for low, high in known])), DIGITS) if known else None,
        "covered_before": round(float(np.mean([holds(*one) for one in zip(*before, strict=True)])), DIGITS)
        if before
        else None,
    }


def main() -> None:
    path = Path(__file__).with_suffix(".json")
    parts = [f'"{name}": [\n' + ",\n".join(json.dumps(row) for row in rows) + "\n]" for name, rows in finding().items()]
    path.write_text("{\n" + ",\n".join(parts) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
