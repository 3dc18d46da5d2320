"""A run's answers as rows to take home: what import_comparisons and import_scores read, and columns to read by eye."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, TypeVar

from django.db.models import Model, QuerySet

from judging.engine import Renderer
from judging.engine.replies.sampled_answers import count_readings, read_samples
from judging.exceptions import Refused
from judging.models import Comparison, Outcome, Run, Score
from judging.prompting.templates import WordedPrompt
from judging.services.execution.criteria import add_stored_criteria
from judging.services.execution.reasoning import stored_reasonings
from judging.services.exports.answer_in_words import offers_tie
from judging.services.plans.pair_plan import CandidatePair
from judging.services.plans.question_texts import (
    CandidateIds,
    QuestionTexts,
    WrittenText,
    build_question,
    load_texts,
    reasoning_subjects,
)
from judging.services.plans.run_environment import require_same_tokenizer
from judging.services.plans.run_spec import worded_prompt

NUMBERS = (
    *("p_first", "raw_first", "raw_second", "raw_tie", "score"),
    *("samples_first", "samples_second", "samples_tie", "samples_read", "samples_unparsed", "temperature"),
)
COLUMNS = (
    *("context", "attribute", "first", "second", "p_first", "choice", "prompt", "method"),
    *("decision", "raw_first", "raw_second", "text", "error"),
)
SCORE_COLUMNS = ("context", "attribute", "candidate", "score", "prompt", "method", "text", "error")
ADAPTIVE_COLUMNS = ("drawn",)
SAMPLE_COLUMNS = ("samples_first", "samples_second", "samples_unparsed", "temperature")
SCORE_SAMPLE_COLUMNS = ("samples_read", "samples_unparsed", "temperature")
TIE_COLUMNS = ("raw_tie",)
TIE_SAMPLE_COLUMNS = ("samples_tie",)
PROMPT_COLUMNS = ("prompt_text", "answer_prefix", "label_first", "label_second")
TIE_PROMPT_COLUMNS = ("label_tie",)

ROWS_AT_ONCE = 500
READ_AT_ONCE = 2_000

Row = dict[str, Any]
Answer = TypeVar("Answer", bound=Model)


def comparison_rows(run: Run) -> Iterator[Row]:
    """One row per comparison, in the order answered; None where there is nothing. Raises Refused for a scoring run."""
    if run.is_scoring:
        raise Refused(f"run {run.pk} has scores, not comparisons")
    held_out, has_tie = run.held_out_pairs(), _has_tie(run)
    return (_row(run, comparison, held_out, has_tie=has_tie) for comparison in _comparisons(run))


def score_rows(run: Run) -> Iterator[Row]:
    """One row per score of a scoring run, in the order answered; None where there is nothing."""
    return (_score_row(run, score) for score in _scores(run))


def rows_of(run: Run) -> Iterator[Row]:
    """One row per answer of a run, be it a comparison or a score."""
    return score_rows(run) if run.is_scoring else comparison_rows(run)


def rows_with_prompts(run: Run, *, renderer: Renderer) -> Iterator[Row]:
    """The same rows with exactly what the tokenizer was given. Where nothing was asked, these columns are None.

    Raises Refused for a run that was not asked here, and where the renderer is not what rendered for it.
    """
    if run.prompt is None:
        raise Refused(f"run {run.pk} was recorded elsewhere; its prompts are not known")
    require_same_tokenizer(run, renderer)
    prompt = worded_prompt(run.spec)
    return (_scores_with_prompts if run.is_scoring else _rows_with_prompts)(run, prompt, renderer)


def _scores(run: Run) -> Iterator[Score]:
    rows = Score.objects.select_related("context", "candidate")
    return _in_order(run.scores.all(), rows.defer("context__text", "context__reference", "candidate__text"))


def _score_row(run: Run, score: Score) -> Row:
    return {
        "context": score.context.key,
        "attribute": run.attribute.name,
        "candidate": score.candidate.key,
        "score": score.value,
        "prompt": run.prompt_name,
        "method": run.method,
        "text": score.text or None,
        "error": score.error or None,
        **_score_samples(run, score),
    }


def _score_samples(run: Run, score: Score) -> Row:
    """Of a sampled score, how many of its texts have a number."""
    if run.samples is None:
        return {}
    counts = count_readings(read_samples(score.text))
    read = sum(number for value, number in counts.items() if value is not None)
    return dict(zip(SCORE_SAMPLE_COLUMNS, (read, counts.get(None, 0), run.temperature), strict=True))


def _samples(run: Run, comparison: Comparison, *, has_tie: bool) -> Row:
    """Of a sampled answer, how many of its texts say what."""
    if run.samples is None:
        return {}
    counts = count_readings(read_samples(comparison.text))
    told = (*(counts.get(read, 0) for read in ("first", "second", None)), run.temperature)
    ties = {"samples_tie": counts.get("tie", 0)} if has_tie else {}
    return dict(zip(SAMPLE_COLUMNS, told, strict=True)) | ties


def _scores_with_prompts(run: Run, prompt: WordedPrompt, renderer: Renderer) -> Iterator[Row]:
    scores = _scores(run)
    while some := list(islice(scores, ROWS_AT_ONCE)):
        texts = add_stored_criteria(run, load_texts([[score.candidate_id for score in some]]))
        shown = [(score.candidate_id,) for score in some]
        analyses = stored_reasonings(run, (one for item in shown for one in reasoning_subjects(run.method, item)))
        for score, item in zip(some, shown, strict=True):
            written = [analyses.get(one) for one in reasoning_subjects(run.method, item)]
            yield _score_row(run, score) | _rendered(prompt, renderer, texts, item, written)


def _comparisons(run: Run) -> Iterator[Comparison]:
    rows = Comparison.objects.select_related("context", "first", "second")
    texts = ("context__text", "context__reference", "first__text", "second__text")
    return _in_order(run.comparisons.all(), rows.defer(*texts))


def _in_order(answers: QuerySet[Answer], rows: QuerySet[Answer]) -> Iterator[Answer]:
    """Answers as `rows` has them. Only their ids are all held at once: SQLite sorts what it is asked for in memory."""
    ids = array("q", answers.order_by("pk").values_list("pk", flat=True).iterator(READ_AT_ONCE))
    for start in range(0, len(ids), READ_AT_ONCE):
        yield from rows.filter(pk__in=ids[start : start + READ_AT_ONCE].tolist()).order_by("pk")


def _row(run: Run, comparison: Comparison, held_out: set[CandidatePair], *, has_tie: bool) -> Row:
    answered = comparison.outcome == Outcome.ANSWERED
    row = {
        "context": comparison.context.key,
        "attribute": run.attribute.name,
        "first": comparison.first.key,
        "second": comparison.second.key,
        "p_first": comparison.p_first,
        "choice": (comparison.choice if answered else comparison.outcome) or None,
        "prompt": run.prompt_name,
        "method": run.method,
        "decision": comparison.decision or None,
        "raw_first": comparison.raw_first,
        "raw_second": comparison.raw_second,
        "text": comparison.text or None,
        "error": comparison.error or None,
        **_samples(run, comparison, has_tie=has_tie),
    }
    if has_tie:
        row["raw_tie"] = comparison.raw_tie
    if run.hold_out is None:
        return row
    is_held_out = (comparison.first_id, comparison.second_id) in held_out
    return row | {"drawn": "at random" if is_held_out else "by answers"}


def _rows_with_prompts(run: Run, prompt: WordedPrompt, renderer: Renderer) -> Iterator[Row]:
    comparisons, held_out, has_tie = _comparisons(run), run.held_out_pairs(), _has_tie(run)
    while some := list(islice(comparisons, ROWS_AT_ONCE)):
        pairs = [(comparison.first_id, comparison.second_id) for comparison in some]
        texts = add_stored_criteria(run, load_texts(pairs))
        analyses = stored_reasonings(run, (shown for pair in pairs for shown in reasoning_subjects(run.method, pair)))
        for comparison, pair in zip(some, pairs, strict=True):
            written = [analyses.get(shown) for shown in reasoning_subjects(run.method, pair)]
            yield _row(run, comparison, held_out, has_tie=has_tie) | _rendered(prompt, renderer, texts, pair, written)


def _rendered(
    prompt: WordedPrompt,
    renderer: Renderer,
    texts: QuestionTexts,
    item: CandidateIds,
    written: Sequence[WrittenText | None],
) -> Row:
    there = [one.text for one in written if one is not None and not one.error]
    if len(there) < len(written) or texts.criteria_problem(item[0]):
        return dict.fromkeys((*PROMPT_COLUMNS, *TIE_PROMPT_COLUMNS))
    rendered = renderer.render(build_question(prompt, texts, item, reasonings=there))
    return {name: getattr(rendered, name) for name in (*PROMPT_COLUMNS, *TIE_PROMPT_COLUMNS)}


def columns_of(run: Run, *, prompts: bool) -> Sequence[str]:
    """The columns of a file, in order; those of an adaptive run tell how each pair was drawn, those of a sampled one
    what its texts say."""
    adaptive = () if run.hold_out is None else ADAPTIVE_COLUMNS
    sampled = () if run.samples is None else (SCORE_SAMPLE_COLUMNS if run.is_scoring else SAMPLE_COLUMNS)
    ties, asked_ties = (TIE_COLUMNS, TIE_PROMPT_COLUMNS) if _has_tie(run) else ((), ())
    sampled_ties = TIE_SAMPLE_COLUMNS if ties and sampled else ()
    answers = (*SCORE_COLUMNS, *sampled) if run.is_scoring else (*COLUMNS, *sampled, *sampled_ties, *ties, *adaptive)
    return (*answers, *((*PROMPT_COLUMNS, *asked_ties) if prompts else ()))


def _has_tie(run: Run) -> bool:
    """Whether the judge could call a tie, or a file that was imported tells how probable ties were."""
    if run.prompt_id is None:
        return run.comparisons.exclude(raw_tie=None).exists()
    return offers_tie(run)
