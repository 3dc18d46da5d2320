"""Read files of any dataset format: recognise the format, or use a mapping of their columns."""

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NoReturn

from evenhand.file_problems import InvalidFile, Problem, ProblemLog, describe_value
from evenhand.formats.checked_rows import CheckedRow, FileRows, clean_name
from evenhand.formats.datasets.dataset_draft import AttributeCollector, ContextDraft, DatasetDraft
from evenhand.formats.datasets.evenhand import read_candidate, read_context, read_context_vote
from evenhand.formats.datasets.registry import BATTLES, DATASET_FORMATS, DatasetFormat
from evenhand.formats.logs.logged_item import LoggedItem
from evenhand.formats.logs.registry import OpenedLog, find_document_logs, find_row_logs
from evenhand.formats.mappings.column_values import SAMPLED_ROWS
from evenhand.formats.mappings.mapping_guess import guess_battles, guess_mapping
from evenhand.formats.mappings.reading_by_mapping import read_mapped
from evenhand.formats.mappings.row_preview import preview_rows
from evenhand.formats.mappings.table_mapping import TableMapping, find_mapping_problems
from evenhand.formats.records import DatasetRecord
from evenhand.formats.source_files import MAX_FILE_BYTES, SourceFile
from evenhand.formats.tables.opening import open_files
from evenhand.formats.temporary_database import StoreIsFull

MAX_LISTED_KEYS = 10
MAPPED_FORMAT = "table"  # of datasets that were read by a mapping


class UnknownTable(InvalidFile):
    """Raised for tables of no known format, whose columns a mapping can name.

    problems: also those of the first lines. mapping: a guess. It may be incomplete.
    """

    def __init__(self, problems: Sequence[Problem], mapping: TableMapping) -> None:
        super().__init__(problems)
        self.mapping = mapping


def read_dataset(
    files: Sequence[SourceFile],
    format: str | None = None,
    *,
    mapping: TableMapping | None = None,
    max_bytes: int = MAX_FILE_BYTES,
) -> DatasetRecord:
    """Read one dataset from files of one format, or by a mapping of their columns.

    mapping: without a layout, it names fields of a log, and gives its labels a meaning.
    format: a key of DATASET_FORMATS; None to recognise it from the content.
    max_bytes: size of the largest file that is read.
    Raises InvalidFile with the problems of every file; UnknownTable if only a mapping is missing.
    """
    if not files:
        raise InvalidFile([Problem("", None, "", "no file", "at least one")])
    if format is not None and format not in DATASET_FORMATS:
        expected = f"one of {', '.join(DATASET_FORMATS)}"
        raise InvalidFile([Problem(files[0].name, None, "format", describe_value(format), expected)])
    log = ProblemLog([file.name for file in files])
    is_table = DATASET_FORMATS[format].is_table if format else None
    is_chosen = bool(format or (mapping and mapping.layout))
    if logs := [] if is_chosen else find_document_logs(files, log):
        return _read_logs(logs, log)
    with open_files(files, log, max_bytes=max_bytes, is_table=is_table) as opened:
        if not len(log) and (logs := [] if is_chosen else find_row_logs(opened, mapping)):
            return _read_logs(logs, log)
        try:
            dataset = _read_mapped(opened, log, mapping) if mapping else _read_known(opened, log, format)
        except StoreIsFull:
            advice = "a dataset of at most 4 GB, and that much free space in the folder of temporary files"
            raise InvalidFile([Problem(files[0].name, None, "", "no space for all its contexts", advice)]) from None
    if not len(log) and not dataset.contexts:
        log.add(files[0].name, None, "", "no contexts", "at least one")
    log.raise_if_any()
    return replace(dataset, notes=tuple(log.all_notes()))


def _read_logs(logs: Sequence[OpenedLog], log: ProblemLog) -> DatasetRecord:
    """Read a dataset from logs of another tool. Only their outputs and votes are in it, no scores by judges."""
    dataset = read_log_dataset(logs, log)
    if not len(log) and not dataset.contexts:
        unused = "; ".join(logs[0].tool_log.unused_parts())
        log.add(logs[0].tool_log.file, None, "", unused or "no contexts", "at least one context")
    log.raise_if_any()
    return replace(dataset, format=logs[0].format.name, notes=tuple(log.all_notes()))


def _read_mapped(opened: Sequence[FileRows], log: ProblemLog, mapping: TableMapping) -> DatasetRecord:
    if problems := list(find_mapping_problems(mapping)):
        raise InvalidFile(problems)
    return replace(read_mapped(opened, log, mapping), format=MAPPED_FORMAT, mapping=mapping.to_json())


def _read_known(opened: Sequence[FileRows], log: ProblemLog, format: str | None) -> DatasetRecord:
    by_format = {format: opened} if format else _group_by_format(opened, log)
    datasets = [_read_format(DATASET_FORMATS[name], rows, log) for name, rows in by_format.items()]
    return datasets[0] if datasets else DatasetRecord()


def _read_format(known: DatasetFormat, files: Sequence[FileRows], log: ProblemLog) -> DatasetRecord:
    """Read the files that have all columns of the format. Other tables are problems."""
    whole = [file for file in files if not known.is_table or file.has_columns(known.keys, log)]
    return replace(known.read(whole, log), format=known.name)


