"""Dialects of endpoints: the names of their request fields, one TOML file each in dialects/.

To add a dialect, add a file there, and a recorded exchange to its tests.
"""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from evenhand.engine.exceptions import LoadFailed

DIALECTS_FOLDER = Path(__file__).resolve().parent / "dialects"
UNKNOWN = "openai-compatible"
"""Dialect of an endpoint that is not recognised."""

Fields = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Dialect:
    """The request fields of one kind of endpoint. Of a field with several forms, the first is tried first.

    title: name for people.
    hosts, models: hosts and patterns of model names by which the dialect is recognised. No models: any.
    owned_by: the owner that the endpoint's list of models names.
    token_limit: names of the limit on new tokens, which includes thinking.
    top_logprobs: numbers of alternatives that may be requested; empty without log-probabilities.
    temperature: False if the endpoint refuses every temperature.
    ignores_temperature: a temperature has no effect while the model thinks.
    effort, budget: where effort and token budget of thinking stand, such as "reasoning.effort"; empty for nowhere.
    effort_replaces_budget: the endpoint takes only one of both.
    thinking_on, thinking_off: fields that switch thinking on or off.
    forced_choice: fields that allow label words only. A text such as "LABELS" stands for them, see request_form.py.
    reasoning: fields of the reply's message that may hold the reasoning.
    scoring: where label tokens are scored, from the server's root: `path`, and for tokens
        and texts `tokenize` and `detokenize`; empty for nowhere.
    """

    name: str
    title: str
    hosts: Sequence[str] = ()
    models: Sequence[str] = ()
    owned_by: Sequence[str] = ()
    token_limit: Sequence[str] = ("max_tokens",)
    top_logprobs: Sequence[int] = ()
    temperature: bool = True
    ignores_temperature: bool = False
    effort: str = ""
    budget: str = ""
    effort_replaces_budget: bool = False
    thinking_on: Sequence[Fields] = ()
    thinking_off: Sequence[Fields] = ()
    forced_choice: Sequence[Fields] = ()
    reasoning: Sequence[str] = ("reasoning_content", "reasoning")
    scoring: Mapping[str, str] = field(default_factory=dict)

    def takes_temperature(self, *, thinks: bool) -> bool:
        """Return False if a temperature is refused or has no effect."""
        return self.temperature and not (thinks and self.ignores_temperature)

    def is_for(self, host: str, model: str) -> bool:
        """Return True if the host is one of this dialect, and the model matches."""
        own_host = any(host == one or host.endswith(f".{one}") for one in self.hosts)
        name = model.rpartition("/")[2]
        return own_host and (not self.models or any(fnmatchcase(name, pattern) for pattern in self.models))


@cache
def load_dialects() -> Mapping[str, Dialect]:
    """Return the dialects by name, those for certain models first."""
    files = sorted(DIALECTS_FOLDER.glob("*.toml"))
    read = [Dialect(name=file.stem, **tomllib.loads(file.read_text())) for file in files]
    return {dialect.name: dialect for dialect in sorted(read, key=lambda one: not one.models)}


def find_dialect(name: str) -> Dialect:
    """Return a dialect by its name. Raises LoadFailed for an unknown one."""
    dialects = load_dialects()
    if name not in dialects:
        raise LoadFailed(f'dialect "{name}" is unknown; choose one of: {", ".join(sorted(dialects))}')
    return dialects[name]


def dialect_of_host(base_url: str, model: str) -> Dialect | None:
    """Return the dialect of a hosted endpoint; None for a host that no dialect names."""
    host = urlsplit(base_url).hostname or ""
    return next((one for one in load_dialects().values() if one.is_for(host, model)), None)


def dialect_of_model_list(document: object, model: str) -> Dialect:
    """Return the dialect of the server that owns the model, from the reply to GET /models."""
    owners = _owners(document, model)
    known = (one for one in load_dialects().values() if any(owner in one.owned_by for owner in owners))
    return next(known, find_dialect(UNKNOWN))


def _owners(document: object, model: str) -> list[str]:
    """Return the owner of the model; the owners of all models if it is not listed."""
    listed = document.get("data") if isinstance(document, dict) else None
    models = [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
    own = [one for one in models if one.get("id") == model] or models
    return [str(one.get("owned_by")) for one in own]
