"""Runs of one judge that repeat each other, with sampled answers."""

import json

from judging.models import Candidate, Chunk, Comparison, Run
from judging.services.plans.generation_settings import GenerationSettings
from judging.services.plans.selection_settings import SelectionSettings
from tests.factories import make_run

SAMPLED = GenerationSettings(samples=1, temperature=1.0)


def repeat(dataset, *, seed, firsts=(), prompt="comparative-1", generation=SAMPLED, owner=None):
    """A finished run whose judge prefers the better candidate, except on some pairs, where it takes the other.

    firsts: numbers of the pairs, in the order of the plan, whose decision is turned around.
    """
    run = make_run(dataset, prompt=prompt, generation=generation, selection=SelectionSettings(seed=seed), owner=owner)
    keys = dict(Candidate.objects.filter(context__dataset=dataset).values_list("pk", "key"))
    pairs = sorted(tuple(pair) for chunk in run.chunks.all() for pair in chunk.pairs)
    choices = [(keys[first] < keys[second]) != (number in firsts) for number, (first, second) in enumerate(pairs)]
    store_samples(run, pairs, [["first" if choice else "second"] for choice in choices])
    return run


def store_samples(run, pairs, reads):
    """Store the samples of each pair, and mark the run as done. reads: "first", "second", "tie" or None each."""
    context_of = dict(Candidate.objects.filter(context__dataset=run.dataset).values_list("pk", "context_id"))
    Comparison.objects.bulk_create(
        Comparison(
            run=run,
            context_id=context_of[first],
            first_id=first,
            second_id=second,
            outcome="answered",
            p_first=sum(read == "first" for read in samples) / sum(read is not None for read in samples),
            text=json.dumps([{"text": read or "?", "read": read} for read in samples]),
        )
        for (first, second), samples in zip(pairs, reads, strict=True)
    )
    run.chunks.update(status=Chunk.Status.DONE)
    Run.objects.filter(pk=run.pk).update(status=Run.Status.DONE)
