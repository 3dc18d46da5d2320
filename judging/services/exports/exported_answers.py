"""Rows and columns of a run's download and of export_comparisons, one row for each answer.

The import commands read these rows. Further columns are for people.
"""

from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import Any

from evenhand.engine import Question, Renderer
from evenhand.engine.questions.reply_questions import ReplyQuestion
from evenhand.engine.replies.reasoned_replies import continue_reply, join_reply
from evenhand.engine.replies.sampled_answers import count_readings, read_samples
from evenhand.prompting.templates import WordedPrompt
from evenhand.refusals import Refused
from judging.models import Comparison, Outcome, Reasoning, Run, Score
from judging.models.reasonings import REMOVED_AFTER
from judging.services.execution.reasoning import add_stored_criteria, stored_reasonings
from judging.services.exports.answer_descriptions import offers_tie
from judging.services.plans.question_texts import (
    QuestionTexts,
    WrittenText,
    build_question,
    load_texts_of,
    reasoning_subjects,
)
from judging.services.plans.run_plan import CandidatePair
from judging.services.plans.run_spec import require_same_tokenizer, worded_prompt

NUMERIC_COLUMNS = (
    *("p_first", "raw_first", "raw_second", "raw_tie", "score"),
    *(
        "samples_first",
        "samples_second",
        "samples_tie",
        "samples_read",
        "samples_unparsed",
        "temperature",
        "reasonings_cut",
    ),
    *("p_first_before", "score_before", "thinking_tokens"),
)
COMPARISON_FILE_COLUMNS = (
    *("context", "attribute", "first", "second", "p_first", "choice", "prompt", "method"),
    *("decision", "raw_first", "raw_second", "text", "error", "problem"),
)
SCORE_FILE_COLUMNS = ("context", "attribute", "candidate", "score", "prompt", "method", "text", "error", "problem")
SAMPLE_COLUMNS = ("samples_first", "samples_second", "samples_unparsed", "temperature")
SCORE_SAMPLE_COLUMNS = ("samples_read", "samples_unparsed", "temperature")
COMPARISON_THINKING_COLUMNS = ("p_first_before", "thinking_tokens", "thinking")
SCORE_THINKING_COLUMNS = ("score_before", "thinking_tokens", "thinking")
PROMPT_COLUMNS = ("prompt_text", "answer_prefix", "label_first", "label_second", "label_tie")

ANSWERS_AT_ONCE = 500
IDS_AT_ONCE = 2_000

DownloadRow = dict[str, Any]


def answer_rows(run: Run) -> Iterator[DownloadRow]:
    """Yield one row for each answer of a run: comparisons, or scores of a scoring run. In the order answered."""
    return map(_row_builder(run), _answers(run))


def rows_with_prompts(run: Run, *, renderer: Renderer) -> Iterator[DownloadRow]:
    """Yield the same rows with the rendered prompts. They are None for answers without a question.

    Raises Refused for a recorded run, and for a renderer with another tokenizer than the run's.
    """
    if run.prompt is None:
        raise Refused(f"run {run.pk} was recorded elsewhere; its prompts are not known")
    require_same_tokenizer(run, renderer)
    return _rows_with_prompts(run, worded_prompt(run.spec), renderer)


def _rows_with_prompts(run: Run, prompt: WordedPrompt, renderer: Renderer) -> Iterator[DownloadRow]:
    to_row, answers = _row_builder(run), _answers(run)
    if run.texts_removed:
        removed = dict.fromkeys(PROMPT_COLUMNS) | {"prompt_text": f"{REMOVED_AFTER}{run.texts_removed_after} days]"}
        yield from (to_row(answer) | removed for answer in answers)
    while some := list(islice(answers, ANSWERS_AT_ONCE)):
        items = [answer.candidate_ids for answer in some]
        texts = add_stored_criteria(run, load_texts_of(run, items))
        stored = stored_reasonings(run, (one for item in items for one in reasoning_subjects(run.asked_method, item)))
        for answer, item in zip(some, items, strict=True):
            reasonings = [stored.get(subject) for subject in reasoning_subjects(run.asked_method, item)]
            yield to_row(answer) | _rendered(
                prompt, renderer, texts, answer, reasonings, reads_on=run.judge.has_weights and run.samples is None
            )


def _answers(run: Run) -> Iterator[Comparison | Score]:
    """Yield the answers by id. Only ids are all in memory: SQLite would sort whole rows there."""
    related = ("context", *run.candidate_fields)
    rows = run.answers.model._default_manager.select_related(*related).order_by("pk")
    rows = rows.defer("context__reference", *(f"{name}__text" for name in related))
    ids = array("q", run.answers.order_by("pk").values_list("pk", flat=True).iterator(IDS_AT_ONCE))
    for start in range(0, len(ids), IDS_AT_ONCE):
        yield from rows.filter(pk__in=ids[start : start + IDS_AT_ONCE].tolist())


def _row_builder(run: Run) -> Callable[[Any], DownloadRow]:
    """Return the function that turns an answer of this run into a row."""
    if run.is_scoring:
        to_row = partial(_score_row, run, has_thinking=_has_thinking(run))
    else:
        held_out = run.held_out_pairs()
        to_row = partial(
            _comparison_row, run, held_out=held_out, has_tie=_has_tie(run), has_thinking=_has_thinking(run)
        )
    if not run.reasonings_planned:
        return to_row
    cut = {one.candidate_ids for one in Reasoning.objects.of_run(run).filter(complete=False).defer("text", "thinking")}
    return lambda answer: (
        to_row(answer)
        | {"reasonings_cut": len(cut.intersection(reasoning_subjects(run.asked_method, answer.candidate_ids)))}
    )


