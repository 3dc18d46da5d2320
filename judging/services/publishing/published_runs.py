"""The runs of a package: which can be published, their names, settings and answers."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Exists, OuterRef

from evenhand.refusals import raise_if_any
from judging.models import Comparison, Outcome, Run, Score
from judging.models.runs import RunQuerySet
from judging.services.exports.exported_answers import DownloadRow, answer_columns, answer_rows
from judging.services.names import labels

_JUDGE_FIELDS = ("backend", "model", "revision", "dtype", "device")
SPEC_FIELDS = (
    *("dataset", "attribute", "wording", "prompt", "method", "metrics", "writing", "thinking"),
    *("selection", "adaptive", "comparisons", "contexts", "seed", "without"),
)
CALL_FAILED = "the call failed; its message is not published"
FOLDERS = re.compile(r"(?<![\w.~-])(?:~|[A-Za-z]:)?[/\\](?:[^\s:/\\]+[/\\])*")
SHIPPED_JUDGE = "demo"


@dataclass(frozen=True, slots=True)
class PublishedRun:
    """A run in a package. judge: its judge's name there. asked, unparsed, errors: counts of its answers."""

    run: Run
    judge: str
    asked: int
    unparsed: int
    errors: int

    @property
    def file(self) -> str:
        return f"judgments/run-{self.run.pk}.jsonl"

    @property
    def noun(self) -> str:
        return "scores" if self.run.is_scoring else "comparisons"

    @property
    def answered(self) -> int:
        return self.asked - self.unparsed - self.errors

    @property
    def model(self) -> str:
        """The model without folders. Empty for the demo judge and for judges recorded without a model."""
        return "" if self.run.judge.is_demo else without_folders(self.run.judge.model)

    @property
    def columns(self) -> Sequence[str]:
        return answer_columns(self.run, prompts=False)

    @property
    def exclusion_options(self) -> list[str]:
        """Return the options that name what the run leaves out."""
        exclusion = self.run.exclusion
        systems = [f"--without-system={system}" for system in exclusion.systems]
        return [*systems, *(f"--without-context={context}" for context in exclusion.contexts)]

    def rows(self) -> Iterator[DownloadRow]:
        """Yield the answers without the messages of failed calls, which may name servers and keys."""
        for row in answer_rows(self.run):
            yield row | {"error": CALL_FAILED} if row["error"] else row

    def settings(self) -> dict[str, Any]:
        """Return everything that determines the answers: judge, prompt, selection, seed and versions.

        Addresses of endpoints, names of keys, folders and names of imported files are left out.
        """
        run = self.run
        return {
            "run": run.pk,
            "file": self.file,
            "judge": {"name": self.judge}
            | {name: without_folders(getattr(run.judge, name)) for name in _JUDGE_FIELDS if getattr(run.judge, name)},
            "method": run.method,
            "prompt": run.prompt_name,
            "attribute": run.attribute.name,
            "selection": run.selection_name,
            "seed": run.seed,
            "answers": {"answered": self.answered, "unparsed": self.unparsed, "errors": self.errors},
            "spec": {name: run.spec[name] for name in SPEC_FIELDS if name in run.spec},
            "spec_sha256": run.spec_hash,
            "environment": _published_environment(run.environment),
        }


def without_folders(text: str) -> str:
    """Shorten absolute paths to their last part: "/home/ann/models/llama" becomes "llama"."""
    return FOLDERS.sub("", text.rstrip("/\\") if FOLDERS.match(text) else text)


def _published_environment(environment: Mapping[str, Any]) -> dict[str, Any]:
    """Return an environment without folders, and without an endpoint's words, which may name an account."""
    refused = {"refused": sorted(environment["refused"])} if "refused" in environment else {}
    texts = {name: without_folders(one) if isinstance(one, str) else one for name, one in environment.items()}
    return texts | refused


def publishable_runs(runs: RunQuerySet) -> RunQuerySet:
    """Keep the runs on the dataset's texts that have ended and have answers, by number."""
    comparisons, scores = (model.objects.filter(run=OuterRef("pk")) for model in (Comparison, Score))
    ended = runs.ordinary().exclude(status__in=(Run.Status.PENDING, Run.Status.RUNNING))
    answered = ended.filter(Exists(comparisons) | Exists(scores))
    return answered.select_related("dataset", "attribute", "judge", "prompt").order_by("pk")


def published_runs(runs: RunQuerySet, numbers: Sequence[int] | None = None) -> list[PublishedRun]:
    """Return the runs of these numbers; for None, all that can be published.

    runs: those of the dataset that this person may see.
    Raises Refused with every number that is unknown, unfinished or without answers, or that no report has.
    """
    able = {run.pk: run for run in publishable_runs(runs)}
    raise_if_any([_problem_of(number, runs) for number in numbers or () if number not in able])
    return _named([able[number] for number in dict.fromkeys(able if numbers is None else numbers)])


def _problem_of(number: int, runs: RunQuerySet) -> str:
    run = runs.filter(pk=number).first()
    if run is None:
        known = ", ".join(map(str, runs.order_by("pk").values_list("pk", flat=True))) or "none yet"
        return f"run: the dataset has no run {number}; there are: {known}"
    if run.is_active:
        return f"run: {number} has not finished; wait for it or cancel it, then publish it"
    if run.added_sentence or run.asks_null_pairs:
        return f"run: {number} has {'an added sentence' if run.added_sentence else 'equal texts'}; no report has it"
    return f"run: {number} has no answer to publish"


def _named(runs: Sequence[Run]) -> list[PublishedRun]:
    """Give every run a judge's name under which all can be imported side by side."""
    named, known, names = [], set(), labels(run.judge for run in runs)
    for run in runs:
        judge = names[run.judge_id] if run.judge.name != SHIPPED_JUDGE else f"{SHIPPED_JUDGE} (published)"
        key = (judge, run.method, run.prompt_name, run.attribute_id)
        judge = f"{judge} (run {run.pk})" if key in known else judge
        known.add(key)
        named.append(PublishedRun(run, judge, *_counts(run)))
    return named


def _counts(run: Run) -> tuple[int, int, int]:
    """Count all answers, the unparsed ones and the errors."""
    numbers = (run.answers.filter(outcome=outcome).count() for outcome in (Outcome.UNPARSED, Outcome.ERROR))
    return (run.answers.count(), *numbers)  # type: ignore[return-value]
