"""The table of model families, as text and as a page of the documentation."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class FamilyLine:
    """One family in one precision.

    batching, note: as a run notes them. difference: largest difference of P(first) from plain transformers.
    padded_difference: that of the usual padded batches. ratio: seconds of padded batches over ours, for a prompt.
    wanted: the least ratio that we aim at; 0 for any.
    """

    model_type: str
    models: str
    dtype: str
    batching: str
    note: str
    difference: float
    padded_difference: float
    seconds: float
    ratio: float
    wanted: float = 0.0

    def __str__(self) -> str:
        return (
            f"{self.model_type:18}{self.dtype:10}{self.batching:25}{self.difference:9.0e}{self.padded_difference:9.0e}"
            f"{self.seconds:9.4f}{self.ratio:7.1f}  {self.note}"
        )


HEADING = """# Model families

How each family of decoder-only models runs as a local judge, how far its answers are from plain transformers, and how
fast it is.

The models are small (4 layers of width 256), built from their configuration, with random weights. Prompts are all 240
comparisons of a context in the shape of SummEval. Plain transformers answers one prompt at a time. Padded batches are
the usual way: 16 prompts, padded on the left.

- **Runs by**: how the prompts of one call share work ([engine](../internals/engine.md)). A trial decides when a model
  is loaded.
- **Differs by**: largest difference of P(first) from plain transformers. In half precision every other order of
  operations rounds differently; the padded batches show by how much.
- **Mixtures of experts** differ by up to 0.2 in bfloat16: where two experts score almost alike, rounding decides which
  one reads the token. Plain transformers rounds its routers in the same way, so its own batches differ as much.
- **Speed**: processor time of padded batches over ours, for one prompt. DeepSeek V3.2, GLM 5, Jamba and Mamba are
  asked 32 of the prompts, because they are slow without the kernels of a GPU.

Models whose attention sees later tokens (BERT) are refused. For encoder-decoder models (T5) see
[engine](../internals/engine.md). Multimodal models run as their text part does: Mistral Small 3.1, Llama 4, Qwen-VL,
GLM-4V, Llama 3.2 Vision, InternVL, Gemma 3, 3n and 4.

"""
COLUMNS = (
    "Models",
    "Type in transformers",
    "Runs by",
    "Differs by, float32",
    "Differs by, bfloat16",
    "Padded batches differ by, bfloat16",
    "Speed, float32",
    "Speed, bfloat16",
)


def page(lines: Sequence[FamilyLine], machine: Mapping[str, object]) -> str:
    """Return the page of the documentation. lines: each family in float32, then in bfloat16."""
    rows = [_row(one, other) for one, other in zip(lines[::2], lines[1::2], strict=True)]
    measured = f"{machine['processor']}, one thread, torch {machine['torch']}, transformers {machine['transformers']}"
    table = "\n".join([_cells(COLUMNS), _cells(["---"] * len(COLUMNS)), *rows])
    source = "`python -m benchmarks.judging.families`. Reasons are in `benchmarks/results/families.json`"
    return f"{HEADING}{table}\n\nMeasured on {measured}, by {source}.\n"


def _row(exact: FamilyLine, half: FamilyLine) -> str:
    ways = exact.batching if exact.batching == half.batching else f"{exact.batching}; bfloat16: {half.batching}"
    numbers = (exact.difference, half.difference, half.padded_difference)
    cells = [
        exact.models,
        f"`{exact.model_type}`",
        ways,
        *(f"{one:.0e}" for one in numbers),
        f"{exact.ratio:.1f}",
        f"{half.ratio:.1f}",
    ]
    return _cells(cells)


def _cells(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
