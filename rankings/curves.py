"""Ranking curves, as pages, commands and the HTTP API all show them: of a judge, and of people beside it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from judging.exceptions import Refused
from judging.models import Run
from rankings.numerics import (
    DRAWN,
    MEASURES,
    METHODS,
    Comparisons,
    CurvePoint,
    Debiasing,
    Line,
    PeopleCurves,
    Truth,
    curves,
    people_curves,
    worth_in_votes,
)
from rankings.numerics.arrays import BoolArray
from rankings.reports import Sources
from rankings.rows import figure
from rankings.states import kept, states_of

MOST_DRAWS = 1_000
HUMAN_SCORES, HELD_OUT_VOTES, VOTES = "human scores", "held-out votes", "human scores, else votes"
JUDGE, PEOPLE = "judge", "people"

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class CurveChoice:
    """What curves to draw.

    rankings: left out, all. selections: left out, `random`. debias: with the position bias of the run taken out; both:
    raw and debiased. people: also curves of people's votes, and what the judge's comparisons are worth in them.
    measure: of MEASURES.
    """

    rankings: tuple[str, ...] = ()
    selections: tuple[str, ...] = ()
    debias: bool = False
    both: bool = False
    people: bool = False
    measure: str = "spearman"
    draws: int = 50
    seed: int = 0

    @property
    def drawn_rankings(self) -> tuple[str, ...]:
        """Each once, in the order given."""
        return tuple(dict.fromkeys(self.rankings)) or tuple(METHODS)

    @property
    def drawn_selections(self) -> tuple[str, ...]:
        """Each once, in the order given."""
        return tuple(dict.fromkeys(self.selections)) or ("random",)

    @property
    def biases(self) -> tuple[bool, ...]:
        """Whether the lines are debiased."""
        return (False, True) if self.both else (self.debias,)


def curve_report(run: Run, choice: CurveChoice) -> Row:
    """`points`: how agreement with people grows with the comparisons of each context, one per curve and budget.

    A curve that does not exist is one point, which says why. With people, also `people`: what their curves rest on, and
    `worth`: how many votes each point of the judge is worth. Raises Refused for what no curve can be drawn of.
    """
    _require_drawable(run, choice)
    what = ("curve", states_of([run])[run.pk], repr(choice))
    return kept(what, lambda: _with_people(run, choice) if choice.people else _of_judge(run, choice))


def _of_judge(run: Run, choice: CurveChoice) -> Row:
    sources = Sources(run.dataset)
    people = sources.people(run.attribute)
    has_votes = choice.measure == "accuracy" and len(people.votes) > 0
    truth = Truth(people.human.scores[None], [people.votes] if has_votes else ())
    comparisons = sources.answers(run).comparisons
    against = VOTES if has_votes else HUMAN_SCORES
    return {"points": list(_judge_points(comparisons, Debiasing.of_run(comparisons), truth, choice, against))}


def _with_people(run: Run, choice: CurveChoice) -> Row:
    """All curves over the contexts that have both answers of the judge and enough votes, so that they compare."""
    sources = Sources(run.dataset)
    people, comparisons = sources.people(run.attribute), sources.answers(run).comparisons
    votes = people.votes.of_contexts(_contexts_of(comparisons))
    lines = [Line(ranking) for ranking in choice.drawn_rankings]
    found = people_curves(
        lines, votes, people.human.scores, measure=choice.measure, draws=choice.draws, seed=choice.seed
    )
    against = HELD_OUT_VOTES if found.held_out else HUMAN_SCORES
    mine, debiasing = comparisons.of_contexts(found.contexts), Debiasing.of_run(comparisons)
    points = list(_judge_points(mine, debiasing, found.truth, choice, against, missing=found.undefined))
    counted = {"contexts": int(found.contexts.sum()), "votes": len(votes.of_contexts(found.contexts))}
    return {
        "points": points + list(_people_points(found, choice, against)),
        "people": counted | {"against": against},
        "worth": list(_worth(points, found, choice)),
    }


def _contexts_of(comparisons: Comparisons) -> BoolArray:
    """Whether each context has a comparison, (n_contexts,)."""
    return np.bincount(comparisons.contexts, minlength=comparisons.n_contexts) > 0


def _judge_points(
    comparisons: Comparisons,
    debiasing: Debiasing,
    truth: Truth,
    choice: CurveChoice,
    against: str,
    *,
    missing: str | None = None,
) -> Iterator[Row]:
    """missing: why there are no curves."""
    named = [(ranking, debiased) for debiased in choice.biases for ranking in choice.drawn_rankings]
    lines = [Line(ranking, debiasing if debiased else None) for ranking, debiased in named]
    options: dict[str, Any] = {"measure": choice.measure, "draws": choice.draws, "seed": choice.seed}
    for selection in choice.drawn_selections:
        drawn = (
            [[CurvePoint.missing(missing)] for _ in lines]
            if missing
            else curves(lines, comparisons, truth, selection=selection, **options)
        )
        for (ranking, debiased), points in zip(named, drawn, strict=True):
            for point in points:
                name = {"ranking": ranking, "selection": selection, "debiased": debiased}
                yield name | _point(point) | {"source": JUDGE, "measure": choice.measure, "against": against}


def _people_points(people: PeopleCurves, choice: CurveChoice, against: str) -> Iterator[Row]:
    for ranking, points in zip(choice.drawn_rankings, people.points, strict=True):
        for point in points:
            name = {"ranking": ranking, "selection": "random", "debiased": False}
            yield name | _point(point) | {"source": PEOPLE, "measure": choice.measure, "against": against}


def _worth(points: Sequence[Row], people: PeopleCurves, choice: CurveChoice) -> Iterator[Row]:
    """What each point of the judge is worth in votes that are ranked in the same way."""
    of_ranking = dict(zip(choice.drawn_rankings, people.points, strict=True))
    for row in points:
        point = CurvePoint(row["comparisons"], row["mean"], row["low"], row["high"], row["draws"], row.get("undefined"))
        name = {field: row[field] for field in ("ranking", "selection", "debiased", "comparisons", "mean")}
        yield name | {"votes": figure(worth_in_votes(point, of_ranking[row["ranking"]]))}


def _point(point: CurvePoint) -> Row:
    told = asdict(point)
    return told if point.undefined is not None else {field: told[field] for field in told if field != "undefined"}


def _require_drawable(run: Run, choice: CurveChoice) -> None:
    problems = [
        f'{field}: no curve is drawn of "{name}"; there are: {", ".join(known)}'
        for field, names, known in (
            ("ranking", choice.rankings, METHODS),
            ("selection", choice.selections, DRAWN),
            ("measure", (choice.measure,), MEASURES),
        )
        for name in names
        if name not in known
    ]
    if not 1 <= choice.draws <= MOST_DRAWS:
        problems.append(f"draws: {choice.draws} — expected 1 to {MOST_DRAWS}")
    if choice.seed < 0:
        problems.append(f"seed: {choice.seed} — expected 0 or more")
    if run.is_scoring:
        problems.append(f"run {run.pk} scores candidates one by one; a curve needs comparisons")
    if problems:
        raise Refused(*problems)
