"""Attention to one part of the keys, in plain operations, and the exact combination of two parts."""

import math
from dataclasses import dataclass

import torch
from torch import Tensor

MOST_SCORES = 1 << 26  # attention scores held at once

KeysValues = tuple[Tensor, Tensor]  # each (1, heads, tokens, width)


@dataclass(frozen=True, slots=True)
class Scoring:
    """How a query scores a key.

    scale: factor of their product. softcap: tanh bound of the scores; None for none.
    window: a token sees itself and the window - 1 tokens before it; None for all tokens before it.
    sinks: score of an extra key without a value, for each query head, (heads,); None for none (gpt-oss).
    """

    scale: float
    softcap: float | None = None
    window: int | None = None
    sinks: Tensor | None = None


@dataclass(frozen=True, slots=True)
class AttentionPart:
    """Attention to one part of the keys.

    out: weighted mean of the values, (batch, heads, tokens, width).
    weight: log of the softmax normaliser, float32 (batch, heads, tokens); -inf for a token that sees no key of it.
    """

    out: Tensor
    weight: Tensor


def join(whole: AttentionPart, other: AttentionPart) -> None:
    """Combine another part into `whole`, in place. `whole` is never empty, because each token sees itself."""
    share = torch.sigmoid(other.weight - whole.weight)[..., None].to(whole.out.dtype)
    whole.out.lerp_(other.out, share)
    torch.logaddexp(whole.weight, other.weight, out=whole.weight)


def with_sinks(whole: AttentionPart, sinks: Tensor | None) -> Tensor:
    """Return the result of attention to all parts and to a sink, which takes its share and has no value.

    sinks: score of the sink for each head, broadcast to `whole.weight`.
    """
    if sinks is None:
        return whole.out
    return whole.out * torch.sigmoid(whole.weight - sinks.float())[..., None].to(whole.out.dtype)


def plain_attention_part(
    query: Tensor, key: Tensor, value: Tensor, scoring: Scoring, *, allowed: Tensor | None
) -> AttentionPart:
    """Attend from every query to every key, or to the allowed ones: bool (queries, keys), or with batch and heads."""
    heads = query.shape[1] // key.shape[1]
    key, value = repeated(key, heads), repeated(value, heads)
    rows = max(1, MOST_SCORES // (query.shape[0] * query.shape[1] * key.shape[2]))
    parts = []
    for low in range(0, query.shape[2], rows):
        scores = (query[:, :, low : low + rows] @ key.mT).float() * scoring.scale
        if scoring.softcap is not None:
            scores = scoring.softcap * torch.tanh(scores / scoring.softcap)
        if allowed is not None:
            scores = scores.masked_fill(~allowed[..., low : low + rows, :], -math.inf)
        weight = scores.logsumexp(-1)
        shares = torch.exp(scores - weight.clamp(min=torch.finfo(torch.float32).min)[..., None])
        parts.append(AttentionPart(shares.to(value.dtype) @ value, weight))
    return AttentionPart(torch.cat([part.out for part in parts], 2), torch.cat([part.weight for part in parts], 2))


def causal_mask(tokens: int, *, window: int | None, device: torch.device) -> Tensor:
    """Return bool (tokens, tokens): each token sees itself and earlier tokens within the window."""
    steps = torch.arange(tokens, device=device)
    distance = steps[:, None] - steps[None]
    return distance >= 0 if window is None else (distance >= 0) & (distance < window)


def within_window(positions: Tensor, start: int, stop: int, window: int | None) -> Tensor | None:
    """Return bool (queries, keys): the keys within the window of each query. None if there is no window.

    positions: of the queries. start, stop: first position of the keys, and the position after the last.
    """
    if window is None:
        return None
    return positions[:, None] - torch.arange(start, stop, device=positions.device) < window


def repeated(states: Tensor, times: int) -> Tensor:
    """Repeat every head, copies next to each other."""
    return states if times == 1 else states.repeat_interleave(times, 1)
