"""`Judgments`: the figures of a table of comparisons, for notebooks, equal to those of the program."""

import os
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from evenhand.formats import CheckedRow, ComparisonRecord, SourceFile, read_comparisons
from evenhand.judgment_columns import JudgmentColumns, Key, NumberedJudgments, human_by_candidate
from evenhand.numerics import (
    CURVE_SELECTIONS,
    Comparisons,
    CurveLine,
    Debiasing,
    Figure,
    HumanJudgments,
    HumanScores,
    Scores,
    Undefined,
    accuracy,
    first_share,
    human_preferences,
    order_agreement,
    ranking_curves,
    score,
)
from evenhand.numerics.correlation.coefficients import LEVELS, Level
from evenhand.numerics.correlation.measured_rankings import MeasuredRankings
from evenhand.numerics.exceptions import InvalidComparisons, NotConnected, UnknownSelection, value_or_why
from evenhand.numerics.fitting.batches import connected_contexts, connected_groups
from evenhand.numerics.ranked_scores import ranked_scores
from evenhand.numerics.rankings.custom_experts import LogDensity, score_by_expert, shift_of_expert
from evenhand.numerics.rankings.registry import RANKINGS, ranking_named
from evenhand.refusals import did_you_mean, unknown_choice

_COLUMNS = ("context", "first", "second", "p_first", "choice")
_OF_RUN = ("attribute", "judge", "method", "prompt")
"""Fields of a record that differ between runs."""


@dataclass(frozen=True, slots=True)
class CandidateScore:
    """The score of one candidate. rank: 1 is the best of its context. undefined: field -> why it is None."""

    context: Hashable
    candidate: Hashable
    score: float | None
    standard_error: float | None
    rank: float | None
    undefined: Mapping[str, str]


@dataclass(frozen=True)
class BudgetFigure(Figure):
    """Agreement with people after some comparisons of each context, mean and middle 95 % of n draws."""

    comparisons: float = 0


