"""The candidate texts of a dataset that match a pattern, from the cache or searched."""

from collections.abc import Iterable, Mapping
from functools import partial
from itertools import islice

from judging.models import Candidate, Dataset, Run
from rankings.report_cache import cached
from rankings.steering_patterns.steering_matches import SteeringMatch, steering_matches_of

TEXTS_PER_FETCH = 2_000


def own_labels(run: Run) -> tuple[str, ...]:
    """Return the label words of a run's prompt; none for a recorded run or one that reads no labels."""
    prompt = run.spec.get("prompt", {})
    labels = (str(prompt.get(name) or "").strip() for name in ("label_first", "label_second", "label_tie"))
    return tuple(sorted(filter(None, labels)))


def steering_texts(dataset: Dataset, labels: Iterable[str] = ()) -> Mapping[int, list[SteeringMatch]]:
    """Return candidate id -> its matches, in the dataset's order; only candidates with a match.

    labels: the label words of a run, which are searched too. Texts never change, so the result stays in the cache.
    """
    words = tuple(labels)
    state = ("steering texts", dataset.pk, dataset.created_at, words)
    texts: Mapping[int, list[SteeringMatch]] = cached(state, partial(_search, dataset, words))
    return texts


def _search(dataset: Dataset, labels: tuple[str, ...]) -> dict[int, list[SteeringMatch]]:
    candidates = Candidate.objects.filter(context__dataset=dataset).order_by("context__position", "position")
    rows = candidates.values_list("pk", "text").iterator(TEXTS_PER_FETCH)
    found: dict[int, list[SteeringMatch]] = {}
    while some := list(islice(rows, TEXTS_PER_FETCH)):
        keys, texts = zip(*some, strict=True)
        found |= {pk: matches for pk, matches in zip(keys, steering_matches_of(texts, labels), strict=True) if matches}
    return found
