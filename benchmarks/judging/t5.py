"""The usual way to ask an encoder-decoder model, with transformers alone."""

from collections.abc import Sequence

import numpy as np
import torch
from transformers import PreTrainedModel, T5Config, T5ForConditionalGeneration

from benchmarks.judging.peers import ONE, Peer, Probabilities, p_first
from benchmarks.judging.prompts import LABELS, VOCABULARY
from evenhand.engine.local.tensors import right_padded
from evenhand.engine.questions.label_tokens import LabelledPrompt

BATCH = 12
START = 0
SHORTEST, LONGEST = 426, 710

FIXED = f"padded batches of {BATCH}"


def random_t5() -> PreTrainedModel:
    """Return a model in the shape of Flan-T5 small: 19 million parameters in its encoder, 25 million in its decoder."""
    torch.manual_seed(1)
    config = T5Config(
        vocab_size=VOCABULARY,
        d_model=512,
        d_kv=64,
        d_ff=1024,
        num_layers=8,
        num_heads=6,
        feed_forward_proj="gated-gelu",
        tie_word_embeddings=False,
        decoder_start_token_id=START,
    )
    model = T5ForConditionalGeneration(config).eval()
    with torch.no_grad():
        model.lm_head.weight.mul_(0.05)
    return model


def t5_prompts(number: int, *, seed: int = 0) -> list[LabelledPrompt]:
    """Return random prompts of various lengths in random order. An encoder shares nothing between them."""
    rng = np.random.default_rng(seed)
    texts = [rng.integers(20, VOCABULARY, rng.integers(SHORTEST, LONGEST)).tolist() for _ in range(number)]
    return [LabelledPrompt(tuple(text), (START,), *LABELS) for text in texts]


@torch.inference_mode()
def one_at_a_time(model: PreTrainedModel, prompts: Sequence[LabelledPrompt]) -> Probabilities:
    return [probability for prompt in prompts for probability in _asked(model, [prompt])]


@torch.inference_mode()
def padded_batches(model: PreTrainedModel, prompts: Sequence[LabelledPrompt]) -> Probabilities:
    batches = [prompts[low : low + BATCH] for low in range(0, len(prompts), BATCH)]
    return [probability for batch in batches for probability in _asked(model, batch)]


def _asked(model: PreTrainedModel, prompts: Sequence[LabelledPrompt]) -> Probabilities:
    ids, mask = right_padded([prompt.encoder_ids for prompt in prompts], device=model.device)
    decoder_ids = torch.full((len(prompts), 1), START)
    return p_first(model(input_ids=ids, attention_mask=mask, decoder_input_ids=decoder_ids).logits[:, -1], prompts[0])


T5_PEERS: dict[str, Peer] = {ONE: one_at_a_time, FIXED: padded_batches}