class Judgments:
    """Answers of one judge on pairs of candidates, as shown to it.

    context, first, second: names, equally many. p_first: probability in [0, 1] that `first` is better; None where the
    answer is unparsed. choice: first, second or tie; it counts where p_first is None or left out.

    Where `human` names all candidates, in any method, its order is the order of the dataset. The order matters for
    draws and for ties only. Figures that do not exist have the value None, and `undefined` says why.

    Raises InvalidComparisons for columns that break these rules.
    """

    def __init__(
        self,
        context: Iterable[Hashable],
        first: Iterable[Hashable],
        second: Iterable[Hashable],
        p_first: Iterable[float | None] | None = None,
        choice: Iterable[str | None] | None = None,
    ) -> None:
        self._columns = JudgmentColumns.checked(
            context=context, first=first, second=second, p_first=p_first, choice=choice
        )

    @classmethod
    def from_frame(cls, frame: Any, **run: str) -> "Judgments":  # noqa: ANN401 - of pandas, polars, or any other library
        """Take the columns context, first, second, and p_first or choice of a data frame. run: as in `read`."""
        names = [str(name) for name in frame.columns]
        for name in _COLUMNS[:3]:
            if name not in names:
                raise InvalidComparisons(
                    f'frame: it has no column "{name}"{did_you_mean(name, names)}; it has: {", ".join(names)}'
                )
        columns = {name: frame[name].to_list() for name in (*_COLUMNS, *_OF_RUN) if name in names}
        chosen = _of_one_run({name: columns.get(name, []) for name in _OF_RUN}, len(frame), run)
        return cls(**{name: [columns[name][at] for at in chosen] for name in _COLUMNS if name in columns})

    @classmethod
    def read(cls, path: str | os.PathLike[str], **run: str) -> "Judgments":
        """Read a file of recorded comparisons: what `evenhand export_comparisons` writes, CSV or JSON Lines.

        run: attribute, judge, method and prompt. Each is needed where the file has several.
        Raises InvalidFile with every problem of the file, and InvalidComparisons if the run is not known.
        """
        file = SourceFile(Path(path).name, path=Path(path))
        every = list(read_comparisons([file], find_names=_with_attribute))
        names = {field: [getattr(record, field) for record in every] for field in _OF_RUN}
        records = [every[at] for at in _of_one_run(names, len(every), run)]
        columns = {name: [getattr(record, name) for record in records] for name in _COLUMNS[:4]}
        judgments = cls(**columns, choice=[record.choice or None for record in records])
        bounded = np.array([_is_bounded(record) for record in records], dtype=bool)
        judgments._columns = replace(judgments._columns, bounded=bounded if bounded.any() else None)
        return judgments

    def __len__(self) -> int:
        """Return the number of comparisons asked, with those that are unparsed."""
        return len(self._columns.contexts)

    def __repr__(self) -> str:
        return f"Judgments({len(self):,} comparisons of {len(self._own.keys):,} candidates)"

    def p_first(self) -> Figure:
        """Return the share of decisions for the candidate shown first; a tie counts 1/2."""
        return first_share(self._comparisons)

    def order_agreement(self) -> Figure:
        """Return the share of the pairs decided alike in both orders. Each ordered pair may occur once."""
        return order_agreement(self._comparisons)

    def threshold(self) -> Figure:
        """Return the median of p_first, at which debiased decisions are made."""
        return self._debiasing.threshold

    def accuracy(self, human: Mapping[Key, float | None], debias: bool = False) -> Figure:
        """Return the share of comparisons decided as people do. human: (context, candidate) -> score."""
        run, scores = self._with_human(human)
        right = human_preferences(run.comparisons, scores)
        try:
            decisions = self._debiasing.decide(run.comparisons.p_first) if debias else None
        except Undefined as undefined:
            return Figure.missing(undefined.reason)
        return accuracy(run.comparisons, right, decisions)

    def scores(self, ranking: str, debias: bool = False, *, skip_unconnected: bool = False) -> list[CandidateScore]:
        """Return the score of each candidate by a ranking of `evenhand report`, such as "poe-bt".

        debias: by the threshold or the shifts of all comparisons. skip_unconnected: leave the candidates of contexts
        whose comparisons do not connect them without a score; else they raise NotConnected. Raises UnknownRanking.
        """
        if ranking_named(ranking).needs_connection and not skip_unconnected:
            self._require_connected(f'ranking: "{ranking}"')
        return list(self._named(self._scores(ranking, self._comparisons, debias)))

    def spearman(
        self, human: Mapping[Key, float | None], ranking: str, level: Level = "per_context", debias: bool = False
    ) -> Figure:
        """Return Spearman's correlation of a ranking with human scores.

        level: the mean over contexts, all candidates pooled, or between systems: candidates of one name in several
        contexts. Contexts whose comparisons do not connect their candidates are skipped. Raises UnknownRanking.
        """
        if level not in LEVELS:
            raise InvalidComparisons(unknown_choice("level", level, LEVELS))
        run, people = self._with_human(human)
        names = {name: number for number, name in enumerate(dict.fromkeys(candidate for _, candidate in run.keys))}
        systems = np.array([names[candidate] for _, candidate in run.keys], dtype=np.intp)
        human_scores = HumanScores(people, run.comparisons.candidate_contexts, systems)
        ranked = {ranking: {"": self._scores(ranking, run.comparisons, debias)}}
        return MeasuredRankings.of(ranked, human_scores, None, run.recorded).coefficient(
            "spearman", (ranking, ""), level
        )

    def curve(
        self,
        human: Mapping[Key, float | None],
        ranking: str,
        selection: str = "random",
        debias: bool = False,
        draws: int = 50,
        seed: int = 0,
    ) -> list[BudgetFigure]:
        """Return Spearman's correlation per context against the number of comparisons, at rising budgets.

        selection: how comparisons are drawn, such as "random".
        Raises UnknownRanking and UnknownSelection.
        """
        if selection not in CURVE_SELECTIONS:
            raise UnknownSelection(unknown_choice("selection", selection, CURVE_SELECTIONS))
        for name, value, least in (("draws", draws, 1), ("seed", seed, 0)):
            if not isinstance(value, (int, np.integer)) or value < least:
                raise InvalidComparisons(f"{name}: {value!r} — expected a whole number, {least} or more")
        run, people = self._with_human(human)
        line, truth = CurveLine(ranking, self._debiasing if debias else None), HumanJudgments(people[None])
        [points] = ranking_curves([line], run.comparisons, truth, selection=selection, draws=draws, seed=seed)
        return [BudgetFigure(one.mean, one.low, one.high, one.draws, one.undefined, one.comparisons) for one in points]

    @property
    def _own(self) -> NumberedJudgments:
        return self._columns.numbered

    @property
    def _comparisons(self) -> Comparisons:
        return self._own.comparisons

    @cached_property
    def _debiasing(self) -> Debiasing:
        return Debiasing.of_run(self._comparisons)

    def _with_human(self, human: Mapping[Key, float | None]) -> tuple[NumberedJudgments, np.ndarray[Any, Any]]:
        """Return the comparisons, numbered as in `human`, and the human score of each candidate."""
        scores = human_by_candidate(human, self._own.keys)
        run = self._columns.numbered_after(scores)
        return run, run.at_candidates(scores)

    def _scores(self, ranking: str, comparisons: Comparisons, debias: bool) -> Scores | str:
        debiasing = self._debiasing if debias else None
        return value_or_why(lambda: score(ranking, comparisons, debiasing))

    def _named(self, scores: Scores | str) -> Iterator[CandidateScore]:
        contexts = self._comparisons.candidate_contexts
        for one in ranked_scores(scores, contexts, np.arange(len(contexts))):
            names = self._own.keys[one.candidate]
            yield CandidateScore(*names, one.score, one.standard_error, one.rank, one.undefined)

    def _require_connected(self, what: str) -> None:
        """Raise NotConnected for the first context whose comparisons do not connect its candidates. what: needs it."""
        comparisons = self._comparisons.known()
        apart = ~connected_contexts(comparisons)
        for context in comparisons.contexts[apart[comparisons.contexts]][:1].tolist():
            groups = connected_groups(comparisons, context)
            name = self._own.keys[groups[0][0]][0]
            listed = " from ".join(", ".join(str(self._own.keys[one][1]) for one in group) for group in groups[:2])
            others = ", ".join(record.name for record in RANKINGS.values() if not record.needs_connection)
            raise NotConnected(
                f"{what} needs comparisons that connect all candidates of a context, and those of "
                f"{name!r} leave {listed} apart — add a comparison between them, choose one of {others}, or give "
                "skip_unconnected=True"
            )