def _score_row(run: Run, score: Score, *, has_thinking: bool) -> DownloadRow:
    return {
        "context": score.context.key,
        "attribute": run.attribute.name,
        "candidate": score.candidate.key,
        "score": score.value,
        "prompt": run.prompt_name,
        "method": run.method,
        "text": score.text or None,
        "error": score.error or None,
        "problem": score.problem or None,
        **_score_samples(run, score),
        **(_thinking(score, {"score_before": score.value_before}) if has_thinking else {}),
    }


def _thinking(answer: Comparison | Score, before: DownloadRow) -> DownloadRow:
    """Return the columns of the thinking. before: the column of the answer without thinking."""
    return before | {"thinking_tokens": answer.thinking_tokens, "thinking": answer.thinking or None}


def _score_samples(run: Run, score: Score) -> DownloadRow:
    """Count a sampled score's texts with and without a number."""
    if run.samples is None:
        return {}
    counts = count_readings(read_samples(score.text))
    read = sum(number for value, number in counts.items() if value is not None)
    return dict(zip(SCORE_SAMPLE_COLUMNS, (read, counts.get(None, 0), run.temperature), strict=True))


def _comparison_row(
    run: Run, comparison: Comparison, *, held_out: set[CandidatePair], has_tie: bool, has_thinking: bool
) -> DownloadRow:
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
        "problem": comparison.problem or None,
        **_samples(run, comparison, has_tie=has_tie),
        **(_thinking(comparison, {"p_first_before": comparison.p_first_before}) if has_thinking else {}),
    }
    if has_tie:
        row["raw_tie"] = comparison.raw_tie
    if run.hold_out is None:
        return row
    is_held_out = comparison.candidate_ids in held_out
    return row | {"drawn": "at random" if is_held_out else "by answers"}


def _samples(run: Run, comparison: Comparison, *, has_tie: bool) -> DownloadRow:
    """Count a sampled answer's texts by decision."""
    if run.samples is None:
        return {}
    counts = count_readings(read_samples(comparison.text))
    values = (*(counts.get(read, 0) for read in ("first", "second", None)), run.temperature)
    ties = {"samples_tie": counts.get("tie", 0)} if has_tie else {}
    return dict(zip(SAMPLE_COLUMNS, values, strict=True)) | ties


def _rendered(
    prompt: WordedPrompt,
    renderer: Renderer,
    texts: QuestionTexts,
    answer: Comparison | Score,
    written: Sequence[WrittenText | None],
    *,
    reads_on: bool,
) -> DownloadRow:
    """Render the prompt of an answer. With thinking it is the prompt after the thinking.

    reads_on: the judge read probabilities after its own reply, which is then the answer prefix.
    """
    item = answer.candidate_ids
    texts_written = [one.text for one in written if one is not None and not one.error]
    if len(texts_written) < len(written) or texts.criteria_problem(item[0]):
        return dict.fromkeys(PROMPT_COLUMNS)
    question = build_question(prompt, texts, item, reasonings=texts_written)
    if question.thinking:
        question = replace(question, thought=answer.thinking)
    if reads_on and isinstance(question, ReplyQuestion):
        question = _after_reply(question, answer)
    rendered = renderer.render(question)
    return {name: getattr(rendered, name) for name in PROMPT_COLUMNS}


def _after_reply(question: ReplyQuestion, answer: Comparison | Score) -> Question:
    """Return the question for the label word after the judge's own reply; the question itself without an answer."""
    if answer.outcome != Outcome.ANSWERED or question.pattern.compares_scores:
        return question
    reasoning = "" if question.thinking else answer.thinking
    reply = join_reply(reasoning, answer.text, question.pattern.place)
    return continue_reply(question, reply, thought=question.thought, kind=Question)


def answer_columns(run: Run, *, prompts: bool) -> Sequence[str]:
    """Return the columns of a run's file, in order. prompts: include the rendered prompts.

    Adaptive runs add how each pair was drawn. Sampled runs add counts of their texts, and runs with thinking the
    thinking. Runs whose judge reasons first add the number of these texts that their limit cut off.
    """
    has_tie = _has_tie(run)
    columns = [*(SCORE_FILE_COLUMNS if run.is_scoring else COMPARISON_FILE_COLUMNS)]
    if run.samples is not None:
        columns += SCORE_SAMPLE_COLUMNS if run.is_scoring else SAMPLE_COLUMNS
    if has_tie and not run.is_scoring:
        columns += ["raw_tie"] if run.samples is None else ["samples_tie", "raw_tie"]
    if _has_thinking(run):
        columns += SCORE_THINKING_COLUMNS if run.is_scoring else COMPARISON_THINKING_COLUMNS
    if run.reasonings_planned:
        columns += ["reasonings_cut"]
    if run.hold_out is not None:
        columns += ["drawn"]
    if prompts:
        columns += [name for name in PROMPT_COLUMNS if has_tie or name != "label_tie"]
    return tuple(columns)


def _has_thinking(run: Run) -> bool:
    """Return True if the judge thinks before its answers, or recorded answers have thinking."""
    if run.prompt_id is None:
        return run.answers.exclude(thinking="", thinking_tokens=0).exists()
    return run.thinking is not None


def _has_tie(run: Run) -> bool:
    """Return True if the prompt offers ties, or a recorded run has probabilities of ties."""
    if run.prompt_id is None:
        return run.comparisons.exclude(raw_tie=None).exists()
    return offers_tie(run)
