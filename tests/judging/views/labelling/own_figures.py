"""Figures of votes in plain Python and by the package krippendorff, from a downloaded file of votes."""

from __future__ import annotations

import csv
import io
from collections import Counter, defaultdict
from itertools import combinations
from math import sqrt
from statistics import fmean, median, variance

import krippendorff
from scipy.stats import t

Row = dict[str, str]
DECIDED = ("first", "second", "tie")
BOTH, EXCLUDED = ("true", "false"), ("true",)


def read_votes(text: str) -> list[Row]:
    return list(csv.DictReader(io.StringIO(text)))


def preferred(row: Row) -> str:
    """The key of the better candidate, or "tie"."""
    return row.get(row["choice"], "tie")


def figures_of_people(rows: list[Row]) -> dict[str, dict[str, float | None]]:
    """Return rater -> name of a figure -> its value; None where no vote gives one."""
    counted = {row["rater"] for row in rows if row["excluded"] == "false"}
    kept = [row for row in rows if row["excluded"] == "false" or row["rater"] not in counted]
    ordinary = [row for row in kept if row["purpose"] == "ordinary" and row["choice"] in DECIDED]
    return {
        rater: _of_person([row for row in kept if row["rater"] == rater], ordinary, counted)
        for rater in dict.fromkeys(row["rater"] for row in kept)
    }


def alpha(ordinary: list[Row], raters: set[str]) -> float | None:
    """Nominal alpha with each pair counted in both orders, so that no order of candidates counts.

    The package takes both orders for twice as many votes, so its correction for few votes is exchanged.
    """
    votes = [row for row in ordinary if row["rater"] in raters]
    pairs = sorted({row["context"] for row in votes})
    given = {(row["rater"], row["context"]): preferred(row) for row in votes}
    codes, swapped = {"a": 0, "b": 1, "tie": 2, None: float("nan")}, {"a": 1, "b": 0, "tie": 2, None: float("nan")}
    data = [[code[given.get((rater, pair))] for code in (codes, swapped) for pair in pairs] for rater in sorted(raters)]
    of_both = float(krippendorff.alpha(reliability_data=data, level_of_measurement="nominal"))
    voters = Counter(row["context"] for row in votes)
    n = sum(number for number in voters.values() if number > 1)
    return 1 - (1 - of_both) * (2 * n - 2) / (2 * n - 1)


def _of_person(own: list[Row], ordinary: list[Row], counted: set[str]) -> dict[str, float | None]:
    rater = own[0]["rater"]
    mine = [row for row in ordinary if row["rater"] == rater]
    others = [row for row in ordinary if row["rater"] in counted - {rater}]
    sided = [row["choice"] == "first" for row in mine if row["choice"] != "tie"]
    first_votes = {row["context"]: preferred(row) for row in reversed(mine)}
    repeats = [row for row in own if row["purpose"] == "repeat" and row["context"] in first_votes]
    seconds = [float(row["seconds"]) for row in mine if row["seconds"]]
    credits = _credits(sorted(mine, key=lambda row: row["voted_at"]), others)
    shares = {
        "left_share": sided,
        "agreement": credits,
        "self_consistency": [preferred(row) == first_votes[row["context"]] for row in repeats],
        "gold_accuracy": [row["choice"] == row["gold_answer"] for row in own if row["purpose"] == "gold"],
        "quick_share": [time < 2 for time in seconds],
    }
    return {
        "votes": len(mine),
        "undecided": sum(row["choice"] not in DECIDED and row["purpose"] == "ordinary" for row in own),
        **{name: _mean(values) for name, values in shares.items()},
        **{f"{name} {end}": one for name, values in shares.items() for end, one in _wilson(values).items()},
        "infit": _infit(mine, others),
        "median_seconds": median(seconds) if seconds else None,
        "drift": _drift(credits),
        "alpha_without": alpha(ordinary, counted - {rater}),
        "closest_agreement": _closest(mine, others),
    }


def _wilson(values: list[float]) -> dict[str, float | None]:
    """Wilson's interval with Student's quantile, for as many answers as vary like these. Each is of another context."""
    n = len(values)
    if n < 3:
        return {"low": None, "high": None}
    share, squared = fmean(values), float(t.ppf(0.975, n - 1)) ** 2
    spread = variance(map(float, values)) / n
    answers = min(share * (1 - share) / spread, n) if spread else n
    centre, half = (
        share + squared / (2 * answers),
        sqrt(squared * (share * (1 - share) + squared / (4 * answers)) / answers),
    )
    low, high = ((centre + sign * half) / (1 + squared / answers) for sign in (-1, 1))
    return {"low": max(low, 0.0), "high": min(high, 1.0)}