def expert_scores(
    runs: Judgments, log_density: LogDensity, debias: bool = False, *, skip_unconnected: bool = False
) -> list[CandidateScore]:
    """Return the score of each candidate by a product of experts of your own [Liusie2024b].

    log_density: the logarithm of the density of each difference of two scores, given p_first, up to a constant; takes
    and returns arrays, (n,). Where it is not concave, the scores are a maximum near zero, which may not be the highest.
    debias: by the shift at which its mean is largest. skip_unconnected: as in `Judgments.scores`.
    """
    comparisons = runs._comparisons
    if not skip_unconnected:
        runs._require_connected("log_density: a product of experts")

    def scored() -> Scores:
        shift = shift_of_expert(comparisons, log_density) if debias else 0.0
        return score_by_expert(comparisons, log_density, shift=shift)

    return list(runs._named(value_or_why(scored)))


def _with_attribute(rows: Iterable[CheckedRow]) -> Iterator[CheckedRow]:
    """Name an attribute where the file names none."""
    return (replace(row, values={"attribute": "overall"} | dict(row.values)) for row in rows)


def _of_one_run(names: Mapping[str, Sequence[str]], n: int, run: Mapping[str, str]) -> list[int]:
    """Return the numbers of the comparisons of a run. names: field -> its value for each of n; empty: not known."""
    for field in run:
        if field not in _OF_RUN:
            raise InvalidComparisons(unknown_choice("run", field, _OF_RUN))
    chosen = list(range(n))
    for field, values in names.items():
        known = list(dict.fromkeys(str(values[at]) for at in chosen)) if values else []
        if field in run and run[field] not in known:
            raise InvalidComparisons(unknown_choice(field, run[field], known))
        if field not in run and len(known) > 1:
            raise InvalidComparisons(f'{field}: there are {", ".join(known)} — give one of them, {field}="{known[0]}"')
        if field in run:
            chosen = [at for at in chosen if str(values[at]) == run[field]]
    return chosen


def _is_bounded(record: ComparisonRecord) -> bool:
    """Return True where only the decision is known, because one of two label words had no probability."""
    is_decision = record.p_first is None and record.raw_tie is None and record.choice in ("first", "second")
    return is_decision and (record.raw_first is None) != (record.raw_second is None)
