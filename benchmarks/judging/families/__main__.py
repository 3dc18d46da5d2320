"""Compare how model families run as judges with plain transformers.

`OMP_NUM_THREADS=1 python -m benchmarks.judging.families [--only TYPE] [--output FILE]` prints a table on stderr.
It writes one JSON document (default: docs/reference/model_families.json), from which the documentation builds a page.
Each family is a small model from its configuration, with random weights, in float32 and bfloat16. Prompts are all 240
comparisons of a context in the shape of SummEval.

Plain transformers answers one prompt at a time. The usual padded batches hold 16 prompts, padded on the left. Both
answer a part of the prompts. Seconds are processor time for one prompt. With `--only`, the lines of the other
families stay as they are in FILE.
"""

import argparse
import gc
import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import torch

from benchmarks.judging.families.family_line import FamilyLine
from benchmarks.judging.families.measurements import measured_family
from benchmarks.judging.families.model_families import FAMILIES
from benchmarks.machine import machine, say

ROOT = Path(__file__).resolve().parents[3]
RESULTS = ROOT / "docs/reference/model_families.json"
DTYPES = ("float32", "bfloat16")
LARGEST_DIFFERENCE = 1e-5  # of P(first) in float32


def main() -> None:
    options = _options()
    lines: list[FamilyLine] = []
    for family in FAMILIES:
        if options.only not in (family.model_type, ""):
            continue
        for dtype in DTYPES:
            lines.append(measured_family(family, getattr(torch, dtype)))
            say(str(lines[-1]))
            gc.collect()
    lines = with_earlier_lines(lines, _earlier_lines(options.output) if options.only else [])
    described = machine(("torch", "transformers"))
    document = {"lines": [asdict(line) for line in lines], "machine": described}
    options.output.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
    if problems := _problems(lines):
        raise SystemExit("\n".join(problems))


def _earlier_lines(path: Path) -> list[FamilyLine]:
    """Read the lines of an earlier document; none without one."""
    document = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {"lines": []}
    return [FamilyLine(**line) for line in document["lines"]]


def with_earlier_lines(lines: Sequence[FamilyLine], earlier: Sequence[FamilyLine]) -> list[FamilyLine]:
    """Return these lines and those of an earlier document for other families, in the order of FAMILIES."""
    known = {(line.model_type, line.models, line.dtype): line for line in (*earlier, *lines)}
    names = [(family.model_type, family.models, dtype) for family in FAMILIES for dtype in DTYPES]
    return [known[name] for name in names if name in known]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", metavar="TYPE", help="one model type")
    parser.add_argument("--output", type=Path, default=RESULTS, metavar="FILE")
    return parser.parse_args()


def _problems(lines: Sequence[FamilyLine]) -> list[str]:
    """Return the lines whose answers differ, or that are slower than wanted, in float32."""
    exact = [line for line in lines if line.dtype == "float32"]
    differing = [f"{one.model_type}: differs by {one.difference:.1e}" for one in exact if not _agrees(one)]
    slow = [f"{one.model_type}: {one.ratio:.1f} times, not {one.wanted}" for one in exact if one.ratio < one.wanted]
    return differing + slow


def _agrees(line: FamilyLine) -> bool:
    return line.difference <= LARGEST_DIFFERENCE


if __name__ == "__main__":
    main()
