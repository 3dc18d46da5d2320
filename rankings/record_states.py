"""The state of the records and votes behind figures, which tells when a cached figure is stale.

`read_states_once` is middleware: a page reads each state once, however many of its figures rest on it.
"""

from collections.abc import Callable, Collection, Sequence
from contextvars import ContextVar

from django.db.models import Count
from django.http import HttpRequest, HttpResponseBase

from judging.models import Attribute, Run

State = tuple[object, ...]
SAFE_METHODS = ("GET", "HEAD")

_read: ContextVar[dict[int, State] | None] = ContextVar("states read for this request", default=None)


def read_states_once(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Middleware: read the state of a run once for each request that changes nothing."""

    def reading(request: HttpRequest) -> HttpResponseBase:
        if request.method not in SAFE_METHODS:
            return get_response(request)
        token = _read.set({})
        try:
            return get_response(request)
        finally:
            _read.reset(token)

    return reading


def states_of(runs: Sequence[Run]) -> dict[int, State]:
    """Return run -> the state of the data of its figures: its answers, and the votes of its attribute.

    Takes two queries, which count no answers. Datasets and their human scores do not change. The time of creation
    distinguishes runs of two databases that have the same number. Figures hold the judge's name, which may change.
    """
    read = _read.get()
    known = {} if read is None else read
    known |= _states([run for run in runs if run.pk not in known])
    return {run.pk: known[run.pk] for run in runs}


def state_read(run: Run) -> State | None:
    """Return the state of a run if this request has read it; else None."""
    return (_read.get() or {}).get(run.pk)


def states_of_votes(attributes: Collection[int]) -> dict[int, State]:
    """Return attribute -> the state of its votes: the number of changes, and the number of votes. Takes one query.

    A state never returns, not even when a new vote is withdrawn, because figures with that vote may be in the cache.
    Times would not work: servers' clocks differ, and transactions may end in another order than they begin.
    """
    rows = Attribute.objects.filter(pk__in=attributes).order_by().annotate(Count("votes"))
    return {state[0]: state for state in rows.values_list("pk", "vote_changes", "votes__count")}


def _states(runs: Sequence[Run]) -> dict[int, State]:
    if not runs:
        return {}
    rows = Run.objects.filter(pk__in=[run.pk for run in runs]).order_by()
    states = rows.values_list("pk", "created_at", "judge__name", "answer_changes", "attribute")
    votes = states_of_votes({run.attribute_id for run in runs})
    return {pk: (pk, *state, votes[attribute]) for pk, *state, attribute in states}
