"""Import of recorded comparisons and scores, as one run per judge, method, prompt and attribute."""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields
from functools import partial
from operator import attrgetter

from django.utils import timezone

from evenhand.file_problems import Problem, describe_value
from evenhand.formats import DiskDictionary
from evenhand.refusals import Refusals, Refused
from judging.models import NOTHING_LEFT_OUT, Dataset, Exclusion, Judge, Run, User
from judging.models.activity_and_looks import Act
from judging.models.exclusions import require_possible
from judging.models.runs import RunQuerySet, sha256_of
from judging.services.activity import noted
from judging.services.datasets.dataset_keys import DatasetKeys, merge_problems, refuse_if_any
from judging.services.datasets.recorded.answer_rows import SCORES, JudgmentRecord, RecordKind
from judging.services.datasets.rows_in_parts import CHARACTERS_PER_ROW, split_into_parts
from judging.services.execution.bulk_insert import insert
from judging.services.names import row_of_name, seen_by

FIELDS_OUTSIDE_HASH = {"file", "line", "judge"}
MAX_RUNS = 1_000  # of one import


@noted(Act.IMPORT, on="dataset", what="judgments")
def import_judgments(
    kind: RecordKind,
    records: Sequence[JudgmentRecord],
    *,
    dataset: Dataset,
    judge_name: str,
    model: str = "",
    owner: User | None = None,
    problems: Sequence[Problem] = (),
    exclusion: Exclusion = NOTHING_LEFT_OUT,
) -> list[Run]:
    """Store recorded comparisons or scores as runs of the judges that they name.

    judge_name: of records that name no judge. model: the judge's model; empty if unknown.
    problems: found in the files; reported together with the problems found here.
    exclusion: systems and contexts that the runs left out, and that their reports leave out.
    Raises Refused with every problem, and stores nothing.
    """
    require_possible(dataset, exclusion)
    keys = check_judgments(
        kind, records, dataset=dataset, judge_name=judge_name, model=model, owner=owner, problems=problems
    )
    create = partial(_create_run, kind, keys=keys, dataset=dataset, owner=owner, exclusion=exclusion)
    return _store(kind, records, create, keys=keys, judge_name=judge_name, model=model, owner=owner)


def check_judgments(
    kind: RecordKind,
    records: Sequence[JudgmentRecord],
    *,
    dataset: Dataset,
    judge_name: str,
    model: str = "",
    owner: User | None = None,
    problems: Sequence[Problem] = (),
) -> DatasetKeys:
    """Return the dataset's keys for an import of these records. Nothing is stored.

    owner: records that this person's visible runs already hold are refused; None: those of any run. problems: found in
    the files. Raises Refused with every problem that the import would meet.
    """
    keys = DatasetKeys(dataset)
    judges = list(dict.fromkeys(one.judge or judge_name for one in records)) or [judge_name]
    refusals = Refusals()
    joined = {name: refusals.of(partial(_judge_to_join, name, model, owner)) for name in judges}
    others = list(refusals.problems)
    if model and len(judges) > 1:
        others.append(f'model: "{model}" — the files name {len(judges)} judges; import each with its own model')
    if not records and not problems:
        others.append(f"there are no {kind.noun} to import")
    refuse_if_any(
        merge_problems(
            problems, records, lambda one: (*_of_other_kind(kind, one), *keys.problems(one, kind.candidates))
        ),
        *others,
    )
    runs = Run.objects.visible_to(owner) if owner else Run.objects.all()
    names = {judge.pk: name for name, judge in joined.items() if judge}
    stored = _load_stored(kind, runs.filter(dataset=dataset, judge__in=list(names)), names)
    refuse_if_any(_find_stored(kind, records, keys, judge_name, stored) if stored is not None else ())
    return keys


def _of_other_kind(kind: RecordKind, record: JudgmentRecord) -> Iterator[Problem]:
    if record.method in kind.others:
        expected = f"a method that gives {kind.noun}; use the other import command"
        yield Problem(record.file, record.line, "method", describe_value(record.method), expected)


def count_runs(records: Sequence[JudgmentRecord], judge_name: str) -> Counter[str]:
    """Return judge -> the number of runs that an import of these records gives."""
    return Counter(judge for judge, *_ in dict.fromkeys(_run_key(one, judge_name) for one in records))


def _judge_to_join(name: str, model: str, owner: User | None) -> Judge | None:
    """Return the recorded judge of this name that the owner sees; None if the import adds one. Raises Refused."""
    if not name:
        raise Refused("judge: no name — name the judge, or give the files a column judge")
    if not name.strip() or not name.isprintable() or len(name) > 200:
        raise Refused(f"judge: {name!r} — give a name of 1 to 200 printable characters")
    judge = row_of_name(seen_by(owner, Judge), name, owner)
    if judge is not None and not judge.is_recorded:
        raise Refused(f'judge: "{name}" is a model that judges here; give recorded judgments another name')
    if model and (not model.isprintable() or len(model) > 500):
        raise Refused(f"model: {model!r} — give at most 500 printable characters")
    if judge is not None and model and judge.model != model:
        raise Refused(f'model: "{model}" — judge "{name}" has another model; leave it out, or name another judge')
    return judge


