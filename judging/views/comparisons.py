"""What a judge answered, question by question: to read, and to take home."""

from __future__ import annotations

from dataclasses import dataclass

from django.core.paginator import Page, Paginator
from django.db.models import QuerySet
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from judging.engine.replies.sampled_answers import SampledText, describe_samples, read_samples
from judging.forms.runs import AT_RANDOM, ComparisonFilterForm
from judging.models import Comparison, Outcome, Reasoning, Run, Score
from judging.models.comparisons import decided
from judging.services.execution.criteria import stored_criteria
from judging.services.execution.reasoning import evaluation_steps
from judging.services.exports.answer_in_words import unparsed_because
from judging.services.exports.answer_rows import columns_of, rows_of
from judging.services.exports.file_writers import json_line
from judging.services.plans.held_out_pairs import is_held_out
from judging.services.plans.question_texts import WrittenText
from judging.views.runs import visible_runs
from judging.web.access import SignedInRequest, researchers_only
from judging.web.downloads import attachment, csv_lines
from judging.web.paging import page_of, query_without_page

PER_PAGE = 10


@dataclass(frozen=True, slots=True)
class Sampled:
    """The texts of a sampled answer. told: what they say, counted."""

    samples: tuple[SampledText, ...]
    told: str


@dataclass(frozen=True, slots=True)
class ShownComparison:
    """A comparison with its decision, and what the judge wrote first: about each text alone, or about both.

    sampled: of a sampled answer its texts; else None. why_unparsed: where what the judge wrote does not tell.
    metrics: what it wrote for the context before.
    """

    comparison: Comparison
    metrics: WrittenText | None
    decision: str
    sampled: Sampled | None
    why_unparsed: str
    is_held_out: bool
    reasoning: Reasoning | None
    reasoning_first: Reasoning | None
    reasoning_second: Reasoning | None


@dataclass(frozen=True, slots=True)
class ShownScore:
    """A score; sampled, why_unparsed, metrics: as of a comparison."""

    score: Score
    metrics: WrittenText | None
    sampled: Sampled | None
    why_unparsed: str


@require_safe
@researchers_only
def run_comparisons(request: SignedInRequest, run_id: int) -> HttpResponse:
    run = get_object_or_404(visible_runs(request), pk=run_id)
    form = ComparisonFilterForm(request.GET, is_adaptive=run.hold_out is not None)
    context = {"run": run, "form": form, "filtered": bool(form.chosen()), "query": query_without_page(request)}
    if run.is_scoring:
        page_of_scores = page_of(request, Paginator(filtered_scores(run, form), PER_PAGE))
        metrics = stored_criteria(run, [score.context_id for score in page_of_scores.object_list])
        shown_scores = [
            ShownScore(score, metrics.get(score.context_id), sampled(run, score.text), why_unparsed(run, score))
            for score in page_of_scores.object_list
        ]
        context |= {"page_obj": page_of_scores, "shown": shown_scores, "steps": evaluation_steps(run)}
        return render(request, "judging/runs/scores.html", context)
    page = page_of(request, Paginator(filtered_comparisons(run, form), PER_PAGE))
    return render(request, "judging/runs/comparisons.html", context | {"page_obj": page, "shown": shown(run, page)})


def filtered_comparisons(run: Run, form: ComparisonFilterForm) -> QuerySet[Comparison]:
    comparisons = run.comparisons.select_related("context", "first", "second").order_by("pk")
    chosen = form.chosen()
    if choice := chosen.pop("decision", None):
        comparisons = comparisons.filter(decided(choice))
    if key := chosen.pop("context", None):
        comparisons = comparisons.filter(context__key=key)
    if drawn := chosen.pop("drawn", None):
        comparisons = comparisons.filter(is_held_out(run) if drawn == AT_RANDOM else ~is_held_out(run))
    return comparisons.filter(**chosen)


def filtered_scores(run: Run, form: ComparisonFilterForm) -> QuerySet[Score]:
    scores = run.scores.select_related("context", "candidate").order_by("pk")
    chosen = form.chosen()
    if key := chosen.pop("context", None):
        scores = scores.filter(context__key=key)
    return scores.filter(outcome=chosen["outcome"]) if "outcome" in chosen else scores


def shown(run: Run, page: Page[Comparison]) -> list[ShownComparison]:
    written, pairs = reasonings_for(run, page), run.held_out_pairs()
    metrics = stored_criteria(run, [row.context_id for row in page.object_list])
    return [
        ShownComparison(
            comparison=row,
            metrics=metrics.get(row.context_id),
            decision=row.decision,
            sampled=sampled(run, row.text),
            why_unparsed=why_unparsed(run, row),
            is_held_out=(row.first_id, row.second_id) in pairs,
            reasoning=written.get((row.first_id, row.second_id)),
            reasoning_first=written.get((row.first_id,)),
            reasoning_second=written.get((row.second_id,)),
        )
        for row in page.object_list
    ]


def why_unparsed(run: Run, row: Comparison | Score) -> str:
    return unparsed_because(run, row.text) if row.outcome == Outcome.UNPARSED else ""


def sampled(run: Run, text: str) -> Sampled | None:
    """What the text of an answer holds where the answers of the run are sampled."""
    if run.samples is None or not text:
        return None
    samples = read_samples(text)
    return Sampled(samples, describe_samples(samples))


def reasonings_for(run: Run, page: Page[Comparison]) -> dict[tuple[int, ...], Reasoning]:
    """By candidate or pair, what the judge of the run wrote first about those on the page."""
    if not run.reasonings_planned:
        return {}
    candidates = {candidate for c in page.object_list for candidate in (c.first_id, c.second_id)}
    return {one.candidate_ids: one for one in Reasoning.objects.of_run(run).filter(candidate__in=candidates)}


@require_safe
@researchers_only
def run_download(request: SignedInRequest, run_id: int, ending: str) -> HttpResponseBase:
    """Every answer of a run: what `export_comparisons` writes, or for a scoring run what `import_scores` reads."""
    run = get_object_or_404(visible_runs(request), pk=run_id)
    columns, rows = columns_of(run, prompts=False), rows_of(run)
    lines = csv_lines(rows, columns=columns) if ending == "csv" else map(json_line, rows)
    return attachment(lines, name=f"run-{run.pk}.{ending}")
