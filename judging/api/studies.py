"""Studies: the list, one study, and its runs."""

from collections.abc import Sequence
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework import generics, serializers
from rest_framework.exceptions import PermissionDenied
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from evenhand.refusals import Refused
from judging.api.study_fields import (
    NEW_STUDY,
    RUNS_TO_ADD,
    STUDY_CHANGES,
    NewStudySerializer,
    RunNumbersSerializer,
    StudyChangeSerializer,
    StudySerializer,
)
from judging.models import Run, Study, User
from judging.services.studies.study_changes import (
    add_runs,
    create_study,
    delete_study,
    remove_run,
    rename_study,
    set_baseline,
    set_groups,
    set_parts,
)
from judging.web.api_input import changes_in_body, options_in_body, values_of_body
from judging.web.role_checks import ResearchersWrite, user_of
from judging.web.visible_rows import visible_run, visible_study


class StudyView(generics.GenericAPIView[Study]):
    """The base of addresses of one study."""

    queryset = Study.objects.all()
    serializer_class: type[serializers.BaseSerializer[Any]] = StudySerializer

    def get_queryset(self) -> QuerySet[Study]:
        return (
            Study.objects.visible_to(user_of(self.request))
            .select_related("owner", "chosen_in")
            .prefetch_related("memberships__run__dataset", "memberships__run__judge")
        )

    def get_changeable(self, pk: int) -> Study:
        """Return the study if this person may change it. Raises Http404 or PermissionDenied otherwise."""
        study = visible_study(self.request, pk)
        if not Study.objects.changeable_by(user_of(self.request)).filter(pk=pk).exists():
            raise PermissionDenied("only its owner and admins may change a study")
        return study

    def get_serializer_context(self) -> dict[str, Any]:
        """Add the ids of the runs that this person may see."""
        visible = Run.objects.visible_to(user_of(self.request)).filter(memberships__isnull=False)
        return {**super().get_serializer_context(), "visible": set(visible.values_list("pk", flat=True))}

    def study_response(self, study: Study, *, status: int = 200) -> Response:
        row = self.get_queryset().get(pk=study.pk)
        return Response(StudySerializer(row, context=self.get_serializer_context()).data, status)


class StudyList(StudyView, generics.ListAPIView[Study]):
    """Your own studies and those whose runs you may all see, the latest first."""

    permission_classes = (IsAuthenticated, ResearchersWrite)

    @extend_schema(request=NewStudySerializer, responses={201: StudySerializer})
    def post(self, request: Request) -> Response:
        """Create a study of existing runs."""
        values, user = options_in_body(request, NEW_STUDY), user_of(request)
        runs = runs_numbered(values.pop("runs"), user=user)
        study = create_study(values.pop("name"), owner=user, runs=runs, **values)
        return self.study_response(study, status=201)


class StudyDetail(StudyView, generics.RetrieveAPIView[Study]):
    @extend_schema(request=StudyChangeSerializer, responses={200: StudySerializer})
    def patch(self, request: Request, pk: int) -> Response:
        """Change a study. For its owner and admins."""
        study = self.get_changeable(pk)
        change_study(study, values_of_body(request.data), user=user_of(request))
        return self.study_response(study)

    @extend_schema(responses={204: None})
    def delete(self, request: Request, pk: int) -> Response:
        """Delete a study. Its runs stay. For its owner and admins."""
        delete_study(self.get_changeable(pk))
        return Response(status=204)


class StudyRuns(StudyView):
    @extend_schema(request=RunNumbersSerializer, responses={200: StudySerializer})
    def post(self, request: Request, pk: int) -> Response:
        """Add existing runs to a study. Runs that it already has stay where they are."""
        study = self.get_changeable(pk)
        numbers = options_in_body(request, [RUNS_TO_ADD])["runs"]
        add_runs(study, runs_numbered(numbers, user=user_of(request)))
        return self.study_response(study)


class StudyRunEntry(StudyView):
    @extend_schema(responses={200: StudySerializer})
    def delete(self, request: Request, pk: int, run: int) -> Response:
        """Take a run out of a study. The run stays."""
        study = self.get_changeable(pk)
        remove_run(study, visible_run(request, run))
        return self.study_response(study)


def runs_numbered(numbers: Sequence[int], *, user: User) -> list[Run]:
    """Return the runs of these numbers, in order. Raises Refused with every number that this person may not see."""
    known = Run.objects.visible_to(user).in_bulk([number for number in numbers if 0 < number < 2**63])
    if unknown := [number for number in numbers if number not in known]:
        raise Refused(*(f"runs: there is no run {number}" for number in dict.fromkeys(unknown)))
    return [known[number] for number in dict.fromkeys(numbers)]


@transaction.atomic
def change_study(study: Study, sent: dict[str, Any], *, user: User) -> None:
    """Make the changes of a body, all or none. Raises Refused with the problems."""
    changes = changes_in_body(sent, STUDY_CHANGES)
    if "name" in changes:
        rename_study(study, changes["name"] or "", user=user)
    if "groups" in changes:
        set_groups(study, changes["groups"])
    if "baseline" in changes:
        number = changes["baseline"]
        set_baseline(study, None if number is None else runs_numbered([number], user=user)[0])
    if {"part", "chosen_in"} & changes.keys():
        _set_parts(study, changes, user=user)
    if "description" in changes:
        study.description = changes["description"] or ""
        study.save(update_fields=["description"])


def _set_parts(study: Study, changes: dict[str, Any], *, user: User) -> None:
    """Change the part and the study of the choice; what is not named stays."""
    number = changes.get("chosen_in", study.chosen_in_id)
    chosen_in = None if number is None else Study.objects.visible_to(user).filter(pk=number).first()
    if number is not None and chosen_in is None:
        raise Refused(f"chosen in: there is no study {number}")
    set_parts(study, part=changes.get("part", study.part) or "", chosen_in=chosen_in)
