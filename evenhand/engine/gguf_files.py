"""Check GGUF files by their headers, which name every tensor. Needs neither torch nor the package gguf.

Source: "GGUF" and "gguf-py" in the documentation of ggml.
"""

import math
import mmap
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

GGUF = ".gguf"
_VERSIONS = (2, 3)
_FORMATS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
"""Number of a type of values -> its form in struct."""
_STRING, _ARRAY = 8, 9
_ALIGNMENT = 32  # bytes, where the file names none
_NO_JUDGES = ("adapter", "mmproj", "imatrix", "vocab")

# Number of a tensor's type -> its name, and how many weights stand in how many bytes
_TYPES = {
    **{0: ("F32", 1, 4), 1: ("F16", 1, 2), 30: ("BF16", 1, 2)},
    **{2: ("Q4_0", 32, 18), 3: ("Q4_1", 32, 20), 6: ("Q5_0", 32, 22), 7: ("Q5_1", 32, 24), 8: ("Q8_0", 32, 34)},
    **{10: ("Q2_K", 256, 84), 11: ("Q3_K", 256, 110), 12: ("Q4_K", 256, 144), 13: ("Q5_K", 256, 176)},
    **{14: ("Q6_K", 256, 210), 16: ("IQ2_XXS", 256, 66), 17: ("IQ2_XS", 256, 74), 18: ("IQ3_XXS", 256, 98)},
    **{19: ("IQ1_S", 256, 50), 20: ("IQ4_NL", 32, 18), 21: ("IQ3_S", 256, 110), 22: ("IQ2_S", 256, 82)},
    **{23: ("IQ4_XS", 256, 136), 29: ("IQ1_M", 256, 56), 34: ("TQ1_0", 256, 54), 35: ("TQ2_0", 256, 66)},
    **{39: ("MXFP4", 32, 17), 40: ("NVFP4", 64, 36)},
}


@dataclass(frozen=True, slots=True)
class GgufHeader:
    """The header of a GGUF file.

    values: single numbers and texts by their key; lists are left out. weights: number of weights of all tensors.
    types: types of the tensors, by number. end: the byte after the last tensor.
    """

    version: int
    values: dict[str, Any] = field(default_factory=dict)
    weights: int = 0
    types: frozenset[int] = frozenset()
    end: int = 0


class _Cursor:
    """Reads one value after another from a file's bytes. Raises struct.error at their end."""

    def __init__(self, content: mmap.mmap) -> None:
        self._content = content
        self.position = 0

    def number(self, form: str) -> Any:  # noqa: ANN401 - a number of that form
        (value,) = struct.unpack_from(f"<{form}", self._content, self.position)
        self.position += struct.calcsize(form)
        return value

    def text(self) -> str:
        start = self.position + 8
        self.position = start + self.number("Q")
        if self.position > len(self._content):
            raise struct.error("the text ends after the file")
        return self._content[start : self.position].decode()

    def value(self, kind: int) -> Any:  # noqa: ANN401 - a number or text; None for a list
        if kind == _STRING:
            return self.text()
        if kind != _ARRAY:
            return self.number(_FORMATS[kind])
        inner, count = self.number("I"), self.number("Q")
        if inner in _FORMATS:
            self.position += count * struct.calcsize(_FORMATS[inner])
        else:
            for _ in range(count):
                self.value(inner)
        return None


def read_header(file: Path) -> GgufHeader:
    """Read the header of a GGUF file. Raises ValueError for a file that is none, or that ends within its header."""
    try:
        with file.open("rb") as opened, mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ) as content:
            return _read(_Cursor(content))
    except (struct.error, KeyError, RecursionError, UnicodeDecodeError, OSError) as error:
        raise ValueError(str(error)) from error


def _read(cursor: _Cursor) -> GgufHeader:
    if cursor.number("4s") != b"GGUF":
        raise ValueError("no GGUF")
    version = cursor.number("I")
    if version not in _VERSIONS:
        return GgufHeader(version)
    tensors, pairs = cursor.number("Q"), cursor.number("Q")
    values = {cursor.text(): cursor.value(cursor.number("I")) for _ in range(pairs)}
    placed = list(_tensors(cursor, tensors))
    alignment = values.get("general.alignment", _ALIGNMENT)
    start = -(-cursor.position // alignment) * alignment
    ends = (start + offset + _bytes(weights, kind) for weights, kind, offset in placed)
    kinds = frozenset(kind for _, kind, _ in placed)
    single = {key: value for key, value in values.items() if value is not None}
    return GgufHeader(version, single, sum(weights for weights, _, _ in placed), kinds, max(ends, default=start))


def _tensors(cursor: _Cursor, count: int) -> Iterator[tuple[int, int, int]]:
    """Yield number of weights, type and place of each tensor."""
    for _ in range(count):
        cursor.text()
        shape = [cursor.number("Q") for _ in range(cursor.number("I"))]
        yield math.prod(shape), cursor.number("I"), cursor.number("Q")


def _bytes(weights: int, kind: int) -> int:
    _, block, size = _TYPES.get(kind, ("", 1, 0))
    return weights // block * size


def gguf_problem(file: Path) -> str:
    """Return why a GGUF file cannot be a local judge; empty for one that can."""
    size = file.stat().st_size
    try:
        header = read_header(file)
    except ValueError:
        return f'"{file}" is no GGUF file, or is cut at {size:,} bytes; fetch it again'
    if header.version not in _VERSIONS:
        return f'"{file}" is of GGUF version {header.version}, which is unknown here; convert it to version 3'
    if (parts := header.values.get("split.count", 1)) > 1:
        return f'"{file}" is one of {parts} parts; join them with: llama-gguf-split --merge {file} whole.gguf'
    if (kind := header.values.get("general.type", "model")) in _NO_JUDGES or not header.weights:
        return f'"{file}" holds no language model, but: {kind}; give the file with the weights of the model'
    if unknown := header.types - _TYPES.keys():
        return _unknown_type(file, min(unknown))
    if size < header.end:
        return f'"{file}" has {size:,} bytes, and its header describes {header.end:,}; fetch it again'
    return ""


def _unknown_type(file: Path, kind: int) -> str:
    known = ", ".join(name for name, _, _ in _TYPES.values())
    return (
        f'"{file}" has a quantisation that is unknown here (type {kind}); known are {known}; '
        f"serve it with: llama-server -m {file} --port 8001, and add it with: "
        f"--backend openai --base-url http://localhost:8001/v1 --model {file.stem}"
    )


def names_gguf(path: Path) -> bool:
    """Return True for a GGUF file, by its name."""
    return path.suffix.lower() == GGUF and path.is_file()
