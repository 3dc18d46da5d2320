"""Robustness runs: a run like another one, in which a sentence is added to one candidate of each pair."""

from collections.abc import Mapping
from typing import Any

from evenhand.refusals import Refused
from judging.models import Run
from judging.services.plans.added_sentences import AddedSentence
from judging.services.plans.generation_settings import generation_in
from judging.services.plans.run_spec import criteria_prompt_in
from judging.services.plans.selection_settings import selection_of
from judging.services.runs.run_request import RunRequest


def robustness_request(run: Run, sentence: AddedSentence) -> RunRequest:
    """Return the request for a run like this one with an added sentence.

    Raises Refused if the run was not judged here, has a sentence itself, or could not be asked the same way today.
    """
    if run.prompt is None or not run.judge.can_be_asked:
        raise Refused(f"run: {run.pk} was recorded or combined; only runs that were judged here can be asked again")
    if run.asks_null_pairs:
        raise Refused(f"run: {run.pk} compares texts with themselves; name a run that compares different ones")
    if run.added_sentence:
        raise Refused(f'run: {run.pk} has the sentence "{run.added_sentence}" itself; name the run without it')
    request = RunRequest(
        *(run.dataset, run.attribute, run.judge, run.prompt),
        selection_of(run),
        generation_in(run.spec),
        criteria_prompt_in(run.spec),
        run.in_batches,
        sentence,
    )
    if changed := _changed_parts(run.spec, request.spec()):
        raise Refused(f"run: {', '.join(changed)} changed since run {run.pk}; judge it again without a sentence first")
    return request


def _changed_parts(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    return [part for part in now if part != "steering" and now[part] != before.get(part)]
