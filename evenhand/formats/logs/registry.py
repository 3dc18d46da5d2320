"""The tools whose logs are read, and reading their files as rows of our own formats.

To add a tool: write one module in this folder, and add one record to LOG_FORMATS.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from evenhand.file_problems import ProblemLog
from evenhand.formats.checked_rows import CheckedRow, FileRows
from evenhand.formats.logs.argilla import ARGILLA_KEYS, read_argilla
from evenhand.formats.logs.benchmark_judgments import (
    GAME_KEYS,
    GRADE_KEYS,
    LLMBAR_VERDICT_KEYS,
    read_games,
    read_grades,
    read_llmbar_verdicts,
)
from evenhand.formats.logs.deepeval import DEEPEVAL_ARRAYS, read_deepeval_run
from evenhand.formats.logs.inspect_ai import INSPECT_KEYS, read_inspect_log
from evenhand.formats.logs.judged_pairs import (
    ALPACA_EVAL_KEYS,
    JUDGE_ARENA_KEYS,
    is_judged,
    read_alpaca_eval,
    read_judge_arena,
)
from evenhand.formats.logs.label_studio import LABEL_STUDIO_KEYS, read_label_studio
from evenhand.formats.logs.lm_eval import LM_EVAL_KEYS, read_lm_eval_samples
from evenhand.formats.logs.log_files import SAMPLES, ArrayPath, open_document
from evenhand.formats.logs.logged_item import LoggedItem, ToolLog, drop_empty
from evenhand.formats.logs.pair_fields import check_labels
from evenhand.formats.logs.promptfoo import PROMPTFOO_KEYS, read_promptfoo_results
from evenhand.formats.mappings.table_mapping import TableMapping
from evenhand.formats.source_files import SourceFile


@dataclass(frozen=True, slots=True)
class LogFormat:
    """A tool's log.

    name: stored with the dataset. keys: those of each record by which a file is recognised, or of the whole object.
    arrays: of a file that is one JSON object, the places where its records may be; empty for tools that write lines or
        tables.
    read: turns the records into items. is_judged: False for a file with the same keys and choices of people.
    """

    name: str
    title: str
    keys: tuple[str, ...]
    read: Callable[[ToolLog], Iterator[LoggedItem]]
    arrays: tuple[ArrayPath, ...] = ()
    is_judged: Callable[[FileRows], bool] = lambda file: True


LOG_FORMATS = (
    LogFormat("inspect-ai", "Inspect AI logs", INSPECT_KEYS, read_inspect_log, (SAMPLES,)),
    LogFormat("lm-eval", "lm-evaluation-harness samples", LM_EVAL_KEYS, read_lm_eval_samples),
    LogFormat("promptfoo", "promptfoo results", PROMPTFOO_KEYS, read_promptfoo_results, (("results", "results"),)),
    LogFormat("deepeval", "DeepEval test runs", (), read_deepeval_run, DEEPEVAL_ARRAYS),
    LogFormat("judge-arena", "JudgeArena annotations", JUDGE_ARENA_KEYS, read_judge_arena),
    LogFormat("label-studio", "Label Studio exports", LABEL_STUDIO_KEYS, read_label_studio),
    LogFormat("argilla", "Argilla exports", ARGILLA_KEYS, read_argilla),
    LogFormat("llmbar-verdicts", "LLMBar verdicts", LLMBAR_VERDICT_KEYS, read_llmbar_verdicts),
    LogFormat("mt-bench-grades", "MT-Bench grades", GRADE_KEYS, read_grades),
    LogFormat("mt-bench-games", "MT-Bench games", GAME_KEYS, read_games),
    LogFormat("alpaca-eval-2", "AlpacaEval annotations", ALPACA_EVAL_KEYS, read_alpaca_eval, is_judged=is_judged),
)


@dataclass(frozen=True, slots=True)
class OpenedLog:
    """A log of a known tool."""

    format: LogFormat
    tool_log: ToolLog

    def items(self, log: ProblemLog) -> Iterator[LoggedItem]:
        """Yield the items, and note what was not used. A record of another form than the tool's is a problem."""
        try:
            yield from self.format.read(self.tool_log)
        except (AttributeError, KeyError, TypeError, IndexError) as error:
            expected = f"the form that {self.format.title} have"
            log.add(self.tool_log.file, None, "", f"{type(error).__name__}: {error}", expected)
        check_labels(self.tool_log, log)
        log.notes += [f"{self.tool_log.file}: {note}" for note in (*self.tool_log.notes, *self.tool_log.unused_parts())]


def find_document_logs(files: Sequence[SourceFile], log: ProblemLog) -> list[OpenedLog]:
    """Return the logs if every file is one JSON object of the same tool; else nothing."""
    found = [_find_document_log(file, log) for file in files]
    logs = [one for one in found if one]
    return logs if len(logs) == len(files) and len({one.format.name for one in logs}) == 1 else []


def find_row_logs(files: Sequence[FileRows], mapping: TableMapping | None = None) -> list[OpenedLog]:
    """Return the logs if every file has lines of the same tool; else nothing. mapping: what a person said of them."""
    row_formats = [known for known in LOG_FORMATS if not known.arrays]
    known = next((one for one in row_formats if all(set(one.keys) <= set(file.columns) for file in files)), None)
    if known is None or not files or not all(map(known.is_judged, files)):
        return []
    said = mapping or TableMapping("")
    return [
        OpenedLog(known, ToolLog(file.name, ((row.line, row.values) for row in file), mapping=said)) for file in files
    ]


def _find_document_log(file: SourceFile, log: ProblemLog) -> OpenedLog | None:
    document = open_document(file, log)
    for known in LOG_FORMATS if document else ():
        if document and known.arrays and all(key in document.header for key in known.keys):
            records = next((document.arrays[path] for path in known.arrays if path in document.arrays), None)
            if records is not None:
                return OpenedLog(known, ToolLog(file.name, records, document.header, document.lengths))
    return None


def judgment_rows(logs: Sequence[OpenedLog], log: ProblemLog, *, noun: str) -> Iterator[CheckedRow]:
    """Yield the rows of one kind of judgment. noun: comparisons, scores, votes or ratings."""
    for opened in logs:
        count, problems = 0, len(log)
        for item in opened.items(log):
            for values in item.context.get("votes", ()) if noun == "votes" else getattr(item, noun, ()):
                count += 1
                row = {"context": item.context["context"], **drop_empty(**values)}
                yield CheckedRow(opened.tool_log.file, item.line, row, log)
        if not count and len(log) == problems:
            log.add(opened.tool_log.file, None, "", f"{opened.format.title} without {noun}", f"a file with {noun}")
