"""Runs that ask the same about the same pairs or texts, but of another attribute: their chunks are judged together.

What an engine computes of a prompt's beginning then serves all of their questions.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import Any

from judging.engine import Engine
from judging.models import Chunk, Run
from judging.services.execution.claimed_chunk import Work
from judging.services.execution.heartbeat import Heartbeat
from judging.services.execution.slices import Kind
from judging.services.plans.question_texts import Shown, texts_of
from judging.services.plans.run_environment import EnvironmentDiffers, agree_on_environment
from judging.services.plans.run_spec import worded_prompt


@contextmanager
def taken_up_beside(chunk: Chunk, work: Work, *, kind: Kind[Any]) -> Iterator[list[tuple[Work, list[Shown]]]]:
    """The same chunk of sibling runs, as far as nobody holds it, with what it lacks; held as long as the block lasts.

    Empty where the engine computes each prompt alone: then nothing is won by it.
    """
    with ExitStack() as held:
        found = [taken_up(sibling, work, kind, held) for sibling in same_chunks(chunk, work.engine)]
        yield [one for one in found if one is not None]


def same_chunks(chunk: Chunk, engine: Engine) -> list[Chunk]:
    """Unfinished chunks of runs that differ from the chunk's in the attribute alone, about the same texts."""
    run = chunk.run
    if len(chunk.pairs) < chunk.planned or not engine.describe().shares_prefixes:
        return []
    others = Run.objects.active().filter(judge=run.judge_id, prompt=run.prompt_id, dataset=run.dataset_id)
    siblings = [other.pk for other in others.exclude(pk=run.pk) if _asked(other.spec) == _asked(run.spec)]
    chunks = Chunk.objects.unfinished().filter(run__in=siblings, part=chunk.part)
    return [other for other in chunks.select_related("run__judge", "run__prompt") if other.pairs == chunk.pairs]


def taken_up(chunk: Chunk, work: Work, kind: Kind[Any], held: ExitStack) -> tuple[Work, list[Shown]] | None:
    """A chunk claimed beside the one at work, given back at the end if it is not complete; None where it cannot be."""
    hold = Chunk.objects.claim(chunk.pk, lease=work.hold.lease)
    if hold is None:
        return None
    held.callback(Chunk.objects.release, hold)
    held.enter_context(Heartbeat(hold))
    run = chunk.run
    try:
        if not Run.objects.begin(run.pk):
            return None
        agree_on_environment(run, work.engine.describe())
    except EnvironmentDiffers:
        return None  # whoever takes it up for itself says so
    items = kind.lacking(chunk)
    beside = replace(work, run=run, hold=hold, prompt=worded_prompt(run.spec), texts=texts_of(items))
    return beside, items


def _asked(spec: dict[str, Any]) -> dict[str, Any]:
    """Everything that is asked in a run but the attribute and its words."""
    return {name: value for name, value in spec.items() if name != "wording"}