def _infit(mine: list[Row], others: list[Row]) -> float | None:
    """Squared surprises of a person over those that the others' scores lead to expect.

    A context has one pair, so its Bradley-Terry scores follow from its wins, a tie half of one for each, and the win of
    each candidate that is added to keep scores finite.
    """
    wins = defaultdict(Counter)
    for row in others:
        wins[row["context"]].update({preferred(row): 1} if preferred(row) in ("a", "b") else {"a": 0.5, "b": 0.5})
    surprise = expected = 0.0
    for row in mine:
        if counts := wins.get(row["context"]):
            chance = (counts["a"] + 1) / (counts.total() + 2)
            surprise += ({"a": 1.0, "b": 0.0}.get(preferred(row), 0.5) - chance) ** 2
            expected += chance * (1 - chance)
    return surprise / expected if expected else None


def _credits(mine: list[Row], others: list[Row]) -> list[float]:
    """1 for the candidate of more than half the votes of others, 1/2 for a tie, else 0; only where it exists."""
    by_pair = defaultdict(Counter)
    for row in others:
        by_pair[row["context"]][preferred(row)] += 1
    credits = []
    for row in mine:
        counts = by_pair[row["context"]]
        if best := [key for key in "ab" if 2 * counts[key] > counts.total()]:
            credits.append(0.5 if row["choice"] == "tie" else float(preferred(row) == best[0]))
    return credits


def _drift(credits: list[float]) -> float | None:
    """Mean of the later half less that of the earlier half, which has the middle one."""
    middle = (len(credits) + 1) // 2
    return fmean(credits[middle:]) - fmean(credits[:middle]) if len(credits) - middle >= 2 else None


def _closest(mine: list[Row], others: list[Row]) -> float | None:
    """The largest share of equal outcomes with another person, of those with at least 20 common pairs, if any."""
    own = {row["context"]: preferred(row) for row in mine}
    same = defaultdict(list)
    for row in others:
        if row["context"] in own:
            same[row["rater"]].append(preferred(row) == own[row["context"]])
    fewest = min(20, max(map(len, same.values()), default=0))
    return max((fmean(one) for one in same.values() if len(one) >= fewest), default=None)


def work_of_people(rows: list[Row]) -> dict[str, dict[str, float | None]]:
    """Return rater -> their answers of each kind and their times, as the progress of the campaign counts them."""
    return {rater: _work_of([row for row in rows if row["rater"] == rater]) for rater in {row["rater"] for row in rows}}


def _work_of(own: list[Row]) -> dict[str, float | None]:
    counting = [row for row in own if row["excluded"] == "false"]
    ordinary = [row for row in counting if row["purpose"] == "ordinary"]
    seconds = [float(row["seconds"]) for row in ordinary if row["seconds"]]
    return {
        "votes": len(ordinary),
        "checks": len(counting) - len(ordinary),
        "quick": sum(time < 2 for time in seconds),
        "median_seconds": median(seconds) if seconds else None,
    }


def pay_of_people(rows: list[Row]) -> dict[str, dict[str, float]]:
    """Return rater -> what the list of whom to pay says of their votes."""
    seconds = defaultdict(float)
    for row in rows:
        seconds[row["rater"]] += float(row["seconds"] or 0)
    votes, excluded = (Counter(row["rater"] for row in rows if row["excluded"] in kinds) for kinds in (BOTH, EXCLUDED))
    return {
        rater: {"votes": votes[rater], "excluded": excluded[rater], "minutes": time / 60}
        for rater, time in seconds.items()
    }


def _mean(values: list[bool] | list[float]) -> float | None:
    return fmean(values) if values else None


def figures_of_campaign(rows: list[Row], *, votes_per_pair: int) -> dict[str, float]:
    """Return the progress and the agreement of a campaign, from the votes in figures on its ordinary pairs."""
    by_pair = defaultdict(list)
    for row in rows:
        if row["purpose"] == "ordinary" and row["excluded"] == "false":
            by_pair[row["context"]].append(row)
    decided = [[preferred(row) for row in own if row["choice"] in DECIDED] for own in by_pair.values()]
    compared = [one == other for own in decided for one, other in combinations(own, 2)]
    return {
        "done": sum(map(len, by_pair.values())),
        "complete": sum(len(own) >= votes_per_pair for own in by_pair.values()),
        "cannot_judge": sum(row["choice"] == "cannot-judge" for own in by_pair.values() for row in own),
        "agreeing": sum(compared),
        "compared": len(compared),
        "percent": 100 * fmean(compared),
        "disputed": sum(len(set(own)) > 1 for own in decided),
    }
