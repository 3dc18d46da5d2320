"""Files -> one dataset, whatever public format they are in."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Literal

from judging.formats.checked_rows import FileRows
from judging.formats.csv_text import read_table
from judging.formats.datasets import candidates_csv, evenhand, hanna, llmbar, mt_bench, summeval, unieval, webnlg
from judging.formats.json_text import read_objects
from judging.formats.problems import InvalidFile, Problem, ProblemLog, shown
from judging.formats.records import DatasetRecord
from judging.formats.source_files import MAX_BYTES, SourceFile, SourceText, decode_all


@dataclass(frozen=True, slots=True)
class Format:
    """A format of datasets.

    keys: what a file of this format has: the keys of its objects, or its columns.
    read: the files' rows -> a dataset; logs what is wrong.
    """

    title: str
    kind: Literal["json", "csv"]
    keys: tuple[str, ...]
    read: Callable[[Sequence[FileRows], ProblemLog], DatasetRecord]

    def likeness(self, columns: Sequence[str]) -> float:
        """The share of the format's keys that are there, from 0 to 1."""
        return sum(key in columns for key in self.keys) / len(self.keys)


FORMATS: Mapping[str, Format] = MappingProxyType(
    {
        "evenhand": Format("Evenhand (JSON Lines)", "json", ("context", "text", "candidates"), evenhand.read),
        "csv": Format("One candidate a line (CSV)", "csv", candidates_csv.REQUIRED, candidates_csv.read),
        "llmbar": Format("LLMBar (JSON)", "json", llmbar.KEYS, llmbar.read),
        "unieval": Format("UniEval (JSON)", "json", unieval.KEYS, unieval.read),
        "summeval": Format("SummEval (JSON Lines)", "json", summeval.KEYS, summeval.read),
        "webnlg": Format("WebNLG (CSV)", "csv", webnlg.KEYS, webnlg.read),
        "hanna": Format("HANNA (CSV)", "csv", hanna.KEYS, hanna.read),
        "mt-bench": Format("MT-Bench human judgments (JSON Lines)", "json", mt_bench.KEYS, mt_bench.read),
    }
)


def read_dataset(
    files: Sequence[SourceFile], format: str | None = None, *, max_bytes: int = MAX_BYTES
) -> DatasetRecord:
    """One dataset from files of one format, which is recognised from their content where it is not given.

    Raises InvalidFile with every problem of every file. max_bytes: the largest file that is read.
    """
    if not files:
        raise InvalidFile([Problem("", None, "", "no file", "at least one")])
    if format is not None and format not in FORMATS:
        raise InvalidFile([Problem(files[0].name, None, "format", shown(format), f"one of {', '.join(FORMATS)}")])
    log = ProblemLog([file.name for file in files])
    contents = _contents(decode_all(files, log, max_bytes=max_bytes), format, log)
    by_format = {format: contents} if format else _by_format(contents, log)
    datasets = [replace(FORMATS[name].read(rows, log), format=name) for name, rows in by_format.items()]
    if not len(log) and not any(dataset.contexts for dataset in datasets):
        log.add(files[0].name, None, "", "no contexts", "at least one")
    log.raise_if_any()
    return datasets[0]


def _contents(texts: Sequence[SourceText], format: str | None, log: ProblemLog) -> list[FileRows]:
    contents = []
    for text in texts:
        is_json = FORMATS[format].kind == "json" if format else text.looks_like_json
        rows = read_objects(text, log) if is_json else read_table(text, log)
        contents += [rows] if rows else []
    return contents


def _by_format(contents: Sequence[FileRows], log: ProblemLog) -> dict[str, list[FileRows]]:
    """The files of each format found; a problem for files of no format, and for those of another than the first."""
    by_format: dict[str, list[FileRows]] = {}
    for file in contents:
        if name := _recognised(file):
            by_format.setdefault(name, []).append(file)
        elif file.columns or file.rows:
            log.forget(file.name)
            keys = ", ".join(map(shown, file.columns[:10])) or "no keys"
            log.add(file.name, None, "", f"no known format: {keys}", _any_format(file))
    first = next(iter(by_format), "")
    for name, files in by_format.items():
        for file in files if name != first else ():
            log.add(file.name, None, "", f"format {name}", f"format {first}, as {by_format[first][0].name}")
    return by_format


def _any_format(file: FileRows) -> str:
    """What a file of no format could have: above all that of people's own files of its kind."""
    own = "csv" if file.is_table else "evenhand"
    keys = ", ".join(FORMATS[own].keys)
    return f"the keys or columns of one of the formats {', '.join(FORMATS)}; those of {own} are {keys}"


def _recognised(file: FileRows) -> str:
    """The format that most of its keys speak for; "" if there is none."""
    if file.rows and isinstance(file.rows[0].values.get("dataset"), dict):
        return "evenhand"
    kind = "csv" if file.is_table else "json"
    likeness = {name: known.likeness(file.columns) for name, known in FORMATS.items() if known.kind == kind}
    best = max(likeness, key=lambda name: likeness[name])
    return best if likeness[best] > 1 / 2 else ""
