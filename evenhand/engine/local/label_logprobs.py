"""Add up the log-probability of a label word over its tokens.

Rows of a padded batch go through `label_logprobs`, rows of a prefix tree through `sum_label_tokens`.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from evenhand.engine.questions.label_tokens import TokenRow


@dataclass(frozen=True, slots=True)
class LabelScores:
    """Label probabilities of several prompts, or of several rows of tokens.

    values: log-probabilities of the labels of each, in order; None for one that does not fit into memory.
    computed_tokens: tokens that the model ran over, without padding.
    """

    values: Sequence[list[float] | None]
    computed_tokens: int


@dataclass(frozen=True, slots=True)
class LabelToken:
    """One token of a label of a row, and the position of that row that predicts it."""

    row: int
    label: int
    position: int
    token: int


def label_logprobs(logits: Tensor, positions: Sequence[int], rows: Sequence[TokenRow]) -> list[list[float]]:
    """Return the log-probability of each label of each row, summed over the label's tokens in float32.

    logits: (rows, kept positions, vocabulary). positions: the position in the row of each kept one.
    """
    column = {position: index for index, position in enumerate(positions)}
    row_of, column_of, token_of, label_of = [], [], [], []
    labels = [(index, label, row.given) for index, row in enumerate(rows) for label in row.labels]
    for number, (index, label, given) in enumerate(labels):
        for step, token in enumerate(label):
            row_of.append(index)
            column_of.append(column[given - 1 + step])
            token_of.append(token)
            label_of.append(number)
    needed = logits[row_of, column_of].float()  # (label tokens, vocabulary)
    chosen = needed.log_softmax(-1).gather(1, torch.tensor(token_of, device=logits.device)[:, None])[:, 0].cpu()
    sums = torch.zeros(len(labels)).index_add_(0, torch.tensor(label_of), chosen).tolist()
    results: list[list[float]] = [[] for _ in rows]
    for (index, _, _), value in zip(labels, sums, strict=True):
        results[index].append(value)
    return results


def kept_positions(rows: Sequence[TokenRow]) -> list[int]:
    """Return the positions that predict a token of some label of some row, ascending."""
    needed = {row.given - 1 + step for row in rows for label in row.labels for step in range(len(label))}
    return sorted(needed)


def sum_label_tokens(
    rows: Sequence[TokenRow], tokens_by_pack: Sequence[tuple[list[LabelToken], Tensor]]
) -> list[list[float]]:
    """Return the log-probability of each label of each row, summed over the label's tokens in all packs.

    tokens_by_pack: label tokens with their log-probabilities, float32 (tokens,), for each pack of a prefix tree.
    """
    values = [[0.0] * len(row.labels) for row in rows]
    for tokens, logprobs in tokens_by_pack:
        for token, logprob in zip(tokens, logprobs.tolist(), strict=True):
            values[token.row][token.label] += logprob
    return values
