"""Attention to one part of what a token sees, in plain operations, and how two parts are weighed together."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor

MOST_SCORES = 1 << 26  # numbers held at once

KeysValues = tuple[Tensor, Tensor]  # each (1, heads, tokens, width)


@dataclass(frozen=True, slots=True)
class Scoring:
    """How a query scores a key. scale: of their product. softcap: bound of the scores (tanh), None for none.

    window: a token sees itself and the window - 1 tokens before it; None: all before it.
    """

    scale: float
    softcap: float | None = None
    window: int | None = None


@dataclass(frozen=True, slots=True)
class Part:
    """What one part of what a token sees says. out: the mean of its values, (batch, heads, tokens, width).

    weight: the log of its normaliser, float32 (batch, heads, tokens); -inf where none of it is seen.
    """

    out: Tensor
    weight: Tensor


def join(whole: Part, other: Part) -> None:
    """Weigh another part in, in place. What `whole` sees is never nothing: a token sees itself."""
    share = torch.sigmoid(other.weight - whole.weight)[..., None].to(whole.out.dtype)
    whole.out.lerp_(other.out, share)
    torch.logaddexp(whole.weight, other.weight, out=whole.weight)


def plain_part(query: Tensor, key: Tensor, value: Tensor, scoring: Scoring, *, allowed: Tensor | None) -> Part:
    """Every query sees every key, or those that are allowed: bool (queries, keys), with or without batch and heads."""
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
        parts.append(Part(shares.to(value.dtype) @ value, weight))
    return Part(torch.cat([part.out for part in parts], 2), torch.cat([part.weight for part in parts], 2))


def no_later(tokens: int, *, window: int | None, device: torch.device) -> Tensor:
    """Bool (tokens, tokens): a token sees itself and those before it, as far as a window goes."""
    steps = torch.arange(tokens, device=device)
    distance = steps[:, None] - steps[None]
    return distance >= 0 if window is None else (distance >= 0) & (distance < window)


def repeated(states: Tensor, times: int) -> Tensor:
    """Every head so many times, next to each other."""
    return states if times == 1 else states.repeat_interleave(times, 1)
