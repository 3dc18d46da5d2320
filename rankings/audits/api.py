"""The HTTP API of audits: the JSON of the command `audit`, the explanations to read, and people's marks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.http import Http404
from django.http.response import HttpResponseBase
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from judging.models import AuditMark, Comparison, Run, User
from judging.web.api_errors import ProblemsSerializer
from judging.web.api_input import RequestSerializer, body_of, query_options
from judging.web.negotiation import FilesOrJson
from judging.web.report_serializers import serializer_of
from judging.web.role_checks import user_of
from judging.web.visible_rows import visible_run
from rankings.audits.audit_marks import marks_of, remove_mark, set_mark
from rankings.audits.audit_report import AuditReport, WrongVerdict, audit_long_form, audit_report, audit_sample
from rankings.report.api import LeftOutSerializer, exclusion_in
from rankings.report.api_files import LongFormSerializer, report_response, responses_of


class AuditSerializer(LeftOutSerializer, LongFormSerializer):
    """Systems and contexts to leave out, and the form of the response."""


class RunAudit(APIView):
    content_negotiation_class = FilesOrJson

    @extend_schema(parameters=[AuditSerializer], responses=responses_of(serializer_of(AuditReport)))
    def get(self, request: Request, pk: int) -> HttpResponseBase:
        """Return the share of wrong verdicts whose explanation identifies the flaw, by people's marks."""
        run = visible_run(request, pk)
        options = query_options(AuditSerializer, request)
        report = audit_report(run, exclusion=exclusion_in(options))
        return report_response(report, options, audit_long_form, name=f"run-{pk}-audit")


class WrongVerdictSerializer(serializers.Serializer[Any]):
    """A wrong verdict. people_prefer: first or second. explanations: one of the pair, or one of each text.

    mark: one's own; null without one.
    """

    comparison = serializers.IntegerField()
    context = serializers.CharField()  # type: ignore[assignment]  # a field of the row
    first = serializers.CharField()
    second = serializers.CharField()
    first_text = serializers.CharField()
    second_text = serializers.CharField()
    people_prefer = serializers.ChoiceField(["first", "second"])
    explanations = serializers.ListField(child=serializers.CharField())
    mark = serializers.ChoiceField(AuditMark.Mark.choices, allow_null=True)


class WrongVerdictsSerializer(serializers.Serializer[Any]):
    """The wrong verdicts that people mark, in a fixed random order."""

    verdicts = WrongVerdictSerializer(many=True)


class MarkSerializer(RequestSerializer):
    """A mark. named: the explanation identifies the flaw. missed: it does not. unsure: one cannot tell."""

    mark = serializers.ChoiceField(AuditMark.Mark.choices)


class RunExplanations(APIView):
    @extend_schema(responses={200: WrongVerdictsSerializer})
    def get(self, request: Request, pk: int) -> Response:
        """Return the wrong verdicts that people mark, with their texts, explanations and one's own marks."""
        run = run_for_researchers(request, pk)
        return Response({"verdicts": describe_verdicts(audit_sample(run), user_of(request))})


class ExplanationMark(APIView):
    """One's own mark on the explanation of a wrong verdict."""

    @extend_schema(request=MarkSerializer, responses={204: None, 400: ProblemsSerializer})
    def put(self, request: Request, pk: int, comparison: int) -> Response:
        """Set or change the mark."""
        run = run_for_researchers(request, pk)
        mark = body_of(MarkSerializer, request)["mark"]
        set_mark(user_of(request), run, audit_sample(run), comparison=comparison, mark=mark)
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


def describe_verdicts(sample: Sequence[WrongVerdict], user: User) -> list[dict[str, Any]]:
    rows = Comparison.objects.select_related("context", "first", "second")
    comparisons = rows.in_bulk([one.comparison for one in sample])
    marks = marks_of(user, sample)
    return [describe_verdict(one, comparisons[one.comparison]) | {"mark": marks.get(one.comparison)} for one in sample]


def describe_verdict(verdict: WrongVerdict, comparison: Comparison) -> dict[str, Any]:
    return {
        "comparison": comparison.pk,
        "context": comparison.context.key,
        "first": comparison.first.key,
        "second": comparison.second.key,
        "first_text": comparison.first.text,
        "second_text": comparison.second.text,
        "people_prefer": verdict.preferred,
        "explanations": list(verdict.explanations),
    }
