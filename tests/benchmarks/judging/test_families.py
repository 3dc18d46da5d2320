from dataclasses import asdict, replace

import torch

from benchmarks.judging.families import measurements
from benchmarks.judging.families.__main__ import with_earlier_lines
from benchmarks.judging.families.family_line import FamilyLine
from benchmarks.judging.families.measurements import measured_family
from benchmarks.judging.families.model_families import FAMILIES
from benchmarks.judging.prompts import Shape
from docs.family_table import family_table


def test_there_are_at_least_forty_model_families():
    assert len({family.model_type for family in FAMILIES}) >= 40
    assert len({family.models for family in FAMILIES}) == len(FAMILIES)


def test_measured_family_compares_our_judge_with_plain_transformers(monkeypatch):
    monkeypatch.setattr(measurements, "SUMMEVAL", Shape("small", 40, 5, 8))
    (family,) = (one for one in FAMILIES if one.model_type == "lfm2")

    line = measured_family(family, torch.float32)

    assert (line.model_type, line.dtype, line.batching) == ("lfm2", "float32", "cached beginnings")
    assert line.difference < 1e-5
    assert line.ratio > 0


def test_page_shows_both_precisions_of_a_family_in_one_row():
    both = [
        FamilyLine("llama", "Llama 3", dtype, way, "", difference, 4e-3, 0.01, ratio)
        for dtype, way, difference, ratio in (
            ("float32", "prefix tree", 2e-7, 6.28),
            ("bfloat16", "padded batches", 5e-3, 1.14),
        )
    ]

    machine = {"processor": "a CPU", "torch": "2", "transformers": "5"}
    text = family_table({"lines": [asdict(line) for line in both], "machine": machine})

    row = "| Llama 3 | `llama` | prefix tree; bfloat16: padded batches | 2e-07 | 5e-03 | 4e-03 | 6.3 | 1.1 |"
    assert row in text.splitlines()
    assert "Measured on a CPU, one thread, torch 2, transformers 5" in text


def test_family_that_is_measured_again_replaces_its_lines_only():
    llama, qwen = (
        FamilyLine(one.model_type, one.models, "float32", "prefix tree", "", 1e-7, 1e-7, 0.1, 5.0)
        for one in FAMILIES
        if one.model_type in ("llama", "qwen2")
    )
    again = replace(qwen, ratio=6.0)

    assert with_earlier_lines([again], [qwen, llama]) == [llama, again]
