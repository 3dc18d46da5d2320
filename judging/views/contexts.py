"""One context: its text, and its candidates side by side with human scores and votes."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.core.paginator import Paginator
from django.db.models import Prefetch
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from judging.models import Attribute, Candidate, Choice, Context, Dataset, HumanScore, Vote
from judging.web.paging import query_without_page
from judging.web.role_checks import SignedInRequest, researchers_only

CANDIDATES_PER_PAGE = 48
VOTES_SHOWN = 100


@dataclass(frozen=True, slots=True)
class CandidateJudgment:
    """People's judgment of a candidate on one attribute. score: None without one.

    won, lost, tied: votes that count in figures.
    """

    attribute: Attribute
    score: float | None
    won: int
    lost: int
    tied: int

    @property
    def votes(self) -> int:
        return self.won + self.lost + self.tied

    @property
    def rank(self) -> tuple[bool, float, float]:
        """Return the key to sort by, best last: the score, or else the share of the votes won. A tie counts 1/2."""
        share = (self.won + self.tied / 2) / self.votes if self.votes else -1.0
        return (self.score is not None, self.score or 0.0, share)


@dataclass(frozen=True, slots=True)
class JudgedCandidate:
    """A candidate with people's judgment on each attribute, in the dataset's order."""

    candidate: Candidate
    judgments: dict[Attribute, CandidateJudgment]


@require_safe
@researchers_only
def context_detail(request: SignedInRequest, context_id: int) -> HttpResponse:
    """Show a context. `sort` in the address names the attribute by which the best candidate comes first."""
    contexts = Context.objects.filter(dataset__in=Dataset.objects.visible_to(request.user))
    context = get_object_or_404(contexts.select_related("dataset"), pk=context_id)
    attributes = list(context.dataset.attributes.all())
    sort = next((one for one in attributes if one.name == request.GET.get("sort")), None)
    votes = context.votes.select_related("attribute", "first", "second").order_by("attribute__position", "pk")
    candidates = in_order(judged_candidates(context, attributes), sort)
    neighbours = context.dataset.contexts.only("pk", "key", "position", "dataset_id")
    return render(
        request,
        "judging/datasets/context.html",
        {
            "dataset": context.dataset,
            "context": context,
            "attributes": attributes,
            "sort": sort,
            "page_obj": Paginator(candidates, CANDIDATES_PER_PAGE).get_page(request.GET.get("page")),
            "query": query_without_page(request),
            "votes": votes[:VOTES_SHOWN],
            "vote_count": context.votes.count(),
            "previous": neighbours.filter(position__lt=context.position).order_by("-position").first(),
            "next": neighbours.filter(position__gt=context.position).order_by("position").first(),
        },
    )


def in_order(candidates: Sequence[JudgedCandidate], sort: Attribute | None) -> Sequence[JudgedCandidate]:
    """Return the candidates with the best on an attribute first, equal ones in the dataset's order."""
    if sort is None:
        return candidates
    return sorted(candidates, key=lambda one: one.judgments[sort].rank, reverse=True)


def judged_candidates(context: Context, attributes: Sequence[Attribute]) -> list[JudgedCandidate]:
    """Return the candidates in the dataset's order, in three queries."""
    candidates = context.candidates.prefetch_related(Prefetch("human_scores", HumanScore.objects.order_by("pk")))
    votes = count_votes(context)
    return [
        JudgedCandidate(
            candidate, {attribute: judgment_of(candidate, attribute, scores, votes) for attribute in attributes}
        )
        for candidate in candidates
        for scores in [candidate.scores_by_attribute()]
    ]


def judgment_of(
    candidate: Candidate, attribute: Attribute, scores: Mapping[int, float], votes: Mapping[tuple[int, int, str], int]
) -> CandidateJudgment:
    won, lost, tied = (votes[attribute.pk, candidate.pk, result] for result in ("won", "lost", "tied"))
    return CandidateJudgment(attribute, scores.get(attribute.pk), won, lost, tied)


def count_votes(context: Context) -> Counter[tuple[int, int, str]]:
    """Count the votes of a context by attribute, candidate and result: "won", "lost" or "tied"."""
    results = {
        Choice.FIRST.value: ("won", "lost"),
        Choice.SECOND.value: ("lost", "won"),
        Choice.TIE.value: ("tied", "tied"),
    }
    counts: Counter[tuple[int, int, str]] = Counter()
    votes = Vote.objects.in_figures().filter(context=context).order_by()
    for attribute, first, second, choice in votes.values_list("attribute", "first", "second", "choice"):
        counts.update(zip((attribute,) * 2, (first, second), results[choice], strict=True))
    return counts
