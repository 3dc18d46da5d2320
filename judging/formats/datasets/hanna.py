"""HANNA: stories about prompts, one rater's ratings of one story a line [Chhun2022]."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from judging.formats.checked_rows import LONGEST_NAME, FileRows, Row
from judging.formats.datasets.dataset_builder import Attributes, DatasetDraft
from judging.formats.problems import ProblemLog, shown
from judging.formats.records import AttributeRecord, CandidateRecord, DatasetRecord

ATTRIBUTES = ("Relevance", "Coherence", "Empathy", "Surprise", "Engagement", "Complexity")
KEYS = ("Story ID", "Prompt", "Story", "Model")
USUAL = tuple(AttributeRecord(name, minimum=1, maximum=5) for name in ATTRIBUTES)

Ratings = Mapping[str, Mapping[str, float]]


def read(files: Sequence[FileRows], log: ProblemLog) -> DatasetRecord:
    """Lines with the same prompt are one context, numbered from 0, with the human story as its reference.

    A candidate's identifier is its story's; each of its lines is one rater, the worker where the file names one.
    """
    draft = DatasetDraft(Attributes(usual=USUAL))
    for file in files:
        for row in file.rows if file.has_columns(KEYS, log) else ():
            _read_row(row, draft)
    return DatasetRecord(
        context_noun="prompt",
        candidate_noun="story",
        attributes=draft.attributes.records(),
        contexts=draft.contexts(),
    )


def _read_row(row: Row, draft: DatasetDraft) -> None:
    prompt = row.text("Prompt")
    context = draft.about(row, prompt, text=prompt, reference=row.optional_text("Human"), reference_key="Human")
    story = CandidateRecord(key=row.name("Story ID"), text=row.optional_text("Story"), system=row.name("Model"))
    before = context.candidates.get(story.key, story)
    for key, text, first in (("Story", story.text, before.text), ("Model", story.system, before.system)):
        if text != first:
            row.problem(key, shown(text), f"{shown(first)}, as on the other lines of story {shown(story.key)}")
    context.candidates[story.key] = replace(before, ratings=_with_row(before.ratings, row, draft.attributes))


def _with_row(ratings: Ratings, row: Row, attributes: Attributes) -> Ratings:
    """The ratings, and those of one more line."""
    raters = {rater for by_rater in ratings.values() for rater in by_rater}
    rater = row.optional_text("Worker ID", longest=LONGEST_NAME) or f"rater-{len(raters) + 1}"
    if rater in raters:
        row.problem("Worker ID", shown(rater), "another worker: this one has rated the story before")
    scores = attributes.scores(row, [name for name in ATTRIBUTES if name in row.values])
    added = {name: {**ratings.get(name, {}), rater: score} for name, score in scores.items()}
    return {**ratings, **added}
