"""The runs of a study together: progress, cancelling and resuming."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from judging import tasks
from judging.api.runs import ResumeSerializer
from judging.api.studies import StudyView
from judging.api.study_fields import StudyProgressSerializer
from judging.models import Study
from judging.services.runs.run_lifecycle import resume
from judging.services.studies.study_changes import cancel_runs, resume_runs
from judging.services.studies.study_progress import study_progress
from judging.web.api_input import sent_options
from judging.web.visible_rows import visible_study, visible_study_runs


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
