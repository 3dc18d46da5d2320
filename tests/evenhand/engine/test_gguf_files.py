"""GGUF files are checked by their headers."""

import subprocess
import sys

import gguf
import pytest

from evenhand.engine.gguf_files import _TYPES, gguf_problem, read_header
from tests.evenhand.engine.gguf_models import save_gguf


def test_types_are_those_that_the_package_turns_into_numbers():
    plain = {gguf.GGMLQuantizationType.F32, gguf.GGMLQuantizationType.F16}

    known = {kind: (kind.name, *gguf.GGML_QUANT_SIZES[kind]) for kind in plain | gguf.quants._type_traits.keys()}

    assert {int(kind): one for kind, one in known.items()} == _TYPES


def test_header_describes_the_file(tmp_path):
    file = save_gguf(tmp_path / "tiny.gguf")

    header = read_header(file)

    assert header.values["general.architecture"] == "llama"
    assert header.weights == sum(int(one.n_elements) for one in gguf.GGUFReader(file).tensors)
    assert header.end == file.stat().st_size
    assert gguf_problem(file) == ""


def changed(file, content):
    file.write_bytes(content)
    return gguf_problem(file).replace(str(file), "FILE")


def test_cut_file_is_refused_wherever_it_ends(tmp_path):
    file = save_gguf(tmp_path / "tiny.gguf")
    content = file.read_bytes()
    header = read_header(file).end - sum(int(one.n_bytes) for one in gguf.GGUFReader(file).tensors)

    cut = {size: changed(file, content[:size]) for size in (0, 3, 4, 30, header // 2, header - 300)}

    assert cut == {size: f'"FILE" is no GGUF file, or is cut at {size:,} bytes; fetch it again' for size in cut}
    assert changed(file, content[:-1]) == (
        f'"FILE" has {len(content) - 1:,} bytes, and its header describes {len(content):,}; fetch it again'
    )


def test_file_of_another_kind_or_quantisation_is_refused_with_a_way_to_serve_it(tmp_path):
    file = save_gguf(tmp_path / "tiny.gguf")
    content = file.read_bytes()

    assert changed(file, b"version https://git-lfs") == (
        '"FILE" is no GGUF file, or is cut at 23 bytes; fetch it again'
    )
    assert changed(file, content[:4] + b"\x01\0\0\0" + content[8:]) == (
        '"FILE" is of GGUF version 1, which is unknown here; convert it to version 3'
    )

    place = content.index(b"token_embd.weight") + len(b"token_embd.weight") + 4 + 2 * 8

    problem = changed(file, content[:place] + (36).to_bytes(4, "little") + content[place + 4 :])

    assert problem.startswith(
        '"FILE" has a quantisation that is unknown here (type 36); known are F32, F16, BF16, Q4_0'
    )
    assert problem.endswith("--backend openai --base-url http://localhost:8001/v1 --model tiny")


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        ({"split__count": 3}, '"FILE" is one of 3 parts; join them with: llama-gguf-split --merge FILE whole.gguf'),
        (
            {"general__type": "mmproj"},
            '"FILE" holds no language model, but: mmproj; give the file with the weights of the model',
        ),
    ],
)
def test_part_of_a_model_is_refused(values, problem, tmp_path):
    file = save_gguf(tmp_path / "tiny.gguf", **values)

    assert gguf_problem(file).replace(str(file), "FILE") == problem


def test_check_needs_neither_torch_nor_the_package(tmp_path):
    file = save_gguf(tmp_path / "tiny.gguf")
    code = f"""
import sys
from pathlib import Path
from evenhand.engine.quantised_models import path_problem
assert path_problem(Path({str(file)!r})) == ""
assert not {{"torch", "gguf", "transformers"}} & set(sys.modules)
"""

    subprocess.run([sys.executable, "-c", code], check=True)
