"""The runs of a study together: combinations, start, progress, cancelling and resuming."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from evenhand.options import read_options
from judging import tasks
from judging.api.runs import ResumeSerializer
from judging.api.studies import StudyView
from judging.api.study_fields import (
    PLAN_LISTS,
    START,
    CellsSerializer,
    ExtendSerializer,
    StartedStudySerializer,
    StudyProgressSerializer,
    StudySerializer,
)
from judging.models import Study
from judging.services.runs.run_lifecycle import resume, warnings_of
from judging.services.studies.study_cells import PlanCell, estimate_row, plan_cells
from judging.services.studies.study_progress import study_progress
from judging.services.studies.study_start import cancel_runs, extend_plan, plan_of, resume_runs, start_study
from judging.web.api_input import changes_in_body, sent_options, values_of_body
from judging.web.limits.idempotency import IDEMPOTENCY_KEY, once_per_key
from judging.web.role_checks import user_of
from judging.web.visible_rows import visible_study, visible_study_runs


class PlannedStudyView(StudyView):
    """The base of addresses that read a study's plan."""

    def cells(self, study: Study) -> list[PlanCell]:
        """Return the combinations of the study's plan. Raises Refused without a plan."""
        user = user_of(self.request)
        return plan_cells(plan_of(study, user=user), user=user, study=study)

    def started_response(self, study: Study) -> Response:
        """Start the new runs of a study."""
        started = start_study(study, user=user_of(self.request))
        for run in started.new:
            tasks.start_run(run.pk)
        row = {
            "new": [run.pk for run in started.new],
            "reused": [run.pk for run in started.reused],
            "impossible": started.impossible,
            "warnings": warnings_of(started.new),
        }
        return Response(StartedStudySerializer(row).data)


class StudyCells(PlannedStudyView):
    @extend_schema(responses={200: CellsSerializer})
    def get(self, request: Request, pk: int) -> Response:
        """The combinations of a study's plan, and what its new runs take. For those who may change it."""
        cells = self.cells(self.get_changeable(pk))
        return Response(CellsSerializer({"cells": cells, **estimate_row(cells, user=user_of(request))}).data)


class StudyStart(PlannedStudyView):
    @extend_schema(parameters=[IDEMPOTENCY_KEY], request=None, responses={200: StartedStudySerializer})
    @once_per_key
    def post(self, request: Request, pk: int) -> Response:
        """Start every run that the plan still lacks, and add existing runs with the same settings."""
        return self.started_response(self.get_changeable(pk))


class StudyExtend(PlannedStudyView):
    @extend_schema(
        parameters=[IDEMPOTENCY_KEY],
        request=ExtendSerializer,
        responses={200: StartedStudySerializer, 201: StudySerializer},
    )
    @once_per_key
    def post(self, request: Request, pk: int) -> Response:
        """Add values to a study's plan. Answers the study (201), or with `start` the started runs (200)."""
        study = self.get_changeable(pk)
        sent = values_of_body(request.data)
        starts = read_options([START], {"start": sent.pop("start", None)})["start"]
        more = changes_in_body(sent, PLAN_LISTS)
        extend_plan(study, more, user=user_of(request))
        return self.started_response(study) if starts else self.study_response(study, status=201)


class StudyProgressView(StudyView):
    @extend_schema(responses={200: StudyProgressSerializer})
    def get(self, request: Request, pk: int) -> Response:
        """The progress of a study's runs."""
        return progress_response(request, visible_study(request, pk))


class StudyCancel(StudyView):
    @extend_schema(request=None, responses={200: StudyProgressSerializer})
    def post(self, request: Request, pk: int) -> Response:
        """Cancel the queued and running runs of a study. Their answers stay."""
        study = self.get_changeable(pk)
        cancel_runs(list(visible_study_runs(request, study).active()))
        return progress_response(request, study)


class StudyResume(StudyView):
    @extend_schema(request=ResumeSerializer, responses={200: StudyProgressSerializer})
    def post(self, request: Request, pk: int) -> Response:
        """Resume the stopped runs of a study, and ask the answers that the request names again."""
        study = self.get_changeable(pk)
        for run in resume_runs(list(visible_study_runs(request, study)), **sent_options(request, resume)):
            tasks.start_run(run.pk)
        return progress_response(request, study)


def progress_response(request: Request, study: Study) -> Response:
    return Response(StudyProgressSerializer(study_progress(list(visible_study_runs(request, study)))).data)
