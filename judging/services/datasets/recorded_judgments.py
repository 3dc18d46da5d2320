"""Judgments made elsewhere: comparisons and scores from files, stored as one run per method, prompt and attribute."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields
from operator import attrgetter

from django.db import models, transaction
from django.utils import timezone

from judging.exceptions import Refused
from judging.formats import ComparisonRecord, Problem, ScoreRecord, describe_value
from judging.models import Comparison, Dataset, Judge, Outcome, Run, Score, User
from judging.prompting.methods import METHODS
from judging.services.datasets.record_lookup import Places
from judging.services.execution.bulk_insert import AnswerRow, ComparisonRow, ScoreRow, insert
from judging.services.plans.run_spec import spec_hash

Record = ComparisonRecord | ScoreRecord

NOT_OF_A_RECORD = {"file", "line"}
ROWS_AT_ONCE = 10_000


@dataclass(frozen=True, slots=True)
class Kind:
    """What differs between comparisons and scores.

    candidates: the record's fields that name a candidate; columns: where their rows have them.
    row: makes the row of a record, but for its run. others: methods whose judgments are of the other kind.
    """

    noun: str
    model: type[models.Model]
    candidates: tuple[str, ...]
    columns: tuple[str, ...]
    row: Callable[..., AnswerRow]
    others: frozenset[str]


def import_comparisons(
    records: Sequence[ComparisonRecord],
    *,
    dataset: Dataset,
    judge_name: str,
    owner: User | None = None,
    problems: Sequence[Problem] = (),
) -> list[Run]:
    """Store recorded comparisons as runs of a judge of that name.

    problems: what their files were found to have wrong, told together with what is wrong here.
    Raises Refused with every problem, nothing stored.
    """
    return _import(COMPARISONS, records, problems, dataset=dataset, judge_name=judge_name, owner=owner)


def import_scores(
    records: Sequence[ScoreRecord],
    *,
    dataset: Dataset,
    judge_name: str,
    owner: User | None = None,
    problems: Sequence[Problem] = (),
) -> list[Run]:
    """Store recorded scores as runs of a judge of that name.

    problems: what their files were found to have wrong, told together with what is wrong here.
    Raises Refused with every problem, nothing stored.
    """
    return _import(SCORES, records, problems, dataset=dataset, judge_name=judge_name, owner=owner)


def _import(
    kind: Kind,
    records: Sequence[Record],
    problems: Sequence[Problem],
    *,
    dataset: Dataset,
    judge_name: str,
    owner: User | None,
) -> list[Run]:
    places = Places(dataset)
    refused = [*_judge_problems(judge_name), *map(str, _problems(kind, records, problems, places))]
    if not records and not problems:
        refused.append(f"there are no {kind.noun} to import")
    if not refused:
        refused += map(str, _repeated(kind, records, places, dataset, judge_name))
    if refused:
        raise Refused(*refused)
    return _store(kind, records, places=places, dataset=dataset, judge_name=judge_name, owner=owner)


def _problems(kind: Kind, records: Sequence[Record], found: Sequence[Problem], places: Places) -> list[Problem]:
    """What is wrong with the records, by file and line: what was found before, then what only the dataset tells."""
    known = {(problem.file, problem.line, problem.field) for problem in found}
    further = (
        problem for one in records for problem in (*_of_other_kind(kind, one), *places.problems(one, kind.candidates))
    )
    problems = [*found, *(one for one in further if (one.file, one.line, one.field) not in known)]
    files = list(dict.fromkeys([one.file for one in records] + [problem.file for problem in found]))
    return sorted(problems, key=lambda problem: (files.index(problem.file), problem.line or 0))


def _of_other_kind(kind: Kind, record: Record) -> Iterator[Problem]:
    if record.method in kind.others:
        expected = f"a method that gives {kind.noun}; bring it in with the other import command"
        yield Problem(record.file, record.line, "method", describe_value(record.method), expected)


def _judge_problems(name: str) -> list[str]:
    if not name.strip() or not name.isprintable() or len(name) > 200:
        return [f"judge: {name!r} — give a name of 1 to 200 printable characters"]
    judge = Judge.objects.filter(name=name).first()
    if judge is not None and not judge.is_recorded:
        return [f'judge: "{name}" is a model that judges here; give recorded judgments a name of their own']
    return []


def _repeated(
    kind: Kind, records: Sequence[Record], places: Places, dataset: Dataset, judge_name: str
) -> Iterator[Problem]:
    """What this judge has in a run already, under the same method, prompt and attribute."""
    runs = Run.objects.filter(dataset=dataset, judge__name=judge_name)
    columns = ("run__method", "run__prompt_name", "run__attribute__name", *kind.columns)
    there = set(kind.model._default_manager.filter(run__in=runs).order_by().values_list(*columns))
    for one in records if there else ():
        if (*_run_key(one), *_candidates(kind, one, places)) in there:
            what = " against ".join(describe_value(getattr(one, field)) for field in kind.candidates)
            expected = f'what judge "{judge_name}" has no answer to yet for this prompt and method'
            yield Problem(one.file, one.line, "", what, expected)


def _run_key(record: Record) -> tuple[str, str, str]:
    return record.method, record.prompt, record.attribute


def _candidates(kind: Kind, record: Record, places: Places) -> tuple[int, ...]:
    return tuple(places.candidates[record.context, getattr(record, field)] for field in kind.candidates)


@transaction.atomic
def _store(
    kind: Kind,
    records: Sequence[Record],
    *,
    places: Places,
    dataset: Dataset,
    judge_name: str,
    owner: User | None,
) -> list[Run]:
    judge, _ = Judge.objects.get_or_create(name=judge_name, defaults={"backend": Judge.Backend.RECORDED})
    of_runs: dict[tuple[str, str, str], list[Record]] = defaultdict(list)
    for one in records:
        of_runs[_run_key(one)].append(one)
    runs = []
    for of_run in of_runs.values():
        run = _run(kind, of_run, places=places, dataset=dataset, judge=judge, owner=owner)
        for start in range(0, len(of_run), ROWS_AT_ONCE):
            part = of_run[start : start + ROWS_AT_ONCE]
            insert(
                kind.model,
                [kind.row(run.pk, one, places.contexts[one.context], *_candidates(kind, one, places)) for one in part],
            )
        runs.append(run)
    return runs


def _run(
    kind: Kind, records: Sequence[Record], *, places: Places, dataset: Dataset, judge: Judge, owner: User | None
) -> Run:
    method, prompt, attribute = _run_key(records[0])
    spec = {
        "dataset": {"name": dataset.name, "sha256": dataset.sha256},
        "attribute": attribute,
        "judge": {"name": judge.name, "backend": judge.backend},
        "prompt": {"name": prompt},
        "method": {"name": method},
        "recorded": {"files": sorted({one.file for one in records}), "sha256": _hash_of(records)},
    }
    return Run.objects.create(
        dataset=dataset,
        attribute=places.attributes[attribute],
        judge=judge,
        prompt_name=prompt,
        method=method,
        is_scoring=kind is SCORES,
        owner=owner,
        status=Run.Status.DONE,
        selection="recorded",
        planned=len(records),
        spec=spec,
        spec_hash=spec_hash(spec),
        finished_at=timezone.now(),
    )


def _hash_of(records: Sequence[Record]) -> str:
    """SHA-256 of what the records say, in their order."""
    said = attrgetter(*(field.name for field in fields(records[0]) if field.name not in NOT_OF_A_RECORD))
    digest = hashlib.sha256()
    for one in records:
        digest.update(repr([*said(one)]).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def _comparison(run: int, record: ComparisonRecord, context: int, first: int, second: int) -> ComparisonRow:
    return ComparisonRow(
        run=run,
        context=context,
        first=first,
        second=second,
        outcome=_outcome(record).value,
        p_first=record.p_first,
        choice="" if record.choice in {"unparsed", "error"} else record.choice,
        raw_first=record.raw_first,
        raw_second=record.raw_second,
        raw_tie=record.raw_tie,
        text=record.text,
        error=record.error,
    )


def _outcome(record: ComparisonRecord) -> Outcome:
    """A probability counts, whatever the choice beside it says."""
    if record.p_first is None and record.choice in {"unparsed", "error"}:
        return Outcome(record.choice)
    return Outcome.ANSWERED


def _score(run: int, record: ScoreRecord, context: int, candidate: int) -> ScoreRow:
    missing = Outcome.ERROR if record.error else Outcome.UNPARSED
    return ScoreRow(
        run=run,
        context=context,
        candidate=candidate,
        outcome=(missing if record.score is None else Outcome.ANSWERED).value,
        value=record.score,
        text=record.text,
        error=record.error,
    )


SCORING = frozenset(name for name, method in METHODS.items() if method.is_scoring)
COMPARING = frozenset(METHODS) - SCORING
COMPARISONS = Kind("comparisons", Comparison, ("first", "second"), ("first", "second"), _comparison, SCORING)
SCORES = Kind("scores", Score, ("candidate",), ("candidate",), _score, COMPARING)
