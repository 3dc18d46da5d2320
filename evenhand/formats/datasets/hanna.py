"""Read HANNA: stories about prompts, with one rater's ratings of one story per line [Chhun2022].

The stories of a prompt are one context, or all stories together, as in [Liusie2024b].
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain

from evenhand.file_problems import ProblemLog, describe_value
from evenhand.formats.checked_rows import MAX_NAME_LENGTH, CheckedRow, FileRows
from evenhand.formats.datasets.dataset_draft import AttributeCollector, ContextDraft, DatasetDraft
from evenhand.formats.records import AttributeRecord, CandidateRecord, DatasetRecord

HANNA_KEYS = ("Story ID", "Prompt", "Story", "Model")
_ATTRIBUTE_NAMES = ("Relevance", "Coherence", "Empathy", "Surprise", "Engagement", "Complexity")
_ATTRIBUTES = tuple(AttributeRecord(name, minimum=1, maximum=5) for name in _ATTRIBUTE_NAMES)

_ALL_STORIES = "all stories"

_Ratings = Mapping[str, Mapping[str, float]]  # attribute -> rater -> number


def read_hanna(files: Sequence[FileRows], log: ProblemLog) -> DatasetRecord:
    """Read a dataset. Lines with the same prompt are one context, numbered from 0; the human story is its reference.

    A candidate's identifier is its story's. Each line of a story is one rater: the worker if the file names one.
    """
    draft = DatasetDraft(AttributeCollector(predefined=_ATTRIBUTES))
    for row in chain.from_iterable(files):
        prompt, reference = row.text("Prompt"), row.optional_text("Human")
        context = draft.context_of_source(row, prompt, text=prompt, reference=reference, reference_key="Human")
        _read_story(row, draft, context, row.optional_text("Story"))
    return draft.to_record(log, context_noun="prompt", candidate_noun="story")


def read_hanna_as_one_context(files: Sequence[FileRows], log: ProblemLog) -> DatasetRecord:
    """Read a dataset with all stories in one context without a text. Each candidate's text begins with its prompt."""
    draft = DatasetDraft(AttributeCollector(predefined=_ATTRIBUTES))
    for row in chain.from_iterable(files):
        context = draft.context_of_source(row, _ALL_STORIES, text="")
        text = f"Prompt: {row.text('Prompt')}\n\nGenerated Story: {row.optional_text('Story')}"
        _read_story(row, draft, context, text)
    return draft.to_record(log, context_noun="collection", candidate_noun="story")


def _read_story(row: CheckedRow, draft: DatasetDraft, context: ContextDraft, text: str) -> None:
    """Add a story to its context, or one more rater's ratings to a story."""
    story = CandidateRecord(key=row.identifier("Story ID"), text=text, system=row.identifier("Model"))
    earlier = context.find_candidate(story.key)
    if earlier is None:
        context.add_candidate(row, "Story ID", replace(story, ratings=_add_row_ratings({}, row, draft.attributes)))
        return
    for key, text, earlier_text in (("Story", story.text, earlier.text), ("Model", story.system, earlier.system)):
        if text != earlier_text:
            expected = f"{describe_value(earlier_text)}, as on the other lines of story {describe_value(story.key)}"
            row.add_problem(key, describe_value(text), expected)
    ratings = _add_row_ratings(earlier.ratings, row, draft.attributes)
    context.replace_candidate(replace(earlier, ratings=ratings))


def _add_row_ratings(ratings: _Ratings, row: CheckedRow, attributes: AttributeCollector) -> _Ratings:
    """Return the ratings with those of one more line."""
    raters = {rater for by_rater in ratings.values() for rater in by_rater}
    rater = row.optional_text("Worker ID", max_length=MAX_NAME_LENGTH) or f"rater-{len(raters) + 1}"
    if rater in raters:
        row.add_problem("Worker ID", describe_value(rater), "another worker: this one already rated the story")
    scores = attributes.read_row_scores(row, _ATTRIBUTE_NAMES)
    added = {name: {**ratings.get(name, {}), rater: score} for name, score in scores.items()}
    return {**ratings, **added}
