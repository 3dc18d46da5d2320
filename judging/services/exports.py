"""A run's answers as rows to take home: what import_comparisons and import_scores read, and columns to read by eye."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from judging.engine import Renderer
from judging.exceptions import Refused
from judging.models import Comparison, Outcome, Prompt, Run
from judging.prompting import WordedPrompt
from judging.services.decisions import decision
from judging.services.plans import Pair
from judging.services.reasonings import stored_analyses
from judging.services.specs import worded_prompt
from judging.services.texts import Analysis, Texts, comparison_question, texts_of

TEXTS = ("context", "attribute", "first", "second", "choice", "prompt", "method", "decision", "text", "error")
NUMBERS = ("p_first", "raw_first", "raw_second")
COLUMNS = (
    *("context", "attribute", "first", "second", "p_first", "choice", "prompt", "method"),
    *("decision", "raw_first", "raw_second", "text", "error"),
)
SCORE_COLUMNS = ("context", "attribute", "candidate", "score", "prompt", "method", "text", "error")
ADAPTIVE_COLUMNS = ("drawn",)
PROMPT_COLUMNS = ("prompt_text", "answer_prefix", "label_first", "label_second")

ROWS_AT_ONCE = 500

Row = dict[str, Any]


def comparison_rows(run: Run) -> Iterator[Row]:
    """One row per comparison, in the order answered; None where there is nothing. Raises Refused for a scoring run."""
    if run.is_scoring:
        raise Refused(f"run {run.pk} has scores, not comparisons")
    held_out = run.held_out_pairs()
    return (_row(run, comparison, held_out) for comparison in _comparisons(run))


def score_rows(run: Run) -> Iterator[Row]:
    """One row per score of a scoring run, in the order answered; None where there is nothing."""
    for score in run.scores.select_related("context", "candidate").order_by("pk").iterator(2_000):
        yield {
            "context": score.context.key,
            "attribute": run.attribute.name,
            "candidate": score.candidate.key,
            "score": score.value,
            "prompt": run.prompt_name,
            "method": run.method,
            "text": score.text or None,
            "error": score.error or None,
        }


def comparison_rows_with_prompts(run: Run, *, renderer: Renderer) -> Iterator[Row]:
    """The same rows with exactly what the tokenizer was given. Where nothing was asked, these columns are None.

    Raises Refused for a run that was not asked here.
    """
    if run.prompt is None or run.is_scoring:
        raise Refused(f"run {run.pk} was recorded elsewhere; its prompts are not known")
    return _rows_with_prompts(run, worded_prompt(run.spec), renderer)


def _comparisons(run: Run) -> Iterator[Comparison]:
    rows = run.comparisons.select_related("context", "first", "second").order_by("pk")
    return rows.defer("context__text", "context__reference", "first__text", "second__text").iterator(2_000)


def _row(run: Run, comparison: Comparison, held_out: set[Pair]) -> Row:
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
        "decision": decision(comparison) or None,
        "raw_first": comparison.raw_first,
        "raw_second": comparison.raw_second,
        "text": comparison.text or None,
        "error": comparison.error or None,
    }
    if run.hold_out is None:
        return row
    is_held_out = (comparison.first_id, comparison.second_id) in held_out
    return row | {"drawn": "at random" if is_held_out else "by answers"}


def _rows_with_prompts(run: Run, prompt: WordedPrompt, renderer: Renderer) -> Iterator[Row]:
    comparisons, held_out = _comparisons(run), run.held_out_pairs()
    while some := list(islice(comparisons, ROWS_AT_ONCE)):
        pairs = [(comparison.first_id, comparison.second_id) for comparison in some]
        texts = texts_of(pairs)
        is_prepair = run.method == Prompt.Method.PREPAIR
        analyses = stored_analyses(run, texts.candidates) if is_prepair else None
        for comparison, pair in zip(some, pairs, strict=True):
            yield _row(run, comparison, held_out) | _rendered(prompt, renderer, texts, pair, analyses)


def _rendered(
    prompt: WordedPrompt, renderer: Renderer, texts: Texts, pair: tuple[int, int], analyses: dict[int, Analysis] | None
) -> Row:
    if analyses is None:
        question = comparison_question(prompt, texts, pair)
    elif all(candidate in analyses and not analyses[candidate].error for candidate in pair):
        first, second = (analyses[candidate].text for candidate in pair)
        question = comparison_question(prompt, texts, pair, analyses=(first, second))
    else:
        return dict.fromkeys(PROMPT_COLUMNS)
    rendered = renderer.render(question)
    return {name: getattr(rendered, name) for name in PROMPT_COLUMNS}


def columns_of(run: Run, *, prompts: bool) -> Sequence[str]:
    """The columns of a file, in order; those of an adaptive run tell how each pair was drawn."""
    adaptive = () if run.hold_out is None else ADAPTIVE_COLUMNS
    return (*COLUMNS, *adaptive, *(PROMPT_COLUMNS if prompts else ()))
