"""The answers of a run, one by one: pages and downloads."""

from dataclasses import dataclass
from typing import Any

from django.core.paginator import Page
from django.db.models import QuerySet
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe

from evenhand.csv_text import csv_lines
from evenhand.engine.replies.sampled_answers import SampledText, describe_samples, read_samples
from judging.forms.runs import AT_RANDOM, AnswerFilterForm
from judging.models import Comparison, Outcome, Reasoning, Run, Score
from judging.models.comparisons import decided
from judging.services.execution.reasoning import evaluation_steps, stored_criteria
from judging.services.exports.answer_descriptions import describe_unparsed
from judging.services.exports.exported_answers import answer_columns, answer_rows
from judging.services.plans.adaptive_pairs import is_held_out
from judging.services.plans.question_texts import WrittenText
from judging.web.downloads import attachment, json_lines
from judging.web.paging import LongListPaginator, page_of, query_without_page
from judging.web.role_checks import SignedInRequest, researchers_only
from judging.web.visible_rows import visible_run

ANSWERS_PER_PAGE = 10


@dataclass(frozen=True, slots=True)
class SampledAnswer:
    """The sampled texts of one answer. summary: their counts in words."""

    samples: tuple[SampledText, ...]
    summary: str


@dataclass(frozen=True, slots=True)
class AnswerEntry:
    """A comparison or a score on the page.

    criteria: written by the judge for the context; None if it wrote none.
    sampled: None if the answer was not sampled.
    unparsed_reason: empty if the judge's text shows why the answer is unparsed.
    reasoning: about the pair. reasoning_first, reasoning_second: about each text alone.
    """

    answer: Comparison | Score
    criteria: WrittenText | None
    sampled: SampledAnswer | None
    unparsed_reason: str
    is_held_out: bool
    reasoning: Reasoning | None
    reasoning_first: Reasoning | None
    reasoning_second: Reasoning | None


@require_safe
@researchers_only
def run_comparisons(request: SignedInRequest, run_id: int) -> HttpResponse:
    run = visible_run(request, run_id)
    form = AnswerFilterForm(run, request.GET)
    page = page_of(request, LongListPaginator(filtered_answers(run, form), ANSWERS_PER_PAGE))
    context = {
        "run": run,
        "form": form,
        "filtered": bool(form.active_filters()),
        "query": query_without_page(request),
        "page_obj": page,
        "entries": answer_entries(run, page),
        "steps": evaluation_steps(run),
    }
    return render(request, "judging/runs/answers.html", context)


def filtered_answers(run: Run, form: AnswerFilterForm) -> QuerySet[Any]:
    """Return the answers that match, in the order of the dataset, which an index of the answers has."""
    in_order = [f"{name}_id" for name in run.candidate_fields]
    answers: QuerySet[Any] = run.answers.select_related("context", *run.candidate_fields).order_by(*in_order)
    filters = form.active_filters()
    if choice := filters.pop("decision", None):
        answers = answers.filter(decided(choice))
    if key := filters.pop("context", None):
        answers = answers.filter(context=run.dataset.contexts.filter(key=key).first())
    if drawn := filters.pop("drawn", None):
        answers = answers.filter(is_held_out(run) if drawn == AT_RANDOM else ~is_held_out(run))
    return answers.filter(**filters)


def answer_entries(run: Run, answers: Page[Any]) -> list[AnswerEntry]:
    criteria = stored_criteria(run, [answer.context_id for answer in answers])
    reasonings, held_out = reasonings_on(answers, run), run.held_out_pairs()
    return [
        AnswerEntry(
            answer,
            criteria=criteria.get(answer.context_id),
            sampled=sampled_answer(run, answer.text),
            unparsed_reason=describe_unparsed(run, answer.text) if answer.outcome == Outcome.UNPARSED else "",
            is_held_out=answer.candidate_ids in held_out,
            reasoning=reasonings.get(answer.candidate_ids),
            reasoning_first=reasonings.get(answer.candidate_ids[:1]),
            reasoning_second=reasonings.get(answer.candidate_ids[1:]),
        )
        for answer in answers
    ]


def sampled_answer(run: Run, text: str) -> SampledAnswer | None:
    """Return the sampled texts of an answer, or None if the run does not sample."""
    if run.samples is None or not text:
        return None
    samples = read_samples(text)
    return SampledAnswer(samples, describe_samples(samples))


def reasonings_on(answers: Page[Any], run: Run) -> dict[tuple[int, ...], Reasoning]:
    """Return the judge's reasonings about these candidates. Keys: ids of one candidate or of a pair."""
    if run.is_scoring or not run.reasonings_planned:
        return {}
    candidates = {candidate for answer in answers for candidate in answer.candidate_ids}
    return {one.candidate_ids: one for one in Reasoning.objects.of_run(run).filter(candidate__in=candidates)}


@require_safe
@researchers_only
def run_download(request: SignedInRequest, run_id: int, ending: str) -> HttpResponseBase:
    """Download every answer of a run: the rows that `export_comparisons` writes and the import commands read."""
    run = visible_run(request, run_id)
    columns, rows = answer_columns(run, prompts=False), answer_rows(run)
    lines = csv_lines(rows, columns=columns) if ending == "csv" else json_lines(rows)
    return attachment(lines, name=f"run-{run.pk}.{ending}")
