"""Import of recorded comparisons and scores, as one run per method, prompt and attribute."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from operator import attrgetter

from django.db import models, transaction
from django.utils import timezone

from judging.exceptions import Refused
from judging.formats import ComparisonRecord, Problem, RatingRecord, RecordedVote, ScoreRecord, describe_value
from judging.models import (
    AnswerProblem,
    Attribute,
    Candidate,
    Comparison,
    Context,
    Dataset,
    Judge,
    Outcome,
    Run,
    Score,
    User,
)
from judging.models.runs import sha256_of
from judging.prompting.methods import METHODS
from judging.services.execution.bulk_insert import AnswerRow, ComparisonRow, ScoreAnswerRow, insert

JudgmentRecord = ComparisonRecord | ScoreRecord

POSITION_FIELDS = {"file", "line"}
ROWS_AT_ONCE = 10_000


@dataclass(frozen=True, slots=True)
class RecordKind:
    """The differences between comparisons and scores.

    candidates: record fields that name a candidate. columns: table columns of these candidates.
    row: makes a table row from run id, record and ids. others: methods that give the other kind.
    """

    noun: str
    model: type[models.Model]
    candidates: tuple[str, ...]
    columns: tuple[str, ...]
    row: Callable[..., AnswerRow]
    others: frozenset[str]


class DatasetKeys:
    """Ids of a dataset's rows by their keys.

    attributes: by name. contexts: by key. candidates: by context key and candidate key.
    """

    def __init__(self, dataset: Dataset) -> None:
        self.attributes: dict[str, Attribute] = {attribute.name: attribute for attribute in dataset.attributes.all()}
        self.contexts: dict[str, int] = dict(Context.objects.filter(dataset=dataset).values_list("key", "pk"))
        candidates = Candidate.objects.filter(context__dataset=dataset).order_by()
        self.candidates: dict[tuple[str, str], int] = {
            (context, key): pk for context, key, pk in candidates.values_list("context__key", "key", "pk")
        }

    def problems(
        self, record: JudgmentRecord | RecordedVote | RatingRecord, candidate_fields: tuple[str, ...]
    ) -> Iterator[Problem]:
        """Find keys of a record that the dataset lacks. candidate_fields: the fields that name a candidate."""
        if record.attribute not in self.attributes:
            expected = f"an attribute of the dataset: {', '.join(self.attributes) or 'it has none'}"
            yield Problem(record.file, record.line, "attribute", describe_value(record.attribute), expected)
        if record.context not in self.contexts:
            yield Problem(
                record.file, record.line, "context", describe_value(record.context), "a context of the dataset"
            )
            return
        for field in candidate_fields:
            key = getattr(record, field)
            if (record.context, key) not in self.candidates:
                expected = f"a candidate of context {describe_value(record.context)}"
                yield Problem(record.file, record.line, field, describe_value(key), expected)


def import_comparisons(
    records: Sequence[ComparisonRecord],
    *,
    dataset: Dataset,
    judge_name: str,
    model: str = "",
    owner: User | None = None,
    problems: Sequence[Problem] = (),
) -> list[Run]:
    """Store recorded comparisons as runs of the named judge.

    model: the judge's model; empty if unknown.
    problems: found in the files; reported together with the problems found here.
    Raises Refused with every problem, and stores nothing.
    """
    return _import(COMPARISONS, records, problems, dataset=dataset, judge_name=judge_name, model=model, owner=owner)


def import_scores(
    records: Sequence[ScoreRecord],
    *,
    dataset: Dataset,
    judge_name: str,
    model: str = "",
    owner: User | None = None,
    problems: Sequence[Problem] = (),
) -> list[Run]:
    """Store recorded scores as runs of the named judge.

    model: the judge's model; empty if unknown.
    problems: found in the files; reported together with the problems found here.
    Raises Refused with every problem, and stores nothing.
    """
    return _import(SCORES, records, problems, dataset=dataset, judge_name=judge_name, model=model, owner=owner)


def _import(
    kind: RecordKind,
    records: Sequence[JudgmentRecord],
    problems: Sequence[Problem],
    *,
    dataset: Dataset,
    judge_name: str,
    model: str,
    owner: User | None,
) -> list[Run]:
    keys = DatasetKeys(dataset)
    refused = [*_judge_problems(judge_name, model), *map(str, _problems(kind, records, problems, keys))]
    if not records and not problems:
        refused.append(f"there are no {kind.noun} to import")
    if not refused:
        refused += map(str, _repeated(kind, records, keys, dataset, judge_name))
    if refused:
        raise Refused(*refused)
    return _store(kind, records, keys=keys, dataset=dataset, judge_name=judge_name, model=model, owner=owner)


def _problems(
    kind: RecordKind, records: Sequence[JudgmentRecord], found: Sequence[Problem], keys: DatasetKeys
) -> list[Problem]:
    further = (
        problem for one in records for problem in (*_of_other_kind(kind, one), *keys.problems(one, kind.candidates))
    )
    return merge_problems(found, further, files=[one.file for one in records])


def merge_problems(found: Sequence[Problem], further: Iterable[Problem], *, files: Iterable[str]) -> list[Problem]:
    """Return problems by file and line: those found in the files, then those found with the dataset.

    files: names of the files in order. A field has only its first problem.
    """
    known = {(problem.file, problem.line, problem.field) for problem in found}
    problems = [*found, *(one for one in further if (one.file, one.line, one.field) not in known)]
    order = list(dict.fromkeys([*files, *(problem.file for problem in found)]))
    return sorted(problems, key=lambda problem: (order.index(problem.file), problem.line or 0))


def _of_other_kind(kind: RecordKind, record: JudgmentRecord) -> Iterator[Problem]:
    if record.method in kind.others:
        expected = f"a method that gives {kind.noun}; use the other import command"
        yield Problem(record.file, record.line, "method", describe_value(record.method), expected)


def _judge_problems(name: str, model: str) -> list[str]:
    if not name.strip() or not name.isprintable() or len(name) > 200:
        return [f"judge: {name!r} — give a name of 1 to 200 printable characters"]
    judge = Judge.objects.filter(name=name).first()
    if judge is not None and not judge.is_recorded:
        return [f'judge: "{name}" is a model that judges here; give recorded judgments another name']
    if model and (not model.isprintable() or len(model) > 500):
        return [f"model: {model!r} — give at most 500 printable characters"]
    if judge is not None and model and judge.model != model:
        return [f'model: "{model}" — judge "{name}" has the model "{judge.model}"; give that, or another judge']
    return []


def _repeated(
    kind: RecordKind, records: Sequence[JudgmentRecord], keys: DatasetKeys, dataset: Dataset, judge_name: str
) -> Iterator[Problem]:
    """Find records that a run of this judge already holds for the same method, prompt and attribute."""
    runs = Run.objects.filter(dataset=dataset, judge__name=judge_name)
    run_keys = {number: key for number, *key in runs.values_list("pk", "method", "prompt_name", "attribute__name")}
    # by the runs' numbers, without a join: PostgreSQL joins tables that it has not analysed row by row
    rows = kind.model._default_manager.filter(run__in=list(run_keys)).order_by().values_list("run_id", *kind.columns)
    stored = {(*run_keys[run], *candidates) for run, *candidates in rows}
    for one in records if stored else ():
        if (*_run_key(one), *_candidates(kind, one, keys)) in stored:
            names = " against ".join(describe_value(getattr(one, field)) for field in kind.candidates)
            expected = f'a record that judge "{judge_name}" does not have yet for this prompt and method'
            yield Problem(one.file, one.line, "", names, expected)


def _run_key(record: JudgmentRecord) -> tuple[str, str, str]:
    return record.method, record.prompt, record.attribute


def _candidates(kind: RecordKind, record: JudgmentRecord, keys: DatasetKeys) -> tuple[int, ...]:
    return tuple(keys.candidates[record.context, getattr(record, field)] for field in kind.candidates)


@transaction.atomic
def _store(
    kind: RecordKind,
    records: Sequence[JudgmentRecord],
    *,
    keys: DatasetKeys,
    dataset: Dataset,
    judge_name: str,
    model: str,
    owner: User | None,
) -> list[Run]:
    judge, _ = Judge.objects.get_or_create(
        name=judge_name, defaults={"backend": Judge.Backend.RECORDED, "model": model}
    )
    of_runs: dict[tuple[str, str, str], list[JudgmentRecord]] = defaultdict(list)
    for one in records:
        of_runs[_run_key(one)].append(one)
    runs = []
    for of_run in of_runs.values():
        run = _run(kind, of_run, keys=keys, dataset=dataset, judge=judge, owner=owner)
        for start in range(0, len(of_run), ROWS_AT_ONCE):
            part = of_run[start : start + ROWS_AT_ONCE]
            insert(
                kind.model,
                [kind.row(run.pk, one, keys.contexts[one.context], *_candidates(kind, one, keys)) for one in part],
            )
        runs.append(run)
    return runs


def _run(
    kind: RecordKind,
    records: Sequence[JudgmentRecord],
    *,
    keys: DatasetKeys,
    dataset: Dataset,
    judge: Judge,
    owner: User | None,
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
        attribute=keys.attributes[attribute],
        judge=judge,
        prompt_name=prompt,
        method=method,
        is_scoring=kind is SCORES,
        owner=owner,
        status=Run.Status.DONE,
        selection="recorded",
        planned=len(records),
        spec=spec,
        spec_hash=sha256_of(spec),
        finished_at=timezone.now(),
    )


def _hash_of(records: Sequence[JudgmentRecord]) -> str:
    """Hash the records in order, without their file positions."""
    content = attrgetter(*(field.name for field in fields(records[0]) if field.name not in POSITION_FIELDS))
    digest = hashlib.sha256()
    for one in records:
        digest.update(repr([*content(one)]).encode("utf-8", "surrogatepass"))
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
        thinking=record.thinking,
        thinking_tokens=record.thinking_tokens,
        p_first_before=record.p_first_before,
        problem=_problem(record, _outcome(record)),
    )


def _problem(record: JudgmentRecord, outcome: Outcome) -> str:
    """Return the recorded problem; an unparsed answer without one has no verdict."""
    return record.problem or (AnswerProblem.NO_VERDICT.value if outcome is Outcome.UNPARSED else "")


def _outcome(record: ComparisonRecord) -> Outcome:
    """Return the outcome. A record with a probability is answered, whatever its choice."""
    if record.p_first is None and record.choice in {"unparsed", "error"}:
        return Outcome(record.choice)
    return Outcome.ANSWERED


def _score(run: int, record: ScoreRecord, context: int, candidate: int) -> ScoreAnswerRow:
    missing = Outcome.ERROR if record.error else Outcome.UNPARSED
    outcome = missing if record.score is None else Outcome.ANSWERED
    return ScoreAnswerRow(
        run=run,
        context=context,
        candidate=candidate,
        outcome=outcome.value,
        value=record.score,
        text=record.text,
        error=record.error,
        thinking=record.thinking,
        thinking_tokens=record.thinking_tokens,
        value_before=record.score_before,
        problem=_problem(record, outcome),
    )


SCORING = frozenset(name for name, method in METHODS.items() if method.is_scoring)
COMPARING = frozenset(METHODS) - SCORING
COMPARISONS = RecordKind("comparisons", Comparison, ("first", "second"), ("first", "second"), _comparison, SCORING)
SCORES = RecordKind("scores", Score, ("candidate",), ("candidate",), _score, COMPARING)
