"""Read outputs of systems with human scores: SummEval [Fabbri2021], UniEval [Zhong2022] and WebNLG 2017 [Gardent2017].

A candidate's identifier is its system's name.
"""

from collections.abc import Mapping, Sequence
from itertools import chain

from evenhand.file_problems import ProblemLog
from evenhand.formats.checked_rows import CheckedRow, FileRows
from evenhand.formats.datasets.dataset_draft import AttributeCollector, ContextDraft, DatasetDraft
from evenhand.formats.records import AttributeRecord, CandidateRecord, DatasetRecord

_SUMMEVAL_ATTRIBUTES = tuple(
    AttributeRecord(name, minimum=1, maximum=5) for name in ("coherence", "consistency", "fluency", "relevance")
)
_WEBNLG_ATTRIBUTES = tuple(AttributeRecord(name, minimum=1, maximum=3) for name in ("fluency", "grammar", "semantics"))
_WEBNLG_NAMES = tuple(attribute.name for attribute in _WEBNLG_ATTRIBUTES)

# The six questions that USR asks about Topical-Chat [Mehri2020]. UniEval renamed two of them, and comparative
# assessment [Liusie2024] calls another one "coherence" than UniEval does. The definitions give all names.
TOPICAL_CHAT_ATTRIBUTES = (
    AttributeRecord(
        "understandability",
        definition="Is the response understandable given the dialogue? "
        '("Understandable" in USR; "coherence" in comparative assessment)',
        minimum=0,
        maximum=1,
    ),
    AttributeRecord("naturalness", minimum=1, maximum=3),
    AttributeRecord(
        "coherence",
        definition="Is the response a valid continuation of the dialogue? "
        '("Maintains Context" in USR; "continuity" in comparative assessment)',
        minimum=1,
        maximum=3,
    ),
    AttributeRecord("engagingness", minimum=1, maximum=3),
    AttributeRecord("groundedness", minimum=0, maximum=1),
    AttributeRecord("overall", minimum=1, maximum=5),
)
_TOPICAL_CHAT_NAMES = {attribute.name for attribute in TOPICAL_CHAT_ATTRIBUTES}

SUMMEVAL_KEYS = ("id", "source", "candidates")
UNIEVAL_KEYS = ("source", "system_id", "system_output", "scores")
WEBNLG_KEYS = ("mr", "team", "text", *_WEBNLG_NAMES)
_INTRODUCTION = "The following are semantic triples of the form (subject|relation|object)\n\n"  # [Liusie2024]


def read_summeval(files: Sequence[FileRows], log: ProblemLog) -> DatasetRecord:
    """Read one article per line, with its summaries and the mean scores of experts."""
    draft = DatasetDraft(AttributeCollector(predefined=_SUMMEVAL_ATTRIBUTES))
    for row in chain.from_iterable(files):
        reference = row.text_or_empty("reference")
        context = draft.add_context(row, "id", key=row.identifier("id"), text=row.text("source"), reference=reference)
        for summary in row.objects("candidates"):
            _add_output(summary, "system", "text", context, draft.attributes)
    return draft.to_record(log, context_noun="passage", candidate_noun="summary")


def read_unieval(files: Sequence[FileRows], log: ProblemLog) -> DatasetRecord:
    """Read one output per row. Rows with the same source are one context, numbered from 0."""
    first: Mapping[str, object] = next((row.values for file in files for row in file.peek(1)), {})
    is_dialogue, scores = "context" in first, first.get("scores")
    is_topical_chat = is_dialogue and isinstance(scores, dict) and set(scores) == _TOPICAL_CHAT_NAMES
    draft = DatasetDraft(AttributeCollector(predefined=TOPICAL_CHAT_ATTRIBUTES if is_topical_chat else ()))
    for row in chain.from_iterable(files):
        source, reference = row.text("source"), row.text_or_empty("reference")
        context = draft.context_of_source(row, source, text=source, reference=reference, reference_key="reference")
        _add_output(row, "system_id", "system_output", context, draft.attributes)
    nouns = ("dialogue", "response") if is_dialogue else ("passage", "summary")
    return draft.to_record(log, context_noun=nouns[0], candidate_noun=nouns[1])


def read_webnlg(files: Sequence[FileRows], log: ProblemLog) -> DatasetRecord:
    """Read one team's text about a set of triples per line. Lines with the same triples are one context.

    A text may be empty: one of the systems wrote none for some triples.
    """
    draft = DatasetDraft(AttributeCollector(predefined=_WEBNLG_ATTRIBUTES))
    for row in chain.from_iterable(files):
        triples, team = row.text("mr"), row.identifier("team")
        context = draft.context_of_source(row, triples, text=_INTRODUCTION + triples.replace("<br>", "\n"))
        text, scores = row.optional_text("text"), draft.attributes.read_row_scores(row, _WEBNLG_NAMES)
        context.add_candidate(row, "team", CandidateRecord(team, text, team, scores))
    return draft.to_record(log, context_noun="passage", candidate_noun="summary")


def _add_output(row: CheckedRow, system: str, text: str, context: ContextDraft, attributes: AttributeCollector) -> None:
    """Add the output of a row. system, text: their keys. The scores are in an object of their own."""
    name, scores = row.identifier(system), row.object("scores")
    output = CandidateRecord(
        key=name,
        text=row.text(text, may_be_empty=True),
        system=name,
        scores=attributes.read_row_scores(scores, scores.values),
    )
    context.add_candidate(row, system, output)
