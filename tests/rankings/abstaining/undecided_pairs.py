"""A run on pairs that people have decided, and on pairs that they have not."""

from tests.rankings.agreement.panels import judged, voted_dataset


def run_with_undecided_pairs(contexts=120):
    """A run of the steady judge on contexts of three candidates; in the last twenty, people said nothing."""
    dataset = voted_dataset(contexts=contexts, name="Undecided")
    run = judged(dataset, "steady")
    silent = dataset.contexts.order_by("pk").values_list("pk", flat=True)[contexts - 20 :]
    for context in dataset.contexts.filter(pk__in=list(silent)):
        context.votes.all().delete()
        for candidate in context.candidates.all():
            candidate.human_scores.all().delete()
    return run
