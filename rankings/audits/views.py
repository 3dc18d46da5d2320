"""The pages of a run's wrong verdicts: their explanations, people's marks, and a download."""

from collections.abc import Iterator, Sequence

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from evenhand.csv_text import csv_lines
from judging.models import AuditMark, Candidate, Comparison, Run, User
from judging.web.downloads import attachment
from judging.web.role_checks import SignedInRequest, researchers_only
from judging.web.visible_rows import visible_run
from rankings.audits.audit_report import (
    AuditReport,
    WrongVerdict,
    audit_long_form,
    audit_report,
    audit_sample,
    is_explained,
    marks_of,
    remaining_verdicts,
    set_mark,
    wrong_verdicts,
)
from rankings.report.forms import AnswersForm
from rankings.report.pages.sentences_and_cards import Card
from rankings.tables.long_form import long_attachment

VERDICT_COLUMNS = ["context", "first", "second", "people_prefer", "explanation", "rater", "mark"]
CARDS = (
    ("named", "Identifies the flaw", "Share of the wrong verdicts read whose explanation identifies the flaw."),
    ("agreement", "People agree", "Share of the pairs of marks on one explanation that are equal."),
    ("krippendorff_alpha", "Krippendorff’s alpha", "Agreement of the people who marked, beyond chance."),
)


@require_safe
@researchers_only
def run_explanations(request: SignedInRequest, run_id: int) -> HttpResponse:
    """Show the marks so far, and a link to the next explanation without a mark of this person."""
    run = explained_run(request, run_id)
    form = AnswersForm(request.GET, dataset=run.dataset)
    report = audit_report(run, exclusion=form.report_choice.exclusion)
    sample = audit_sample(run)
    context = {
        "run": run,
        "form": form,
        "without": report.without,
        "query": request.GET.urlencode(),
        "report": report,
        "cards": mark_cards(report),
        "mine": len(marks_of(request.user, sample)),
        "next": next_place(request.user, sample),
    }
    return render(request, "rankings/audits/explanations.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@researchers_only
def run_explanation(request: SignedInRequest, run_id: int, place: int) -> HttpResponse:
    """Show one wrong verdict of the sample with its explanation. A POST marks it and shows the next."""
    run = explained_run(request, run_id)
    sample = audit_sample(run)
    if not 1 <= place <= len(sample):
        raise Http404("the sample has no such place")
    if request.method == "POST":
        return marked(request, run, sample, place)
    verdict = sample[place - 1]
    comparison = Comparison.objects.select_related("context__dataset", "first", "second").get(pk=verdict.comparison)
    context = {
        "run": run,
        "place": place,
        "total": len(sample),
        "comparison": comparison,
        "verdict": verdict,
        "sides": verdict_sides(comparison, verdict),
        "mark": marks_of(request.user, [verdict]).get(verdict.comparison),
        "done": len(marks_of(request.user, sample)),
    }
    return render(request, "rankings/audits/explanation.html", context)


@require_safe
@researchers_only
def run_explanations_download(request: SignedInRequest, run_id: int) -> HttpResponseBase:
    """Download the wrong verdicts with their explanations, one line per mark; one line for a verdict without marks."""
    run = explained_run(request, run_id)
    form = AnswersForm(request.GET, dataset=run.dataset)
    form.require_known_names()
    verdicts = remaining_verdicts(run, wrong_verdicts(run), form.report_choice.exclusion)
    lines = csv_lines(verdict_lines(verdicts), columns=VERDICT_COLUMNS)
    return attachment(lines, name=f"run-{run.pk}-explanations.csv")


@require_safe
@researchers_only
def run_explanations_long(request: SignedInRequest, run_id: int, ending: str) -> HttpResponseBase:
    """Download the figures of the audit, one per line."""
    run = explained_run(request, run_id)
    form = AnswersForm(request.GET, dataset=run.dataset)
    form.require_known_names()
    report = audit_report(run, exclusion=form.report_choice.exclusion)
    return long_attachment(audit_long_form(report), name=f"run-{run.pk}-audit", ending=ending)


def explained_run(request: SignedInRequest, run_id: int) -> Run:
    run = visible_run(request, run_id)
    if run.is_scoring or not is_explained(run):
        raise Http404("the run has no explanations")
    return run


def mark_cards(report: AuditReport) -> list[Card]:
    return [
        Card(title, getattr(report, name), meaning, is_share=name != "krippendorff_alpha", definition="explanations/")
        for name, title, meaning in CARDS
    ]


def next_place(user: User, sample: Sequence[WrongVerdict], *, after: int = 0) -> int | None:
    """Return the next place without a mark of this person, counted from 1; None if all are marked.

    After the last place, the search goes on from the first.
    """
    marks = marks_of(user, sample)
    unmarked = [place for place, one in enumerate(sample, 1) if one.comparison not in marks]
    return next((place for place in unmarked if place > after), unmarked[0] if unmarked else None)


def marked(request: SignedInRequest, run: Run, sample: Sequence[WrongVerdict], place: int) -> HttpResponse:
    mark = request.POST.get("mark", "")
    if mark not in AuditMark.Mark.values:
        raise Http404("no such mark")
    set_mark(request.user, run, sample, comparison=sample[place - 1].comparison, mark=mark)
    following = next_place(request.user, sample, after=place)
    if following is None:
        messages.success(request, f"You have marked all {len(sample)} explanations.")
        return redirect("run-explanations", run.pk)
    return redirect("run-explanation", run.pk, following)


def verdict_sides(comparison: Comparison, verdict: WrongVerdict) -> list[dict[str, object]]:
    """Return both texts in the order of the judge, which one people prefer, and the judge's reasoning about each."""
    explanations = verdict.explanations if len(verdict.explanations) == 2 else ("", "")
    candidates = (("first", comparison.first), ("second", comparison.second))
    return [
        {"name": name, "candidate": candidate, "is_better": name == verdict.preferred, "explanation": explanation}
        for (name, candidate), explanation in zip(candidates, explanations, strict=True)
    ]


def verdict_lines(verdicts: Sequence[WrongVerdict]) -> Iterator[dict[str, str]]:
    candidates = (
        Candidate.objects.select_related("context")
        .defer("text", "context__text")
        .in_bulk({candidate for one in verdicts for candidate in (one.first, one.second)})
    )
    marks: dict[int, list[dict[str, str]]] = {}
    for mark in AuditMark.objects.filter(comparison__in=[one.comparison for one in verdicts]).select_related("user"):
        marks.setdefault(mark.comparison_id, []).append({"rater": mark.user.rater_name, "mark": mark.mark})
    for one in verdicts:
        line = {
            "context": candidates[one.first].context.key,
            "first": candidates[one.first].key,
            "second": candidates[one.second].key,
            "people_prefer": one.preferred,
            "explanation": "\n\n".join(one.explanations),
        }
        yield from (line | mark for mark in marks.get(one.comparison, [{"rater": "", "mark": ""}]))
