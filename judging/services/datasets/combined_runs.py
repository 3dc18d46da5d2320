"""Store a run whose answers are computed from those of other runs."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.db.models import Q
from django.utils import timezone

from evenhand.refusals import Refused
from judging.models import Attribute, Candidate, Choice, Comparison, Exclusion, Judge, Outcome, Run, User
from judging.models.activity_and_looks import Act
from judging.models.runs import sha256_of
from judging.services.activity import noted
from judging.services.datasets.rows_in_parts import CHARACTERS_PER_ROW, split_into_parts
from judging.services.execution.bulk_insert import ComparisonRow, insert
from judging.services.names import row_of_name, seen_by

CHOICE_OF = {1.0: Choice.FIRST.value, 0.5: Choice.TIE.value, 0.0: Choice.SECOND.value}


@dataclass(frozen=True, slots=True)
class CombinedAnswer:
    """The answer on one ordered pair of candidates, by their ids in the database.

    p_first: probability that `first` is better. decides: True if it is a choice: 1, 1/2 (a tie) or 0.
    """

    first: int
    second: int
    p_first: float
    decides: bool = False


@noted(Act.CREATE, returned=True)
def store_combined_run(
    attribute: Attribute,
    answers: Iterable[CombinedAnswer],
    *,
    judge_name: str,
    method: str,
    rule: str,
    made_of: dict[str, Any],
    exclusion: Exclusion,
    owner: User | None = None,
) -> Run:
    """Store the answers as a finished run of a jury, which is created if there is none of this name.

    rule: how the answers were combined; the name of the run's prompt. made_of: the part of the spec about the sources.
    Raises Refused if another kind of judge has the name, or if the same run is stored already.
    """
    judge = _get_jury(judge_name, owner)
    dataset = attribute.dataset
    spec = {
        "dataset": {"name": dataset.name, "sha256": dataset.sha256},
        "attribute": attribute.name,
        "judge": {"name": judge.name, "backend": judge.backend},
        "prompt": {"name": rule},
        "method": {"name": method},
        method: made_of,
        **exclusion.spec(),
    }
    spec_hash = sha256_of(spec)
    own = Run.objects.filter(Q(owner=owner) | Q(owner=None), dataset=dataset, judge=judge, spec_hash=spec_hash)
    if stored := own.first():
        raise Refused(f"run: {stored.pk} is the same: judge {judge.name}, by {rule}, of the same answers")
    run = Run.objects.create(
        dataset=dataset,
        attribute=attribute,
        judge=judge,
        prompt_name=rule,
        method=method,
        owner=owner,
        status=Run.Status.DONE,
        selection="recorded",
        planned=made_of["comparisons"],
        asked_in_all=made_of["comparisons"],
        spec=spec,
        spec_hash=spec_hash,
        finished_at=timezone.now(),
    )
    context_of = dict(Candidate.objects.filter(context__dataset=dataset).values_list("pk", "context"))
    rows = (_row(run.pk, context_of[one.first], one) for one in answers)
    for part in split_into_parts(rows, lambda row: CHARACTERS_PER_ROW):
        insert(Comparison, part)
    return run


def _row(run: int, context: int, answer: CombinedAnswer) -> ComparisonRow:
    pair = (run, context, answer.first, answer.second, Outcome.ANSWERED.value)
    if answer.decides:
        return ComparisonRow(*pair, choice=CHOICE_OF[answer.p_first])
    return ComparisonRow(*pair, answer.p_first)


def _get_jury(name: str, owner: User | None) -> Judge:
    if not name.strip() or not name.isprintable() or len(name) > 200:
        raise Refused(f"name: {name!r} — give a name of 1 to 200 printable characters")
    judge = row_of_name(seen_by(owner, Judge), name, owner)
    if judge is None:
        judge, _ = Judge.objects.get_or_create(name=name, owner=owner, defaults={"backend": Judge.Backend.JURY})
    if not judge.is_jury:
        raise Refused(f'name: "{name}" is a judge of another kind; give the jury another name')
    return judge
