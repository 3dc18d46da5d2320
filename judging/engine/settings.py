"""How a judge is run, and what it turned out to be."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, get_args

from judging.engine.exceptions import LoadFailed

Backend = Literal["transformers", "openai", "metric"]
Dtype = Literal["float32", "bfloat16", "float16"]

BACKENDS: tuple[str, ...] = get_args(Backend)
DTYPES: tuple[str, ...] = get_args(Dtype)

MEASURED, TORCH, ONEDNN = "measured", "torch", "oneDNN"
PRODUCTS = (MEASURED, TORCH, ONEDNN)

DEMO_MODEL = "builtin:demo"
DEMO_FOLDER = Path(__file__).resolve().parent.parent / "demo" / "judge"


@dataclass(frozen=True, slots=True)
class EngineSettings:
    """How a judge is run.

    model: a hub id, a local folder, or DEMO_MODEL, the judge that comes with Evenhand; of a metric, its name.
    revision: a branch, tag or commit of a hub model; empty for its default, and for a folder.
    device: "cpu", "cuda", "cuda:1" or "auto" (the first GPU if there is one).
    base_url, api_key: of an endpoint; empty for a model that runs here. `api_key` is never shown.
    products: which library multiplies float32 matrices on a CPU, see judging/engine/local/cpu_matmul.py.
    """

    backend: str
    model: str
    revision: str = ""
    dtype: str = "float32"
    device: str = "cpu"
    base_url: str = ""
    api_key: str = field(default="", repr=False)
    products: str = MEASURED

    def __post_init__(self) -> None:
        if self.backend not in BACKENDS:
            raise LoadFailed(f'backend "{self.backend}" is unknown; choose one of: {", ".join(BACKENDS)}')
        if self.dtype not in DTYPES:
            raise LoadFailed(f'dtype "{self.dtype}" is unknown; choose one of: {", ".join(DTYPES)}')
        if self.products not in PRODUCTS:
            raise LoadFailed(f'products "{self.products}" are unknown; choose one of: {", ".join(PRODUCTS)}')
        if not self.model:
            raise LoadFailed("the judge has no model; give a hub id or a folder")


@dataclass(frozen=True, slots=True)
class EngineDescription:
    """What a loaded engine turned out to be; stored with a run, and never mixed within it.

    family: "decoder-only", "encoder-decoder" or "endpoint". architecture: the class in the model's configuration.
    revision: the commit of a hub model; for a folder "sha256:" and the fingerprint of its files.
    max_prompt_tokens: the longest prompt in tokens; None where the architecture has no limit (T5) or none is known.
    chat_template: whether prompts go through the tokenizer's chat template.
    tokenizer: SHA-256 of tokenizer and chat template, as a Renderer gives it; empty where nothing is tokenised here.
    batching: how prompts run together: "prefix tree", where what they share at their beginning is computed once,
        "packed prompts", without padding, or "padded batches" and why. After "prefix tree": why torch's kernels for
        attention are not used, if they are not. It changes what answers cost, not what they
        are; empty for an endpoint.
    products: "torch" or "oneDNN", whichever multiplies matrices. Their answers differ by rounding alone.
    threads: CPU threads of one operation. torch, transformers: versions; empty for an endpoint.
    signature: of a metric, everything that its scores depend on, to be cited; else empty.
    Of an endpoint, architecture says whether it gives log-probabilities, revision is its own name for the model that
    answers, and dtype and device are empty.
    """

    backend: str
    family: str
    architecture: str
    model: str
    revision: str
    dtype: str
    device: str
    max_prompt_tokens: int | None = None
    chat_template: bool = False
    batching: str = ""
    products: str = ""
    torch: str = ""
    transformers: str = ""
    threads: int = 0
    signature: str = ""
    tokenizer: str = ""
