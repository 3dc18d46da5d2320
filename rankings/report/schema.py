"""What a report row looks like, for the description of the HTTP API. docs/report.md says what each figure is."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from rankings.numerics.reliability.trust_checks import CHECKS
from rankings.report.trust_checks import STATES


class FigureSerializer(serializers.Serializer[Any]):
    """A number, or null and the reason under `undefined`; beside a number, `undefined` says why it has no interval."""

    value = serializers.FloatField(allow_null=True)
    undefined = serializers.CharField(required=False)


class CountedFigureSerializer(FigureSerializer):
    n = serializers.IntegerField(allow_null=True)


class IntervalFigureSerializer(CountedFigureSerializer):
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)


class CoefficientSerializer(serializers.Serializer[Any]):
    per_context = serializers.FloatField(allow_null=True)
    per_context_low = serializers.FloatField(allow_null=True)
    per_context_high = serializers.FloatField(allow_null=True)
    contexts = serializers.IntegerField()
    skipped = serializers.IntegerField()
    pooled = serializers.FloatField(allow_null=True)
    system = serializers.FloatField(allow_null=True)
    system_low = serializers.FloatField(allow_null=True)
    system_high = serializers.FloatField(allow_null=True)
    undefined = serializers.DictField(child=serializers.CharField(), required=False)


class CoefficientsSerializer(serializers.Serializer[Any]):
    raw = CoefficientSerializer()
    debiased = CoefficientSerializer(required=False, help_text="Not of a run that scores candidates one by one.")


class AccuracyWithTiesSerializer(CoefficientSerializer):
    """The share of pairs that the ranking orders, or ties, as people do; at each level with the best threshold."""

    per_context_epsilon = serializers.FloatField(allow_null=True, help_text="Scores that differ by no more are tied.")
    pooled_epsilon = serializers.FloatField(allow_null=True)
    system_epsilon = serializers.FloatField(allow_null=True)
    per_context_all_tied = serializers.FloatField(
        allow_null=True, help_text="The share of a judge that calls every pair a tie."
    )
    pooled_all_tied = serializers.FloatField(allow_null=True)
    system_all_tied = serializers.FloatField(allow_null=True)
    per_context_pairs = serializers.IntegerField()
    pooled_pairs = serializers.IntegerField()
    system_pairs = serializers.IntegerField()


class AccuraciesWithTiesSerializer(serializers.Serializer[Any]):
    raw = AccuracyWithTiesSerializer()
    debiased = AccuracyWithTiesSerializer(required=False, help_text="Not of a run that scores candidates one by one.")


class GapSerializer(IntervalFigureSerializer):
    gap_from = serializers.FloatField(help_text="Smallest difference in length, as a share of the longer text.")
    gap_to = serializers.FloatField()


class LengthPreferenceSerializer(IntervalFigureSerializer):
    human = IntervalFigureSerializer()
    accuracy_longer_right = IntervalFigureSerializer()
    accuracy_shorter_right = IntervalFigureSerializer()
    accuracy_by_gap = GapSerializer(many=True)


class SelfPreferenceSerializer(IntervalFigureSerializer):
    human = IntervalFigureSerializer()
    family = serializers.CharField(allow_null=True, help_text="Guessed from the judge's name; null for none.")
    judge = serializers.CharField(help_text="The name that was looked at.")
    systems = serializers.ListField(child=serializers.CharField(), help_text="Those of the same family.")


class HoldOutSerializer(serializers.Serializer[Any]):
    comparisons = serializers.IntegerField()
    p_first = IntervalFigureSerializer()
    order_agreement = CountedFigureSerializer()
    accuracy = IntervalFigureSerializer()


class TrustCheckSerializer(serializers.Serializer[Any]):
    check = serializers.ChoiceField(CHECKS)
    state = serializers.ChoiceField(list(STATES.values()))
    value = serializers.FloatField(allow_null=True, help_text="Null where the check does not apply.")
    limit = serializers.FloatField()
    why = serializers.CharField()
    undefined = serializers.CharField(required=False, help_text="Why the value is null.")


def by_ranking(child: serializers.Serializer[Any]) -> serializers.DictField:
    return serializers.DictField(child=child, help_text="By ranking.")


class SampledSerializer(serializers.Serializer[Any]):
    samples = serializers.IntegerField(allow_null=True, help_text="Texts of each answer; null where it was read off.")
    temperature = serializers.FloatField(help_text="Of everything that the judge wrote.")


class RowSerializer(serializers.Serializer[Any]):
    """One run, over all its contexts (`all`) or over those of a subset."""

    run = serializers.IntegerField()
    judge = serializers.CharField()
    method = serializers.CharField()
    prompt = serializers.CharField()
    attribute = serializers.CharField()
    sampled = SampledSerializer(required=False, help_text="Of runs in which the judge's texts are sampled.")
    own_metrics = serializers.CharField(
        required=False, help_text="Of runs whose judge writes metrics of its own first: by which prompt."
    )
    subset = serializers.CharField()
    comparisons = serializers.IntegerField(help_text="Answers; of a run that scores, scores.")
    unparsed = serializers.IntegerField()
    errors = serializers.IntegerField()  # type: ignore[assignment]  # the field, not the errors of validation
    p_first = IntervalFigureSerializer()
    order_agreement = CountedFigureSerializer()
    threshold = FigureSerializer()
    alpha = FigureSerializer()
    p_first_debiased = IntervalFigureSerializer()
    accuracy = IntervalFigureSerializer()
    accuracy_debiased = IntervalFigureSerializer()
    accuracy_both_orders = IntervalFigureSerializer()
    accuracy_averaged = IntervalFigureSerializer()
    accuracy_macro = IntervalFigureSerializer(required=False, help_text="Of the row `all` only.")
    human = CountedFigureSerializer()
    spearman = by_ranking(CoefficientsSerializer())
    kendall = by_ranking(CoefficientsSerializer())
    pearson = by_ranking(CoefficientsSerializer())
    kendall_c = by_ranking(CoefficientsSerializer())
    accuracy_with_ties = by_ranking(AccuraciesWithTiesSerializer())
    p_second = IntervalFigureSerializer()
    human_p_first = IntervalFigureSerializer()
    flip_rate = CountedFigureSerializer()
    length_preference = LengthPreferenceSerializer()
    self_preference = SelfPreferenceSerializer()
    trust = TrustCheckSerializer(many=True)
    hold_out = HoldOutSerializer(required=False, help_text="Of adaptive runs only.")
