"""Generate text by transformers' own loop, in padded batches, with either kind of model."""

import copy
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

import torch
from torch import Tensor
from transformers import (
    GenerationConfig,
    LogitsProcessor,
    LogitsProcessorList,
    PreTrainedModel,
    StoppingCriteria,
    StoppingCriteriaList,
)

from evenhand.engine.interruption import require_use
from evenhand.engine.local.batching import Indices, TokenBudget, run_packed
from evenhand.engine.local.tensors import left_padded
from evenhand.engine.local.token_budgets import reporting_out_of_memory
from evenhand.engine.local.token_choice import TokenChoice
from evenhand.engine.local.written_texts import NO_TOKEN, RequestPrompt, WrittenIds
from evenhand.engine.questions.label_tokens import Ids


class PaddedWriter:
    """Continues prompts of similar length together, padded on the left."""

    def __init__(self, model: PreTrainedModel, budget: TokenBudget) -> None:
        self._model = model
        self._budget = budget
        self._config = _plain_config(model)
        self._end_ids = end_token_ids(model)
        # generate() fills open settings from the model's own, which may turn on sampling.
        model.generation_config = copy.deepcopy(self._config)

    def write(self, requests: Sequence[RequestPrompt]) -> list[WrittenIds | None]:
        """Return texts in the order of the requests; None if one does not fit into memory even alone."""
        groups: defaultdict[tuple[int, Ids], list[int]] = defaultdict(list)
        for row, request in enumerate(requests):
            groups[request.max_new_tokens, request.begin].append(row)
        written: dict[int, WrittenIds | None] = {}
        for rows in groups.values():
            written |= zip(rows, self._written([requests[row] for row in rows]), strict=True)
        return [written[row] for row in range(len(requests))]

    def write_batches(self, requests: Sequence[RequestPrompt]) -> Iterator[Mapping[int, WrittenIds | None]]:
        """Yield all texts at once, by the number of their request."""
        yield dict(enumerate(self.write(requests)))

    def _written(self, requests: Sequence[RequestPrompt]) -> list[WrittenIds | None]:
        """Write texts that share their `begin` and `max_new_tokens`."""

        def work(batch: Indices) -> list[WrittenIds]:
            return self._generate([requests[index] for index in batch])

        lengths = [len(request.ids) + request.max_new_tokens for request in requests]
        return run_packed(lengths, work, budget=self._budget)

    @torch.inference_mode()
    def _generate(self, requests: Sequence[RequestPrompt]) -> list[WrittenIds]:
        config = copy.deepcopy(self._config)
        config.max_new_tokens, begin = requests[0].max_new_tokens, requests[0].begin
        choosing = _Choosing(TokenChoice(requests, self._model.device))
        prompts = [request.ids for request in requests]
        ids, mask = left_padded(prompts, device=self._model.device, padding=self._config.pad_token_id)
        inputs = {"input_ids": ids, "attention_mask": mask}
        if begin:
            inputs["decoder_input_ids"] = torch.tensor([begin] * len(requests), device=self._model.device)
        start = max(1, len(begin)) if self._model.config.is_encoder_decoder else ids.shape[1]
        with reporting_out_of_memory():
            output: Tensor = self._model.generate(
                **inputs,
                generation_config=config,
                logits_processor=LogitsProcessorList([choosing]),
                stopping_criteria=StoppingCriteriaList([_Stopping(requests, start)]),
            )
        written = output[:, start:].masked_fill(torch.stack(choosing.without_numbers, 1), NO_TOKEN)
        return [self._until_end(row, request) for row, request in zip(written, requests, strict=True)]

    def _until_end(self, row: Tensor, request: RequestPrompt) -> WrittenIds:
        tokens = tuple(row.tolist())
        for end in range(1, len(tokens) + 1):
            is_complete = request.is_complete(tokens[:end], self._end_ids)
            if is_complete or tokens[end - 1] == NO_TOKEN:
                return WrittenIds(tokens[:end], complete=is_complete)
        return WrittenIds(tokens, complete=False)


class _Stopping(StoppingCriteria):  # type: ignore[misc]
    """Ends the texts whose requests stop where they are. start: number of tokens before the written ones."""

    def __init__(self, requests: Sequence[RequestPrompt], start: int) -> None:
        self._requests = requests
        self._start = start

    def __call__(self, input_ids: Tensor, scores: Tensor, **more: object) -> Tensor:
        rows = input_ids[:, self._start :].tolist()
        stopped = [request.stops(row) for request, row in zip(self._requests, rows, strict=True)]
        return torch.tensor(stopped, device=input_ids.device)


class _Choosing(LogitsProcessor):  # type: ignore[misc]
    """Makes the token chosen by TokenChoice the likeliest, which generate() then takes.

    without_numbers: for each step, bool (texts,): True where a logit is NaN.
    """

    def __init__(self, choice: TokenChoice) -> None:
        self._choice = choice
        self.without_numbers: list[Tensor] = []

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        require_use()
        chosen = self._choice.scores(scores, range(len(scores)))
        self.without_numbers.append(chosen.isnan().any(-1))
        return chosen


def end_token_ids(model: PreTrainedModel) -> frozenset[int]:
    """Return the tokens that end a text, from the model's generation settings."""
    return frozenset(_as_tuple(model.generation_config.eos_token_id))


def _plain_config(model: PreTrainedModel) -> GenerationConfig:
    """Keep the model's start and end tokens, and drop its repetition penalties and sampling settings."""
    own = model.generation_config
    ends = _as_tuple(own.eos_token_id)
    padding = own.pad_token_id if own.pad_token_id is not None else (*ends, 0)[0]
    return GenerationConfig(
        bos_token_id=own.bos_token_id,
        eos_token_id=own.eos_token_id,
        pad_token_id=padding,
        decoder_start_token_id=own.decoder_start_token_id,
        forced_bos_token_id=own.forced_bos_token_id,
        forced_eos_token_id=None,
    )


def _as_tuple(ids: int | list[int] | None) -> tuple[int, ...]:
    if ids is None:
        return ()
    return (ids,) if isinstance(ids, int) else tuple(ids)
