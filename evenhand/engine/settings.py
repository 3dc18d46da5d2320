"""Settings of a judge's engine, and the description of a loaded engine."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Literal

from evenhand.engine.exceptions import LoadFailed
from evenhand.engine.questions.thinking import Thinking

BACKENDS = ("transformers", "openai", "metric")
DTYPES = ("float32", "bfloat16", "float16")

SCORING, FORCED_CHOICE, LOGPROBS, TEXT = "scoring", "forced-choice", "logprobs", "text"
ASKED_BY = (SCORING, FORCED_CHOICE, LOGPROBS, TEXT)
"""How an endpoint is asked for a label word: for the probabilities of its tokens after our own prompt, forced to write
one, by the log-probabilities of a free reply, or by its text alone."""

MEASURED, TORCH, ONEDNN = "measured", "torch", "oneDNN"
PRODUCTS = (MEASURED, TORCH, ONEDNN)

DEMO_MODEL = "builtin:demo"
DEMO_FOLDER = Path(__file__).resolve().parent / "demo_judge"


@dataclass(frozen=True, slots=True)
class EngineSettings:
    """Settings from which an engine is loaded.

    model: a hub id, a local folder, DEMO_MODEL for the judge that comes with Evenhand, or the name of a metric.
    revision: a branch, tag or commit of a hub model; empty for its default branch, and for a folder.
    device: "cpu", "cuda", "cuda:1" or "auto" (the first GPU if there is one).
    base_url, api_key: address and key of an endpoint; empty for a local model. The repr leaves out `api_key`.
    pickled_weights: True to read weights from pickles too, which may run code of their author.
    products: the library that multiplies float32 matrices on a CPU, see evenhand/engine/local/cpu_matmul.py.
    The others are of an endpoint. dialect: its dialect; empty to recognise it. ask_by: one of ASKED_BY; empty to find
    the one that suits it. asked_before: the one that its last probe found. refused: (parameter, its words) pairs that
    it refused before. thinking: as in its questions. decides: True to ask a decision model, in no other way.
    """

    backend: str
    model: str
    revision: str = ""
    dtype: str = "float32"
    device: str = "cpu"
    base_url: str = ""
    api_key: str = field(default="", repr=False)
    pickled_weights: bool = False
    products: str = MEASURED
    dialect: str = ""
    ask_by: str = ""
    decides: bool = False
    asked_before: str = field(default="", compare=False)
    refused: tuple[tuple[str, str], ...] = field(default=(), compare=False)
    thinking: Thinking | None = None

    def __post_init__(self) -> None:
        if self.backend not in BACKENDS:
            raise LoadFailed(f'backend "{self.backend}" is unknown; choose one of: {", ".join(BACKENDS)}')
        if self.dtype not in DTYPES:
            raise LoadFailed(f'dtype "{self.dtype}" is unknown; choose one of: {", ".join(DTYPES)}')
        if self.products not in PRODUCTS:
            raise LoadFailed(f'products "{self.products}" are unknown; choose one of: {", ".join(PRODUCTS)}')
        if not self.model:
            raise LoadFailed("the judge has no model; give a hub id or a folder")


class Batching(StrEnum):
    """Scheme by which the prompts of one call are computed. It changes the cost of answers, not their values."""

    TREE = "prefix tree"
    CACHE = "cached beginnings"
    PACKED = "packed prompts"
    PADDED = "padded batches"
    EQUAL_LENGTHS = "batches of equal length"
    ALONE = "one prompt at a time"


@dataclass(frozen=True, slots=True)
class EngineDescription:
    """Properties of a loaded engine, stored with each run.

    architecture: the class in the model's configuration; "chat completions" for an endpoint.
    revision: the commit of a hub model; for a folder "sha256:" and the fingerprint of its files; for an endpoint
        its own name of the model.
    dtype, device: empty for an endpoint.
    max_prompt_tokens: the longest prompt in tokens; None without a limit (T5) or if it is unknown.
    chat_template: True if prompts go through the tokenizer's chat template.
    tokenizer: fingerprint of tokenizer and chat template (SHA-256), from the Renderer; empty for an endpoint.
    gives_probabilities: False for an endpoint that gives no log-probabilities, and for a metric.
    top_logprobs: number of likeliest tokens whose log-probabilities an endpoint lists; 0 for a local model, which
        gives all.
    dialect: names of an endpoint's request fields. refused: parameter that it refused -> its words.
    asked_by: how the endpoint is asked, one of ASKED_BY, or the kind of its decisions; empty for other judges.
    forced_choice: JSON of the fields that allow label words only; empty without.
    batching: None for an endpoint and a metric.
    batching_note: for display, the reason why the model uses no prefix tree, or not the fastest kernels; or empty.
    products: "torch" or "oneDNN", the library that multiplies matrices. Their answers differ by rounding alone.
    threads: CPU threads of one operation. torch, transformers: versions; empty for an endpoint.
    thinking, without_thinking: how the model thinks, and how it is kept from thinking; empty if it does not think.
    signature: everything that determines the scores of a metric, for citation; empty for other judges.
    """

    backend: str
    family: Literal["decoder-only", "encoder-decoder", "classifier", "endpoint", "metric"]
    architecture: str
    model: str
    revision: str
    dtype: str
    device: str
    max_prompt_tokens: int | None = None
    chat_template: bool = False
    gives_probabilities: bool = True
    top_logprobs: int = 0
    dialect: str = ""
    asked_by: str = ""
    forced_choice: str = ""
    refused: Mapping[str, str] = field(default_factory=dict)
    batching: Batching | None = None
    batching_note: str = ""
    products: str = ""
    torch: str = ""
    transformers: str = ""
    threads: int = 0
    thinking: str = ""
    without_thinking: str = ""
    signature: str = ""
    tokenizer: str = ""

    @property
    def shares_prefixes(self) -> bool:
        """True if a prefix that several prompts share is computed once."""
        return self.batching in (Batching.TREE, Batching.CACHE)
