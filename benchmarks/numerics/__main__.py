import argparse
import json
from collections.abc import Iterator
from pathlib import Path

from benchmarks import numerics
from benchmarks.machine import machine, say
from benchmarks.numerics import curves, people, single_parts
from benchmarks.numerics.designs import designs
from benchmarks.numerics.large_fits import large_fits
from benchmarks.numerics.lines import HEADER, Line
from benchmarks.numerics.peers import MODULES, missing

RESULTS = Path(__file__).resolve().parents[1] / "results/numerics.json"


def main() -> None:
    parser = argparse.ArgumentParser(description=numerics.__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--small", action="store_true", help="leave out what takes more than a few seconds")
    parser.add_argument("--output", type=Path, default=RESULTS, metavar="FILE")
    options = parser.parse_args()
    say(HEADER)
    lines = []
    for line in measured(small=options.small):
        say(str(line))
        lines.append(line)
    for package in missing():
        say(f"{package}: not installed, so not measured")
    document = {
        "lines": [line.as_dict() for line in lines],
        "missing_peers": missing(),
        "machine": machine(("numpy", "scipy", *MODULES)),
    }
    options.output.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")


def measured(*, small: bool) -> Iterator[Line]:
    yield from curves.small_fits()
    yield from single_parts.coefficients()
    yield from single_parts.orders()
    yield from curves.report()
    yield from people.alpha()
    yield from people.win_rates()
    if not small:
        yield from curves.other_curves()
        yield from large_fits(1_056, 200_000, "choix", "evalica", "arena-rank")
        yield from large_fits(100_000, 1_000_000, "arena-rank")  # the others need a table of N x N
        yield from designs()


if __name__ == "__main__":
    main()
