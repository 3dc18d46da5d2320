"""Which family of models a name speaks of, so that a judge can be told apart from systems of its own kind.

A guess from names, and a careful one: a family that is not sure is none. docs/report.md lists the names.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

FAMILIES: Mapping[str, re.Pattern[str]] = MappingProxyType(
    {
        family: re.compile(rf"(?<![a-z0-9])(?:{names})", re.IGNORECASE)
        for family, names in {
            "gpt": r"(?:chatgpt|gpt[-_ ]?(?:[3-9]|oss))(?!all)|text-davinci",  # GPT-2, GPT-J and GPT4All are others'
            "claude": "claude",
            "gemini": r"(?:gemini|palm[-_ ]?2?)(?![a-z0-9])",
            "gemma": r"gemma(?![a-z])",
            "llama": r"llama(?![a-z])",
            "mistral": "(?:mistral|mixtral|ministral)(?![a-z])",
            "qwen": "(?:qwen|qwq)(?![a-z])",
            "vicuna": "vicuna",
            "alpaca": r"alpaca(?![a-z])",
            "t5": r"(?:flan|t5)(?![a-z0-9])",
            "deepseek": "deepseek",
            "phi": r"phi[-_ ]?\d",
        }.items()
    }
)
"""family -> how the names of its models begin; they begin a word."""


def family_of(name: str) -> str | None:
    """The family that a name speaks of; None if it speaks of none, or of several, as distilled models' names do.

    Of a path or a hub id only the last part counts: "meta-llama/Llama-3.1-8B-Instruct" is "llama".
    """
    found = [family for family, pattern in FAMILIES.items() if pattern.search(name.rstrip("/").rpartition("/")[2])]
    return found[0] if len(found) == 1 else None
