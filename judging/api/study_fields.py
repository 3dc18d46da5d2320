"""The rows of studies in the HTTP API, and request bodies."""

from dataclasses import replace

from rest_framework import serializers

from evenhand.options import NO_DEFAULT, Option
from judging.api.new_runs import MOST_NAMES
from judging.models import Study
from judging.models.datasets import DEVELOPMENT, TEST
from judging.models.studies_and_reports import part_warnings
from judging.services.runs.run_settings import LONGEST_NAME
from judging.web.api_input import request_of

LONGEST_DESCRIPTION, MOST_GROUPS = 10_000, 100
LIST = Option(takes_several=True, most=MOST_NAMES, longest=LONGEST_NAME, default=())
RUNS_TO_ADD = replace(LIST, name="runs", kind=int, help="Numbers of existing runs.", default=NO_DEFAULT)
_TEXTS = (
    Option("Its name.", name="name", longest=LONGEST_NAME),
    Option("What it is about.", name="description", longest=LONGEST_DESCRIPTION, default=""),
    Option(
        "Named groups of subsets: NAME=SUBSET,SUBSET.",
        name="groups",
        takes_several=True,
        most=MOST_GROUPS,
        longest=1_000,
        default=(),
    ),
)
NEW_STUDY = (*_TEXTS, replace(RUNS_TO_ADD, default=()))
STUDY_CHANGES = (
    *_TEXTS,
    Option("Number of one of its runs, or null.", name="baseline", kind=int, default=None),
    Option(
        "The part on which it reports; empty for all contexts.",
        name="part",
        choices={DEVELOPMENT: DEVELOPMENT, TEST: TEST},
        default="",
    ),
    Option("Number of the study in which prompts and judges were chosen.", name="chosen_in", kind=int, default=None),
)


class StudySerializer(serializers.ModelSerializer[Study]):
    """A study. runs: those that you may see, in the study's order.

    hidden_runs: number of runs that you may not see. baseline: the run with which its table compares the others.
    """

    owner = serializers.CharField(source="owner.username", default=None, allow_null=True)
    groups = serializers.ListField(child=serializers.CharField())
    runs = serializers.SerializerMethodField()
    hidden_runs = serializers.SerializerMethodField()
    baseline = serializers.IntegerField(source="baseline_id", allow_null=True)
    chosen_in = serializers.IntegerField(source="chosen_in_id", allow_null=True)
    warnings = serializers.SerializerMethodField()

    class Meta:
        model = Study
        fields = [
            *("id", "name", "description", "owner", "groups", "baseline", "part", "chosen_in"),
            *("warnings", "runs", "hidden_runs", "created_at"),
        ]

    def get_warnings(self, study: Study) -> list[str]:
        """Return warnings about contexts on which something was chosen."""
        seen: set[int] = self.context["visible"]
        return part_warnings(study, [one.run for one in study.memberships.all() if one.run_id in seen])

    def get_runs(self, study: Study) -> list[int]:
        seen: set[int] = self.context["visible"]
        return [one.run_id for one in study.memberships.all() if one.run_id in seen]

    def get_hidden_runs(self, study: Study) -> int:
        seen: set[int] = self.context["visible"]
        return sum(one.run_id not in seen for one in study.memberships.all())


NewStudySerializer = request_of(NEW_STUDY, name="NewStudy")
StudyChangeSerializer = request_of([replace(one, default=None) for one in STUDY_CHANGES], name="StudyChange")
RunNumbersSerializer = request_of([RUNS_TO_ADD], name="RunNumbers")
