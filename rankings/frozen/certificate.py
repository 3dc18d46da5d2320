"""The certificate of a frozen report: hashes of its datasets, runs and votes, and the versions that computed it."""

import platform
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from importlib.metadata import version

import numpy as np

from evalsite import __version__
from judging.models import Attribute, Dataset, Outcome, Run, Vote
from judging.models.comparisons import P_FIRST_OF_CHOICE
from rankings.bulk_reading import number_rows
from rankings.loading import ANSWER, COMPARISON, CandidateTable, candidate_table
from rankings.report.left_out import excluded_votes_of

PROGRAMS = ("numpy", "scipy", "django", "matplotlib")
LITTLE_ENDIAN_ANSWER = np.dtype([("first", "<i8"), ("second", "<i8"), ("answer", "<f8")])
AnswerRows = np.ndarray[tuple[int], np.dtype[np.void]]


@dataclass(frozen=True)
class DatasetStamp:
    """A dataset. sha256: of the uploaded files."""

    name: str
    sha256: str


@dataclass(frozen=True)
class RunStamp:
    """A run. spec_sha256: of its configuration. environment_sha256: of configuration and engine; "" if recorded.

    answers_sha256: of every answer, in the order of the dataset. left_out: what the run itself leaves out.
    """

    run: int
    dataset: str
    attribute: str
    judge: str
    method: str
    prompt: str
    selection: str
    seed: int
    spec_sha256: str
    environment_sha256: str
    answers_sha256: str
    answered: int
    unparsed: int
    errors: int
    left_out: str


@dataclass(frozen=True)
class VotesStamp:
    """The votes on one attribute. sha256: of every vote, in the order of the dataset, without the people.

    excluded: the votes that researchers excluded, with their reasons; "" for none.
    """

    dataset: str
    attribute: str
    votes: int
    sha256: str
    excluded: str


@dataclass(frozen=True)
class Versions:
    """The programs that computed the report."""

    evenhand: str
    python: str
    numpy: str
    scipy: str
    django: str
    matplotlib: str


@dataclass(frozen=True)
class Certificate:
    """The data and programs that a frozen report rests on."""

    versions: Versions
    datasets: Sequence[DatasetStamp]
    runs: Sequence[RunStamp]
    votes: Sequence[VotesStamp]


def certificate_of(runs: Sequence[Run]) -> Certificate:
    """Return the certificate of some runs."""
    tables = {dataset: candidate_table(dataset) for dataset in dict.fromkeys(run.dataset for run in runs)}
    attributes = dict.fromkeys(run.attribute for run in runs)
    return Certificate(
        versions=Versions(__version__, platform.python_version(), *map(version, PROGRAMS)),
        datasets=[DatasetStamp(dataset.name, dataset.sha256) for dataset in tables],
        runs=[run_stamp(run, tables[run.dataset]) for run in runs],
        votes=[_votes_stamp(attribute, tables) for attribute in attributes],
    )


def run_stamp(run: Run, table: CandidateTable) -> RunStamp:
    """Return the stamp of a run. table: all candidates of its dataset."""
    answers = _scores_of(run, table) if run.is_scoring else _comparisons_of(run, table)
    unparsed, errors = (run.answers.filter(outcome=one).count() for one in (Outcome.UNPARSED, Outcome.ERROR))
    return RunStamp(
        run=run.pk,
        dataset=run.dataset.name,
        attribute=run.attribute.name,
        judge=run.judge.name,
        method=run.method,
        prompt=run.prompt_name,
        selection=run.selection_name,
        seed=run.seed,
        spec_sha256=run.spec_hash,
        environment_sha256=run.fingerprint,
        answers_sha256=_hash_of(answers),
        answered=len(answers) - unparsed - errors,
        unparsed=unparsed,
        errors=errors,
        left_out=str(run.exclusion) if run.exclusion else "",
    )


def _comparisons_of(run: Run, table: CandidateTable) -> AnswerRows:
    rows = number_rows(run.comparisons.all(), COMPARISON, "first", "second", ANSWER)
    return _sorted(table.numbers(rows["first"]), table.numbers(rows["second"]), rows["answer"])


def _scores_of(run: Run, table: CandidateTable) -> AnswerRows:
    """Return the scores of a run; NaN for those without a value."""
    rows = list(run.scores.values_list("candidate", "value"))
    candidates = table.numbers([candidate for candidate, _ in rows])
    values = [np.nan if value is None else value for _, value in rows]
    return _sorted(candidates, candidates, np.array(values, dtype=np.float64))


def _votes_stamp(attribute: Attribute, tables: dict[Dataset, CandidateTable]) -> VotesStamp:
    dataset = next(one for one in tables if one.pk == attribute.dataset_id)
    rows = list(Vote.objects.in_figures().filter(attribute=attribute).values_list("first", "second", "choice"))
    first = tables[dataset].numbers([row[0] for row in rows])
    second = tables[dataset].numbers([row[1] for row in rows])
    choices = np.array([P_FIRST_OF_CHOICE[row[2]] for row in rows], dtype=np.float64)
    votes_sha256, excluded = _hash_of(_sorted(first, second, choices)), excluded_votes_of(attribute)
    return VotesStamp(dataset.name, attribute.name, len(rows), votes_sha256, str(excluded) if excluded else "")


def _sorted(first: Iterable[int], second: Iterable[int], answers: Iterable[float]) -> AnswerRows:
    """Return rows in an order that does not depend on when they were stored."""
    columns = (np.asarray(first), np.asarray(second), np.asarray(answers))
    order = np.lexsort(columns[::-1])
    rows = np.empty(len(order), LITTLE_ENDIAN_ANSWER)
    for name, values in zip(LITTLE_ENDIAN_ANSWER.names or (), columns, strict=True):
        rows[name] = values[order]
    return rows


def _hash_of(rows: AnswerRows) -> str:
    return sha256(rows.tobytes()).hexdigest()
