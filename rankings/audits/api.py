"""The HTTP API of audits: their figures, the explanations to read, and people's marks."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from django.http import Http404
from django.http.response import HttpResponseBase
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from evenhand.options import Option
from evenhand.report_json import OneOf, as_json
from judging.models import AuditMark, Comparison, Run, User
from judging.web.api_errors import ProblemsSerializer
from judging.web.api_files import FilesOrJson
from judging.web.api_input import options_in_body, options_in_query, request_of
from judging.web.report_schema import serializer_of
from judging.web.role_checks import user_of
from judging.web.visible_rows import visible_run
from rankings.audits.audit_report import (
    AuditReport,
    WrongVerdict,
    audit_long_form,
    audit_report,
    audit_sample,
    marks_of,
    remove_mark,
    set_mark,
)
from rankings.report.answer_options import ANSWERS, LEFT_OUT, chosen_answers
from rankings.report.api_files import LONG, responses_of
from rankings.tables.long_form import long_attachment

AUDIT_OPTIONS = (*(ANSWERS[name] for name in LEFT_OUT), LONG)


class RunAudit(APIView):
    content_negotiation_class = FilesOrJson

    @extend_schema(
        parameters=[request_of(AUDIT_OPTIONS, name="AuditOptions")], responses=responses_of(serializer_of(AuditReport))
    )
    def get(self, request: Request, pk: int) -> HttpResponseBase:
        """Return the share of wrong verdicts whose explanation identifies the flaw, by people's marks."""
        run = visible_run(request, pk)
        left_out = options_in_query(request, AUDIT_OPTIONS)
        ending = left_out.pop("long")
        report = audit_report(run, exclusion=chosen_answers(**left_out).exclusion)
        if ending:
            return long_attachment(audit_long_form(report), name=f"run-{pk}-audit", ending=ending)
        return Response(as_json(report))


@dataclass(frozen=True, slots=True)
class VerdictToMark:
    """A wrong verdict. explanations: one of the pair, or one of each text. mark: one's own; null without one."""

    comparison: int
    context: str
    first: str
    second: str
    first_text: str
    second_text: str
    people_prefer: Annotated[str, OneOf(("first", "second"))]
    explanations: Sequence[str]
    mark: Annotated[str | None, OneOf(tuple(AuditMark.Mark.values))]


@dataclass(frozen=True, slots=True)
class VerdictsToMark:
    """The wrong verdicts that people mark, in a fixed random order."""

    verdicts: Sequence[VerdictToMark]


MARK = Option(
    "named: the explanation identifies the flaw. missed: it does not. unsure: one cannot tell.",
    name="mark",
    choices=dict(AuditMark.Mark.choices),
)


class RunExplanations(APIView):
    @extend_schema(responses={200: serializer_of(VerdictsToMark)})
    def get(self, request: Request, pk: int) -> Response:
        """Return the wrong verdicts that people mark, with their texts, explanations and one's own marks."""
        run = run_for_researchers(request, pk)
        return Response(as_json(VerdictsToMark(verdicts_to_mark(audit_sample(run), user_of(request)))))


class ExplanationMark(APIView):
    """One's own mark on the explanation of a wrong verdict."""

    @extend_schema(request=request_of([MARK], name="MarkSerializer"), responses={204: None, 400: ProblemsSerializer})
    def put(self, request: Request, pk: int, comparison: int) -> Response:
        """Set or change the mark."""
        run = run_for_researchers(request, pk)
        sent = options_in_body(request, [MARK])
        set_mark(user_of(request), run, audit_sample(run), comparison=comparison, **sent)
        return Response(status=204)

    @extend_schema(responses={204: None, 400: ProblemsSerializer})
    def delete(self, request: Request, pk: int, comparison: int) -> Response:
        """Remove the mark."""
        run = run_for_researchers(request, pk)
        remove_mark(user_of(request), audit_sample(run), comparison=comparison)
        return Response(status=204)


def run_for_researchers(request: Request, pk: int) -> Run:
    """Return the run for a researcher who may see it. Annotators must not see whose texts people prefer."""
    run = visible_run(request, pk)
    if not user_of(request).is_researcher:
        raise Http404("explanations are for researchers")
    return run


def verdicts_to_mark(sample: Sequence[WrongVerdict], user: User) -> list[VerdictToMark]:
    rows = Comparison.objects.select_related("context", "first", "second")
    comparisons = rows.in_bulk([one.comparison for one in sample])
    marks = marks_of(user, sample)
    return [_to_mark(one, comparisons[one.comparison], marks.get(one.comparison)) for one in sample]


def _to_mark(verdict: WrongVerdict, row: Comparison, mark: str | None) -> VerdictToMark:
    keys, texts = (row.context.key, row.first.key, row.second.key), (row.first.text, row.second.text)
    return VerdictToMark(row.pk, *keys, *texts, verdict.preferred, verdict.explanations, mark)
