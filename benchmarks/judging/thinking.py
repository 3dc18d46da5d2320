"""Thinking before each answer, for all pairs of a context at once and for one pair at a time.

Random weights write no end mark. A token whose number is a multiple of ENDS_AFTER ends the thinking instead, so texts
have different lengths.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from transformers import PreTrainedModel, StoppingCriteria, StoppingCriteriaList

from benchmarks.judging.peers import p_first
from benchmarks.judging.prompts import SUMMEVAL, prompts
from benchmarks.numerics.lines import Line
from evenhand.engine.local.cpu_matmul import choose_products
from evenhand.engine.local.decoder_only import CausalModel
from evenhand.engine.local.thinking import Draft, write_drafts
from evenhand.engine.questions.label_tokens import Ids, LabelledPrompt
from evenhand.engine.questions.pair_questions import Answer

MOST_TOKENS = 128
ENDS_AFTER = 61
PAIRS, SHARE = 60, 6  # pairs that our judge is asked, and its peer
WANTED = 5.0


@dataclass(frozen=True)
class Thought:
    """The thinking about one prompt, and the answer after it."""

    ids: Ids
    p_first: float


def measured_thinking(model: PreTrainedModel) -> Line:
    """Return processor seconds for one answer after thinking, against transformers' generate for one pair at a time."""
    asked = prompts(SUMMEVAL)[:PAIRS]  # a slice of a run on all pairs
    products = choose_products(model)
    started = time.process_time()
    ours = thought_together(CausalModel(model, products=products), asked)
    seconds = (time.process_time() - started) / len(asked)
    started = time.process_time()
    theirs = [thought_alone(model, prompt) for prompt in asked[:SHARE]]
    their_seconds = (time.process_time() - started) / SHARE
    same = [one.ids == other.ids for one, other in zip(ours, theirs, strict=False)]
    error = max(
        abs(one.p_first - other.p_first) for one, other in zip(ours, theirs, strict=False) if one.ids == other.ids
    )
    mean = sum(len(one.ids) for one in ours) / len(ours)
    note = (
        f"{products}; {mean:.0f} tokens of thinking; {sum(same)} of {SHARE} the same; P(first) differs by {error:.0e}"
    )
    task = f"SummEval, {PAIRS} of 240 pairs, thinking"
    return Line(task, seconds, "generate, one at a time", their_seconds, WANTED, error, note=note)


def ends_thinking(ids: Sequence[int]) -> bool:
    return ids[-1] % ENDS_AFTER == 0


def thought_together(judge: CausalModel, asked: Sequence[LabelledPrompt]) -> list[Thought]:
    """Think about all prompts in batches, and score the labels after each batch."""
    drafts = {number: Draft(prompt.given_ids, MOST_TOKENS, 0.0, 0) for number, prompt in enumerate(asked)}
    thoughts: dict[int, Thought] = {}
    for ended in write_drafts(judge, drafts, ends_thinking):
        after = [
            LabelledPrompt((), asked[one].given_ids + drafts[one].written, asked[one].first_ids, asked[one].second_ids)
            for one in ended
        ]
        for number, prompt, values in zip(ended, after, judge.score(after).values, strict=True):
            thoughts[number] = Thought(drafts[number].written, _known(prompt.answer(values or (0.0, 0.0))))
    return [thoughts[number] for number in range(len(asked))]


def _known(answer: Answer) -> float:
    if answer.p_first is None:
        raise ValueError(answer.error)
    return answer.p_first


@torch.inference_mode()
def thought_alone(model: PreTrainedModel, prompt: LabelledPrompt) -> Thought:
    """Think about one prompt by transformers' own loop, then run the model over everything."""
    ids = torch.tensor([prompt.given_ids])
    whole = model.generate(
        ids,
        attention_mask=torch.ones_like(ids),
        max_new_tokens=MOST_TOKENS,
        do_sample=False,
        pad_token_id=0,
        stopping_criteria=StoppingCriteriaList([_Ending()]),
    )
    [probability] = p_first(model(input_ids=whole).logits[:, -1], prompt)
    return Thought(tuple(whole[0, ids.shape[1] :].tolist()), probability)


class _Ending(StoppingCriteria):  # type: ignore[misc]
    def __call__(self, input_ids: Tensor, scores: Tensor, **more: object) -> Tensor:
        return input_ids[:, -1] % ENDS_AFTER == 0
