"""Recognise quantised models, which local judges cannot run, and say how to serve them. Needs no torch."""

import json
from collections.abc import Mapping
from pathlib import Path

from evenhand.engine.gguf_files import GGUF, gguf_problem, names_gguf

SCHEMES: Mapping[str, str] = {
    "awq": "AWQ",
    "gptq": "GPTQ",
    "bitsandbytes": "bitsandbytes",
    "fp8": "FP8",
    "fbgemm_fp8": "FP8",
    "compressed-tensors": "compressed-tensors",
}
"""Name in a configuration -> name for people."""
MXFP4 = "mxfp4"  # of gpt-oss; its weights are converted to the judge's precision when they are loaded


def scheme_of(config: Mapping[str, object]) -> str:
    """Return the quantisation scheme that a configuration names; empty for weights that can be loaded."""
    name = quantisation_method(config)
    return "" if name == MXFP4 else SCHEMES.get(name, name)


def quantisation_method(config: Mapping[str, object]) -> str:
    """Return the name of the quantisation in a configuration; empty for plain weights."""
    settings = config.get("quantization_config")
    if not isinstance(settings, Mapping):
        return ""
    return str(settings.get("quant_method") or _older_bitsandbytes(settings) or "unknown")


def _older_bitsandbytes(settings: Mapping[str, object]) -> str:
    """Recognise configurations from before the field quant_method."""
    return "bitsandbytes" if settings.get("load_in_8bit") or settings.get("load_in_4bit") else ""


def quantised_problem(model: str, scheme: str) -> str:
    """Return why a quantised model cannot be a local judge, and how to serve it instead."""
    return (
        f'"{model}" is quantised by {scheme}, and local judges need weights in float32, bfloat16 or float16; '
        f"serve it with: vllm serve {model} --port 8001, and add it with: "
        f"--backend openai --base-url http://localhost:8001/v1 --model {model}"
    )


def path_problem(path: Path) -> str:
    """Return the problem of a GGUF file, or of a folder with quantised weights. Empty for any other path."""
    if names_gguf(path):
        return gguf_problem(path)
    if not path.is_dir():
        return ""
    if (path / "config.json").is_file():
        scheme = _scheme_in(path / "config.json")
        return quantised_problem(str(path), scheme) if scheme else ""
    files = sorted(file for file in path.iterdir() if file.suffix.lower() == GGUF)
    return f'"{path}" is a folder with GGUF files; give one of them, such as {files[0]}' if files else ""


def _scheme_in(file: Path) -> str:
    """Return the scheme in a config.json; empty if the file cannot be read, which loading explains."""
    try:
        config = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return ""
    return scheme_of(config) if isinstance(config, Mapping) else ""
