"""The HTTP API of a run's answers, pair by pair."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from evenhand.options import options_of
from evenhand.report_json import as_json
from judging.web.api_input import options_in_query, request_of
from judging.web.paging import PART
from judging.web.report_schema import serializer_of
from judging.web.visible_rows import visible_comparing_run
from rankings.pair_answers.answered_pairs import answered_pairs
from rankings.pair_answers.pair_choice import PairChoice, note_part
from rankings.pair_answers.pair_entries import AnswerLine, answer_lines

PAIR_OPTIONS = (*options_of(PairChoice), *PART)


@dataclass(frozen=True, slots=True)
class AnswerLines:
    """pairs: how many match. counts: pairs of each kind among those that the other filters leave."""

    pairs: int
    counts: Mapping[Any, int]
    answers: Sequence[AnswerLine]


class RunAnswers(APIView):
    @extend_schema(parameters=[request_of(PAIR_OPTIONS, name="PairChoice")], responses=serializer_of(AnswerLines))
    def get(self, request: Request, pk: int) -> Response:
        """Return the answers of the chosen pairs, both orders of a pair after each other."""
        run = visible_comparing_run(request, pk)
        options = options_in_query(request, PAIR_OPTIONS)
        limit, offset = options.pop("limit"), options.pop("offset")
        pairs, choice = answered_pairs(run), PairChoice(**options)
        note_part(run, choice)
        indices = choice.indices(pairs)
        lines = list(answer_lines(run, pairs, indices[offset : offset + limit]))
        return Response(as_json(AnswerLines(len(indices), choice.counts(pairs), lines)))
