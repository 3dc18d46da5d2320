"""What both kinds of model need: rows as tensors, logits to log-probabilities, and a word for too little memory."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import torch
from torch import Tensor
from transformers import PreTrainedConfig, PreTrainedModel

from judging.engine.local.batching import CPU_TOKENS, GPU_TOKENS, OutOfMemory, TokenBudget
from judging.engine.local.token_memory import affordable_tokens, free_host_bytes, token_memory
from judging.engine.questions.label_tokens import Ids, Row

MOST_LOGITS = 1 << 28  # numbers predicted at once where every token of a text is: 1 GiB in float32

# Of log-probabilities, on average over the vocabulary, where a model is tried in two ways as it is loaded.
LARGEST_DIFFERENCE = {torch.float32: 1e-3, torch.float16: 0.05, torch.bfloat16: 0.2}


def token_budget(
    model: PreTrainedModel, *, on_cpu: int = CPU_TOKENS, computed: bool = True, held: bool = False
) -> TokenBudget:
    """How many tokens to try at once: what is worth while, as far as free memory goes; it halves where that runs out.

    computed: the tokens run through the model together. held: their keys and values in all layers are kept.
    """
    most = on_cpu if model.device.type == "cpu" else GPU_TOKENS
    memory = token_memory(model.config, width=model.dtype.itemsize)
    each = None if memory is None else computed * memory.computed + held * memory.cached
    return TokenBudget(affordable_tokens(_free_bytes(model.device), each, most=most))


def _free_bytes(device: torch.device) -> int | None:
    return free_host_bytes() if device.type == "cpu" else int(torch.cuda.mem_get_info(device)[0])


def text_budget(model: PreTrainedModel, budget: TokenBudget) -> TokenBudget:
    """Of texts, each token of which meets the whole vocabulary: as much as a budget, but no more than fits."""
    return TokenBudget(max(1, min(budget.tokens, MOST_LOGITS // vocabulary_size(model))))


@contextmanager
def attending_by(config: PreTrainedConfig, name: str) -> Iterator[None]:
    """Lets a model attend by the function registered under a name, and afterwards as it did."""
    parts = {key: part for key in config.sub_configs if (part := getattr(config, key, None)) is not None}
    usual = {key: part._attn_implementation for key, part in {"": config, **parts}.items()}
    config._attn_implementation = name
    try:
        yield
    finally:
        config._attn_implementation = usual


@contextmanager
def reporting_out_of_memory() -> Iterator[None]:
    """Turns the several ways in which torch runs out of memory into OutOfMemory."""
    try:
        yield
    except RuntimeError as error:
        if not is_out_of_memory(error):
            raise
        free_cached_memory()
        raise OutOfMemory from None


def is_out_of_memory(error: Exception) -> bool:
    """Also where not torch itself asked a GPU, or a CPU, for memory, but the driver or a library."""
    words = ("can't allocate memory", "CUDA error: out of memory", "CUBLAS_STATUS_ALLOC_FAILED")
    return isinstance(error, torch.OutOfMemoryError) or any(part in str(error) for part in words)


def free_cached_memory() -> None:
    """Give back what torch keeps of a GPU for the next tensors; on a CPU it keeps nothing."""
    if torch.cuda.is_available():
        torch.cuda.empty_cache()


def sent(tensor: Tensor, device: torch.device) -> Tensor:
    """A tensor of the host on a device; a GPU fetches it itself, when it comes to it, and nobody waits."""
    if device.type != "cuda":
        return tensor.to(device)
    return tensor.contiguous().pin_memory().to(device, non_blocking=True)


def right_padded(rows: Sequence[Ids], *, device: torch.device, padding: int = 0) -> tuple[Tensor, Tensor]:
    """Token ids and their mask (1 for a real token), both int64 (rows, longest)."""
    return _padded(rows, device=device, padding=padding, left=False)


def left_padded(rows: Sequence[Ids], *, device: torch.device, padding: int = 0) -> tuple[Tensor, Tensor]:
    """The same with the padding before the tokens, as writing on needs it."""
    return _padded(rows, device=device, padding=padding, left=True)


def _padded(rows: Sequence[Ids], *, device: torch.device, padding: int, left: bool) -> tuple[Tensor, Tensor]:
    ids = torch.full((len(rows), max(map(len, rows))), padding, dtype=torch.int64)
    mask = torch.zeros_like(ids)
    for row, tokens in enumerate(rows):
        place = slice(ids.shape[1] - len(tokens), None) if left else slice(len(tokens))
        ids[row, place] = torch.tensor(tokens, dtype=torch.int64)
        mask[row, place] = 1
    return sent(ids, device), sent(mask, device)


def label_logprobs(logits: Tensor, positions: Sequence[int], rows: Sequence[Row]) -> list[list[float]]:
    """For every row the log-probability of each of its labels, summed over the label's tokens in float32.

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


def kept_positions(rows: Sequence[Row]) -> list[int]:
    """The positions whose predictions some label of some row needs, ascending."""
    needed = {row.given - 1 + step for row in rows for label in row.labels for step in range(len(label))}
    return sorted(needed)


def vocabulary_size(model: PreTrainedModel) -> int:
    """Number of tokens that the model has an embedding for."""
    embeddings: torch.nn.Embedding = model.get_input_embeddings()
    return embeddings.weight.shape[0]


def ordinary_tokens(model: PreTrainedModel) -> list[int]:
    """All tokens but those that begin, end or pad a text."""
    config = model.config.get_text_config()
    ends = getattr(config, "eos_token_id", None)
    special = {getattr(config, name, None) for name in ("pad_token_id", "bos_token_id")}
    special.update(ends if isinstance(ends, list) else [ends])
    return [token for token in range(vocabulary_size(model)) if token not in special]


def takes_logits_to_keep(model: PreTrainedModel) -> bool:
    return "logits_to_keep" in inspect.signature(model.forward).parameters


def takes_positions(model: PreTrainedModel) -> bool:
    return "position_ids" in inspect.signature(model.forward).parameters


def rotation_depends_on_length(model: PreTrainedModel) -> bool:
    """Whether the longest row of a batch changes how the others are rotated (Phi-3's long contexts)."""
    parameters = getattr(model.config.get_text_config(), "rope_parameters", None) or {}
    kinds = [parameters.get("rope_type"), *(v.get("rope_type") for v in parameters.values() if isinstance(v, dict))]
    return any(kind in ("longrope", "dynamic") for kind in kinds)
