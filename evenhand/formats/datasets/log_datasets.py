"""Datasets from logs of other tools: their outputs and votes, no scores by judges."""

from collections.abc import Sequence

from evenhand.file_problems import ProblemLog
from evenhand.formats.checked_rows import CheckedRow, clean_name
from evenhand.formats.datasets.dataset_draft import AttributeCollector, ContextDraft, DatasetDraft
from evenhand.formats.datasets.evenhand import read_candidate, read_context, read_context_vote
from evenhand.formats.logs.logged_item import LoggedItem
from evenhand.formats.logs.registry import OpenedLog
from evenhand.formats.records import DatasetRecord


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
