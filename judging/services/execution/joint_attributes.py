"""Judges the chunks of sibling runs together: runs that differ only in their attribute.

An engine that shares prefixes then computes the common beginning of their prompts once.
"""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import Any

from evenhand.engine import Engine
from judging.models import Chunk, Run
from judging.services.execution.claimed_chunk import ClaimedChunk, Heartbeat, release
from judging.services.execution.judgment_kinds import unanswered_items
from judging.services.judges.endpoint_budgets import pause_of
from judging.services.plans.question_texts import CandidateIds, load_texts_of
from judging.services.plans.run_environment import EnvironmentDiffers, agree_on_environment
from judging.services.plans.run_spec import worded_prompt


@contextmanager
def claim_siblings(chunk: Chunk, claimed: ClaimedChunk) -> Iterator[list[tuple[ClaimedChunk, list[CandidateIds]]]]:
    """Claim the same chunk of sibling runs for the duration of the block, with their unanswered items.

    Chunks that another worker holds are left out. Empty if the engine does not share prefixes.
    """
    with ExitStack() as leases:
        claims = [_claim_sibling(sibling, claimed, leases) for sibling in sibling_chunks(chunk, claimed.engine)]
        yield [claim for claim in claims if claim is not None]


def sibling_chunks(chunk: Chunk, engine: Engine) -> list[Chunk]:
    """Return unfinished chunks with the same pairs, of active runs that differ only in their attribute."""
    run = chunk.run
    if len(chunk.pairs) < chunk.planned or not engine.describe().shares_prefixes:
        return []
    others = Run.objects.active().filter(judge=run.judge_id, prompt=run.prompt_id, dataset=run.dataset_id)
    siblings = [
        other.pk
        for other in others.exclude(pk=run.pk)
        if _spec_without_wording(other.spec) == _spec_without_wording(run.spec)
    ]
    chunks = Chunk.objects.unfinished().filter(run__in=siblings, position=chunk.position)
    return [other for other in chunks.select_related("run__judge", "run__prompt") if other.pairs == chunk.pairs]


def _claim_sibling(
    chunk: Chunk, claimed: ClaimedChunk, leases: ExitStack
) -> tuple[ClaimedChunk, list[CandidateIds]] | None:
    """Claim a sibling's chunk until `leases` closes.

    None if another worker holds it, its run is stopped or paused, or its environment differs.
    """
    lease = Chunk.objects.claim(chunk.pk, duration=claimed.lease.duration)
    if lease is None:
        return None
    leases.callback(release, lease)
    leases.enter_context(Heartbeat(lease))
    run = chunk.run
    try:
        if pause_of(run.judge, run.owner_id) or not Run.objects.begin(run.pk):
            return None
        agree_on_environment(run, claimed.engine.describe())
    except EnvironmentDiffers:
        return None  # a worker that claims the chunk by itself reports this
    items = unanswered_items(chunk)
    sibling = replace(claimed, run=run, lease=lease, prompt=worded_prompt(run.spec), texts=load_texts_of(run, items))
    return sibling, items


def _spec_without_wording(spec: dict[str, Any]) -> dict[str, Any]:
    """Return a spec without the attribute and the dataset's nouns."""
    return {name: value for name, value in spec.items() if name != "wording"}