def _group_by_format(opened: Sequence[FileRows], log: ProblemLog) -> Mapping[str, Sequence[FileRows]]:
    """Group files by recognised format. Log files of another format than the first.

    Raises UnknownTable if no file has a known format, and logs those that have none among others.
    """
    by_format: dict[str, list[FileRows]] = {}
    unknown = []
    for file in opened:
        if recognised := _recognise_format(file):
            by_format.setdefault(recognised.name, []).append(file)
        elif not (file.columns or file.peek(1)):
            deque(file, maxlen=0)  # logs why nothing can be read
        else:
            unknown.append(file)
    if unknown and not by_format and not len(log):
        _refuse_unknown(unknown, log)
    for file in unknown:
        problem = _describe_unknown(file)
        log.add(file.name, None, "", problem.value, problem.expected)
    first = next(iter(by_format), "")
    for name, files in by_format.items():
        for file in files if name != first else ():
            log.add(file.name, None, "", f"format {name}", f"format {first}, as {by_format[first][0].name}")
    return by_format


def _log_missing_rows(files: Sequence[FileRows], log: ProblemLog) -> None:
    """Log why no line of a file can be read. A file with nothing but a header may follow others."""
    without_rows = [file for file in files if not file.peek(1)]
    for file in without_rows:
        deque(file, maxlen=0)
    if len(without_rows) == len(files) and not len(log):
        log.add(files[0].name, None, "", "no line below the column names", "at least one")


def _refuse_unknown(files: Sequence[FileRows], log: ProblemLog) -> NoReturn:
    """Raise UnknownTable, or InvalidFile for files with columns but no line to map."""
    _log_missing_rows(files, log)
    log.raise_if_any()
    mapping = guess_mapping(files)
    problems = [_describe_unknown(file) for file in files]
    is_right = not list(find_mapping_problems(mapping)) and not preview_rows(files[0], mapping).has_wrong_texts
    options = mapping.options() if is_right else "--layout LAYOUT --map FIELD=COLUMN"
    problems[-1] = replace(problems[-1], expected=f"{problems[-1].expected}; or map its columns: {options}")
    unreadable = ProblemLog([file.name for file in files])
    for file in files:
        deque(file.first_rows(SAMPLED_ROWS, unreadable), maxlen=0)
    raise UnknownTable([*unreadable.listed(), *problems], mapping)


def _describe_unknown(file: FileRows) -> Problem:
    """Describe a file of no known format, with the keys of our own format of the file's kind."""
    keys = ", ".join(map(describe_value, file.columns[:MAX_LISTED_KEYS])) or "no keys"
    own = next(known for known in DATASET_FORMATS.values() if not known.source and known.is_table == file.is_table)
    names = ", ".join(DATASET_FORMATS)
    expected = f"the keys or columns of one of the formats {names}; those of {own.name} are {', '.join(own.keys)}"
    return Problem(file.name, None, "", f"no known format: {keys}", expected)


def _recognise_format(file: FileRows) -> DatasetFormat | None:
    """Return the format with a matching signature, else the one with the largest share of keys above 1/2."""
    detected = [known for known in DATASET_FORMATS.values() if known.is_detected]
    of_this_type = [known for known in detected if known.is_table in (file.is_table, None)]
    for known in of_this_type:
        if known.has_signature and known.has_signature(file):
            return known
    fitting = [known for known in of_this_type if known.has_keys(file.columns)]
    if not any(known.share_of_keys(file.columns) == 1 for known in fitting) and guess_battles(file):
        return DATASET_FORMATS[BATTLES]
    return max(fitting, key=lambda known: known.fit(file.columns), default=None)


def read_log_dataset(logs: Sequence[OpenedLog], log: ProblemLog) -> DatasetRecord:
    """Read one dataset from all logs, record by record. Records with the same context add to it."""
    draft = DatasetDraft(AttributeCollector())
    for opened in logs:
        for item in opened.items(log):
            if "text" not in item.context:
                opened.tool_log.skip("judgments without the texts that were judged")
                continue
            for _ in item.comparisons:
                opened.tool_log.skip("comparisons by a judge, which are no votes; import_comparisons stores them")
            row = CheckedRow(opened.tool_log.file, item.line, item.context, log)
            _add_item(row, item, draft)
    return draft.to_record(log)


def _add_item(row: CheckedRow, item: LoggedItem, draft: DatasetDraft) -> None:
    for name in item.attributes:
        draft.attributes.get_or_add(row, "", name)
    context = draft.find_context(clean_name(str(item.context["context"])))
    if context is None:
        read_context(row, draft)
    else:
        _merge(row, context, draft)


def _merge(row: CheckedRow, context: ContextDraft, draft: DatasetDraft) -> None:
    """Add the candidates and votes of a later record to its context. Another text of either is a problem."""
    for key, first in (("text", context.values.text), ("reference", context.values.reference)):
        context.require_same(row, key, row.optional_text(key), first)
    for candidate in row.objects("candidates"):
        context.add_once(candidate, "text", read_candidate(candidate, draft.attributes))
    for vote in row.objects("votes", may_be_empty=True) if "votes" in row.values else []:
        context.add_vote(read_context_vote(vote, context, draft.attributes))
