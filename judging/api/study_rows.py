"""The rows of studies in the HTTP API: a study, its combinations and its progress; and request bodies."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from judging.api.new_runs import LARGEST_SEED, MOST_NAMES, NameField, RunSettingsSerializer
from judging.models import Run, Study
from judging.models.datasets import DEVELOPMENT, TEST
from judging.models.study_parts import part_warnings
from judging.services.studies.study_cells import PlanCell
from judging.services.studies.study_progress import RunState, StudyProgress
from judging.web.api_input import RequestSerializer

LONGEST_DESCRIPTION, MOST_RUNS, MOST_GROUPS = 10_000, 1_000, 100
GROUPS_HELP = "Named groups of subsets: NAME=SUBSET,SUBSET."


class PlanListsSerializer(RequestSerializer):
    """Values of a plan. selections: for example full, symmetric:48, anchor:M11 or until-sure:0.02."""

    datasets = serializers.ListField(child=NameField(), required=False, max_length=MOST_NAMES)
    attributes = serializers.ListField(child=NameField(), required=False, max_length=MOST_NAMES)
    judges = serializers.ListField(child=NameField(), required=False, max_length=MOST_NAMES)
    prompts = serializers.ListField(child=NameField(), required=False, max_length=MOST_NAMES)
    selections = serializers.ListField(child=NameField(), required=False, max_length=MOST_NAMES)
    seeds = serializers.ListField(
        child=serializers.IntegerField(min_value=0, max_value=LARGEST_SEED), required=False, max_length=MOST_NAMES
    )


class PlanSerializer(PlanListsSerializer, RunSettingsSerializer):  # type: ignore[misc, valid-type]
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
            "id",
            "name",
            "description",
            "owner",
            "plan",
            "groups",
            "baseline",
            "part",
            "chosen_in",
            "warnings",
            "runs",
            "hidden_runs",
            "created_at",
        ]

    @extend_schema_field(PlanSerializer(allow_null=True))
    def get_plan(self, study: Study) -> dict[str, Any] | None:
        return study.plan

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


class NewStudySerializer(RequestSerializer):
    """A new study. plan: what it asks; none for a study of collected runs. runs: existing runs to collect."""

    name = NameField()
    description = serializers.CharField(max_length=LONGEST_DESCRIPTION, allow_blank=True, default="")
    plan = PlanSerializer(required=False)
    runs = serializers.ListField(child=serializers.IntegerField(), default=list, max_length=MOST_RUNS)
    groups = serializers.ListField(
        child=serializers.CharField(max_length=1_000), default=list, max_length=MOST_GROUPS, help_text=GROUPS_HELP
    )


class StudyChangeSerializer(RequestSerializer):
    """Changes of a study. plan: replaces its plan; its runs stay. baseline: one of its runs, or null."""

    name = NameField(required=False)
    description = serializers.CharField(max_length=LONGEST_DESCRIPTION, allow_blank=True, required=False)
    plan = PlanSerializer(required=False)
    groups = serializers.ListField(
        child=serializers.CharField(max_length=1_000), required=False, max_length=MOST_GROUPS, help_text=GROUPS_HELP
    )
    baseline = serializers.IntegerField(allow_null=True, required=False)
    part = serializers.ChoiceField(
        ["", DEVELOPMENT, TEST], required=False, help_text="The part on which it reports; empty for all contexts."
    )
    chosen_in = serializers.IntegerField(
        allow_null=True, required=False, help_text="Number of the study in which prompts and judges were chosen."
    )


class ExtendSerializer(PlanListsSerializer):
    """Further values of a plan. start: start the new runs at once."""

    start = serializers.BooleanField(default=False)


class RunNumbersSerializer(RequestSerializer):
    """Runs to add."""

    runs = serializers.ListField(child=serializers.IntegerField(), allow_empty=False, max_length=MOST_RUNS)


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


class StudyProgressSerializer(serializers.Serializer[StudyProgress]):
    """The progress of all runs of a study. active: queued or running runs; stopped: failed or cancelled ones."""

    planned = serializers.IntegerField()
    asked = serializers.IntegerField()
    unparsed = serializers.IntegerField()
    errors = serializers.IntegerField()  # type: ignore[assignment]  # the field, not the errors of validation
    active = serializers.IntegerField()
    stopped = serializers.IntegerField()
    seconds_left = serializers.FloatField(allow_null=True)
    runs = RunStateSerializer(many=True)
