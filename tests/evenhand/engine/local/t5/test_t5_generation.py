"""Texts of a T5 model: those of one prompt share its encoding, and are what each would be alone."""

import pytest
import torch

from evenhand.engine.local.batching import TokenBudget
from evenhand.engine.local.encoder_decoder import Seq2SeqModel
from evenhand.engine.local.padded.padded_generation import PaddedWriter
from evenhand.engine.local.t5.t5_generation import T5Writer, shared_writing_refusal
from evenhand.engine.local.written_texts import RequestPrompt
from tests.evenhand.engine.local.t5.t5_models import KINDS, VOCABULARY, build

LENGTHS = (40, 1, 170)


def prompts():
    torch.manual_seed(5)
    return [tuple(torch.randint(3, VOCABULARY, (n,)).tolist()) for n in LENGTHS]


def asked():
    """Eleven texts of three prompts: likeliest and drawn ones, with two beginnings and two cut-offs."""
    sources = (0, 1, 1, 2, 0, 2, 2, 0, 1, 1, 1)
    return [
        RequestPrompt(
            prompts()[source], 12 if n < 8 else 5, 0.9 if n % 3 else 0.0, seed=n, begin=(0, 7) if n % 2 else ()
        )
        for n, source in enumerate(sources)
    ]


def ending(model, ends=range(20, 30)):
    """A model that often comes to an end."""
    model.generation_config.eos_token_id = list(ends)
    return model


def encoded_tokens(model):
    """Record the number of tokens of each later call of the encoder."""
    calls = []
    model.encoder.block[0].register_forward_pre_hook(
        lambda _, given: calls.append(given[0].shape[0] * given[0].shape[1])
    )
    return calls


@pytest.mark.parametrize(("kind", "budget"), [*((kind, 100_000) for kind in KINDS), ("T5 1.1", 230), ("T5 1.1", 1)])
def test_texts_are_those_that_generate_gives_each_alone(kind, budget):
    model = ending(build(kind))

    written = T5Writer(model, TokenBudget(budget)).write(asked())

    alone = PaddedWriter(model, TokenBudget(1)).write(asked())
    assert [(one.ids, one.complete) for one in written] == [(one.ids, one.complete) for one in alone]
    assert {one.complete for one in written} == {True, False}
    assert len({len(one.ids) for one in written}) > 3


def test_prompt_is_encoded_once_for_all_of_its_texts():
    model = build("T5 1.1")
    writer, calls = T5Writer(model, TokenBudget(100_000)), encoded_tokens(model)
    texts = [prompt for prompt in prompts() for _ in range(4)]

    written = writer.write([RequestPrompt(ids, 3, 1.0, seed) for seed, ids in enumerate(texts)])

    assert calls == [sum(LENGTHS)]
    assert [one.shared for one in written] == [length if place else 0 for length in LENGTHS for place in range(4)]
    assert len({one.ids for one in written}) > 6


def test_texts_that_do_not_fit_into_memory_together_are_written_apart():
    model = build("T5 1.0")
    plenty = T5Writer(model, TokenBudget(100_000)).write(asked())

    def run_out(module, given):
        if given[0].shape[0] > 1:
            raise torch.OutOfMemoryError("only one row at a time")

    model.decoder.block[0].register_forward_pre_hook(run_out)
    written = T5Writer(model, TokenBudget(100_000)).write(asked())

    assert [one.ids for one in written] == [one.ids for one in plenty]


def test_text_that_does_not_fit_alone_is_none():
    model = build("T5 1.0")

    def run_out(module, given):
        if given[0].shape[1] > 100:
            raise torch.OutOfMemoryError("170 tokens are too many")

    model.encoder.block[0].register_forward_pre_hook(run_out)
    written = T5Writer(model, TokenBudget(100_000)).write(asked())

    assert [one is None for one in written] == [len(request.ids) == 170 for request in asked()]


def test_model_writes_by_sharing_prompts():
    model = build("mT5")
    writes, calls = Seq2SeqModel(model), encoded_tokens(model)

    writes.write([RequestPrompt(prompts()[0], 4, 1.0, seed) for seed in range(5)])

    assert calls == [LENGTHS[0]]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda model: setattr(model.generation_config, "forced_bos_token_id", 5), "its texts begin with a token of"),
        (lambda model: model.decoder.block[1].layer[1].EncDecAttention.register_forward_hook(doubled), "its log-prob"),
        (lambda model: setattr(model.decoder, "block", None), "its prompts cannot be shared (TypeError: "),
    ],
)
def test_shared_writing_is_refused_when_numbers_differ(change, reason):
    model = build("T5 1.0")
    assert shared_writing_refusal(model) == ""

    change(model)

    assert shared_writing_refusal(model).startswith(reason)


def doubled(module, given, found):
    """Depends on how many rows there are, as nothing should."""
    return (found[0] * len(found[0]), *found[1:])


def test_shared_writing_is_refused_without_a_start_token():
    model = build("T5 1.0")
    model.generation_config.decoder_start_token_id = model.config.decoder_start_token_id = None

    assert shared_writing_refusal(model) == "it does not say what its texts start with"
