"""The HTTP API of a run's answers, pair by pair."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from judging.web.api_input import RequestSerializer, query_options
from judging.web.visible_rows import visible_comparing_run
from rankings.pair_answers.answered_pairs import answered_pairs
from rankings.pair_answers.pair_choice import KINDS, PAIR_SORTS, PairChoice
from rankings.pair_answers.pair_entries import answer_lines

MOST_PAIRS = 1_000


class PairChoiceSerializer(RequestSerializer):
    kind = serializers.ListField(
        child=serializers.ChoiceField(list(KINDS)),
        default=list,
        help_text="Only pairs of all these kinds, for example wrong and flipped.",
    )
    context = serializers.CharField(default="", help_text="Identifier of a context.")  # type: ignore[assignment]
    system = serializers.CharField(default="", help_text="Only pairs with a text of this system.")
    candidate = serializers.CharField(default="", help_text="Only pairs with a text of this identifier.")
    other = serializers.CharField(default="", help_text="Identifier of the other text of the pair.")
    score_gap_from = serializers.FloatField(required=False, help_text="Difference of the human scores.")
    score_gap_to = serializers.FloatField(required=False)
    length_gap_from = serializers.FloatField(
        required=False, help_text="Difference of the lengths, as a share of the longer text."
    )
    length_gap_to = serializers.FloatField(required=False)
    sort = serializers.ChoiceField(list(PAIR_SORTS), default="dataset")
    limit = serializers.IntegerField(min_value=1, max_value=MOST_PAIRS, default=100, help_text="Pairs of one answer.")
    offset = serializers.IntegerField(min_value=0, default=0)


class AnswerLineSerializer(serializers.Serializer[Any]):
    """One comparison. right: null where people have no preference or the answer is missing."""

    context = serializers.CharField()  # type: ignore[assignment]  # a field of the row
    attribute = serializers.CharField()
    first = serializers.CharField()
    second = serializers.CharField()
    system_first = serializers.CharField()
    system_second = serializers.CharField()
    outcome = serializers.CharField()
    p_first = serializers.FloatField(allow_null=True)
    decision = serializers.CharField()
    people_prefer = serializers.CharField()
    right = serializers.BooleanField(allow_null=True)
    score_gap = serializers.FloatField(allow_null=True)
    length_gap = serializers.FloatField(allow_null=True)
    text = serializers.CharField()


class AnswersSerializer(serializers.Serializer[Any]):
    """pairs: how many match. counts: pairs of each kind among those that the other filters leave."""

    pairs = serializers.IntegerField()
    counts = serializers.DictField(child=serializers.IntegerField())
    answers = AnswerLineSerializer(many=True)


class RunAnswers(APIView):
    @extend_schema(parameters=[PairChoiceSerializer], responses=AnswersSerializer)
    def get(self, request: Request, pk: int) -> Response:
        """Return the answers of the chosen pairs, both orders of a pair after each other."""
        run = visible_comparing_run(request, pk)
        options = query_options(PairChoiceSerializer, request)
        kinds = tuple(options.pop("kind"))
        limit, offset = options.pop("limit"), options.pop("offset")
        pairs, choice = answered_pairs(run), PairChoice(kinds=kinds, **options)
        indices = choice.indices(pairs)
        return Response(
            {
                "pairs": len(indices),
                "counts": choice.counts(pairs),
                "answers": list(answer_lines(run, pairs, indices[offset : offset + limit])),
            }
        )