def _find_stored(
    kind: RecordKind, records: Sequence[JudgmentRecord], keys: DatasetKeys, judge_name: str, stored: DiskDictionary
) -> list[Problem]:
    """Find records that a run of their judge already holds for the same method, prompt and attribute."""

    def find_problems(one: JudgmentRecord) -> Iterator[Problem]:
        if stored.get((*_run_key(one, judge_name), *kind.candidate_ids(one, keys))):
            names = " against ".join(describe_value(getattr(one, field)) for field in kind.candidates)
            expected = f'a record that judge "{one.judge or judge_name}" does not have yet for this prompt and method'
            yield Problem(one.file, one.line, "", names, expected)

    return merge_problems((), records, find_problems)


def _load_stored(kind: RecordKind, runs: RunQuerySet, judges: Mapping[int, str]) -> DiskDictionary | None:
    """Return the run key and candidates of each row of these runs. Returns None without runs. judges: their names."""
    columns = ("pk", "judge", "method", "prompt_name", "attribute__name")
    run_keys = {number: (judges[judge], *key) for number, judge, *key in runs.values_list(*columns)}
    if not run_keys:
        return None
    # by the runs' numbers, without a join: PostgreSQL joins tables that it has not analysed row by row
    rows = kind.model._default_manager.filter(run__in=list(run_keys)).order_by().values_list("run_id", *kind.columns)
    stored = DiskDictionary()
    for run, *candidates in rows.iterator():
        stored.add((*run_keys[run], *candidates), True)
    return stored


RunKey = tuple[str, str, str, str]
"""Judge, method, prompt and attribute."""


def _run_key(record: JudgmentRecord, judge_name: str) -> RunKey:
    """Return the key of the record's run. judge_name: of records that name no judge."""
    return record.judge or judge_name, record.method, record.prompt, record.attribute


def _store(
    kind: RecordKind,
    records: Sequence[JudgmentRecord],
    create_run: Callable[[RunKey, "RunContent", Judge], Run],
    *,
    keys: DatasetKeys,
    judge_name: str,
    model: str,
    owner: User | None,
) -> list[Run]:
    """Create a run per judge, method, prompt and attribute, then store the records in parts: they may be many."""
    contents = _summarise_runs(records, judge_name)
    new = {"backend": Judge.Backend.RECORDED, "model": model}
    judges = {
        name: _judge_to_join(name, model, owner) or Judge.objects.get_or_create(name=name, owner=owner, defaults=new)[0]
        for name in dict.fromkeys(judge for judge, *_ in contents)
    }
    runs = {key: create_run(key, content, judges[key[0]]) for key, content in contents.items()}
    rows = (kind.make_row(runs[_run_key(one, judge_name)].pk, one, keys) for one in records)
    for part in split_into_parts(rows, lambda row: CHARACTERS_PER_ROW + len(row.text + row.error + row.thinking)):
        insert(kind.model, part)
    return list(runs.values())


class RunContent:
    """Facts about the records of one run: their number, their files, and a hash of their content."""

    def __init__(self, first: JudgmentRecord) -> None:
        self.count = 0
        self.files: set[str] = set()
        self._hash = hashlib.sha256()
        self._values = attrgetter(*(field.name for field in fields(first) if field.name not in FIELDS_OUTSIDE_HASH))

    def add(self, record: JudgmentRecord) -> None:
        self.count += 1
        self.files.add(record.file)
        self._hash.update(repr([*self._values(record)]).encode("utf-8", "surrogatepass"))

    @property
    def sha256(self) -> str:
        return self._hash.hexdigest()


def _summarise_runs(records: Sequence[JudgmentRecord], judge_name: str) -> dict[RunKey, RunContent]:
    """Summarise the records of each run, in order of appearance. Raises Refused if there are too many runs."""
    contents: dict[RunKey, RunContent] = {}
    for one in records:
        key = _run_key(one, judge_name)
        if key not in contents:
            contents[key] = RunContent(one)
        contents[key].add(one)
        if len(contents) > MAX_RUNS:
            raise Refused(
                f"{one.file}:{one.line}: run {MAX_RUNS + 1:,} of this import — expected at most {MAX_RUNS:,} different "
                "combinations of judge, method, prompt and attribute"
            )
    return contents


def _create_run(
    kind: RecordKind,
    key: RunKey,
    content: RunContent,
    judge: Judge,
    *,
    keys: DatasetKeys,
    dataset: Dataset,
    owner: User | None,
    exclusion: Exclusion,
) -> Run:
    _, method, prompt, attribute = key
    spec = {
        "dataset": {"name": dataset.name, "sha256": dataset.sha256},
        "attribute": attribute,
        "judge": {"name": judge.name, "backend": judge.backend},
        "prompt": {"name": prompt},
        "method": {"name": method},
        "recorded": {"files": sorted(content.files), "sha256": content.sha256},
        **exclusion.spec(),
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
        planned=content.count,
        asked_in_all=content.count,
        spec=spec,
        spec_hash=sha256_of(spec),
        finished_at=timezone.now(),
    )
