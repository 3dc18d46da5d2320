"""The rows of studies in the HTTP API: a study, its combinations and its progress; and request bodies."""

from dataclasses import replace
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from evenhand.options import NO_DEFAULT, Option
from judging.api.new_runs import LARGEST_SEED, MOST_NAMES
from judging.models import Run, Study
from judging.models.datasets import DEVELOPMENT, TEST
from judging.models.study_parts import part_warnings
from judging.services.runs.run_settings import LONGEST_NAME, SETTING_OPTIONS
from judging.services.studies.study_cells import PlanCell
from judging.services.studies.study_plan import shown_plan
from judging.services.studies.study_progress import RunState, StudyProgress
from judging.web.api_input import request_of
from judging.web.report_schema import serializer_of

LONGEST_DESCRIPTION, MOST_GROUPS = 10_000, 100
LIST = Option(takes_several=True, most=MOST_NAMES, longest=LONGEST_NAME, default=())
PLAN_LISTS = (
    *(replace(LIST, name=name) for name in ("datasets", "attributes", "judges", "prompts")),
    replace(LIST, name="selections", help="For example full, symmetric:48, anchor:M11 or until-sure:0.02."),
    replace(LIST, name="seeds", kind=int, low=0, high=LARGEST_SEED),
)
START = Option("Start the new runs at once.", name="start", kind=bool, default=False)
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


class PlanSerializer(request_of([*PLAN_LISTS, *SETTING_OPTIONS], name="PlanOptions")):  # type: ignore[misc]
    """A plan: one run for each combination. Default: all attributes, every pair, seed 0, all contexts.

    The other fields are settings of all runs, as for POST runs/. A system or context to leave out may be that of one
    dataset only.
    """


class StudySerializer(serializers.ModelSerializer[Study]):
    """A study. plan: null for a study of collected runs. runs: those that you may see, in the study's order.

    hidden_runs: number of runs that you may not see. baseline: the run with which its table compares the others.
    """

    owner = serializers.CharField(source="owner.username", default=None, allow_null=True)
    plan = serializers.SerializerMethodField()
    groups = serializers.ListField(child=serializers.CharField())
    runs = serializers.SerializerMethodField()
    hidden_runs = serializers.SerializerMethodField()
    baseline = serializers.IntegerField(source="baseline_id", allow_null=True)
    chosen_in = serializers.IntegerField(source="chosen_in_id", allow_null=True)
    warnings = serializers.SerializerMethodField()

    class Meta:
        model = Study
        fields = [
            *("id", "name", "description", "owner", "plan", "groups", "baseline", "part", "chosen_in"),
            *("warnings", "runs", "hidden_runs", "created_at"),
        ]

    @extend_schema_field(PlanSerializer(allow_null=True))
    def get_plan(self, study: Study) -> dict[str, Any] | None:
        return study.plan and shown_plan(study.plan, self.context["names"])

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


class NewStudySerializer(request_of(NEW_STUDY, name="NewStudyOptions")):  # type: ignore[misc]
    """A new study. plan: what it asks; none for a study of collected runs. runs: existing runs to collect."""

    plan = PlanSerializer(required=False)


class StudyChangeSerializer(request_of([replace(one, default=None) for one in STUDY_CHANGES], name="StudyChanges")):  # type: ignore[misc]
    """Changes of a study. plan: replaces its plan; its runs stay."""

    plan = PlanSerializer(required=False)


ExtendSerializer = request_of([*PLAN_LISTS, START], name="Extend")
RunNumbersSerializer = request_of([RUNS_TO_ADD], name="RunNumbers")


class PlanCellSerializer(serializers.Serializer[PlanCell]):
    """A combination of a plan. state: new, reused (a run with the same settings exists), present or impossible.

    questions: comparisons or scores. problems: why it is impossible. run: the run in the study or to be reused.
    """

    dataset = serializers.CharField(source="key.dataset")
    attribute = serializers.CharField(source="key.attribute")
    judge = serializers.CharField(source="key.judge")
    prompt = serializers.CharField(source="key.prompt")
    selection = serializers.CharField(source="key.selection")
    seed = serializers.IntegerField(source="key.seed")
    state = serializers.ChoiceField(["new", "reused", "present", "impossible"])
    questions = serializers.IntegerField()
    problems = serializers.ListField(child=serializers.CharField())
    run = serializers.IntegerField(source="run.pk", default=None, allow_null=True)


class CellsSerializer(serializers.Serializer[Any]):
    """The combinations of a plan. estimate: what the new runs of each judge take. warnings: of too long prompts."""

    cells = PlanCellSerializer(many=True)
    estimate = serializers.ListField(child=serializers.DictField())
    warnings = serializers.ListField(child=serializers.CharField())


class StartedStudySerializer(serializers.Serializer[Any]):
    """A started study. new: runs that are queued now. reused: existing runs that joined. impossible: without a run.

    warnings: what the new runs warn of, each once.
    """

    new = serializers.ListField(child=serializers.IntegerField())
    reused = serializers.ListField(child=serializers.IntegerField())
    impossible = PlanCellSerializer(many=True)
    warnings = serializers.ListField(child=serializers.CharField())


class RunStateSerializer(serializers.Serializer[RunState]):
    """A run of a study. p_first: of the answers so far; null for scores. seconds_left: null while no worker has it."""

    run = serializers.IntegerField(source="run.pk")
    dataset = serializers.CharField(source="run.dataset.name")
    attribute = serializers.CharField(source="run.attribute.name")
    judge = serializers.CharField(source="run.judge.name")
    method = serializers.CharField(source="run.method")
    prompt = serializers.CharField(source="run.prompt_name")
    status = serializers.ChoiceField(Run.Status.choices, source="run.status")
    error = serializers.CharField(source="run.error", allow_blank=True)
    planned = serializers.IntegerField(source="run.planned")
    asked = serializers.IntegerField(source="counts.asked")
    unparsed = serializers.IntegerField(source="counts.unparsed")
    errors = serializers.IntegerField(source="counts.errors")  # type: ignore[assignment]  # the field
    p_first = serializers.FloatField(source="counts.p_first", allow_null=True)
    partial = serializers.BooleanField(source="is_partial")  # type: ignore[assignment]  # the field
    seconds_left = serializers.FloatField(allow_null=True)


class StudyProgressSerializer(serializer_of(StudyProgress)):  # type: ignore[misc]
    runs = RunStateSerializer(many=True)
