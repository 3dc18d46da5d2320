"""The table of the page on model families, built from reference/model_families.json."""

from collections.abc import Mapping, Sequence
from typing import Any

COLUMNS = (
    "Models",
    "Type in transformers",
    "Runs by",
    "Differs by, float32",
    "Differs by, bfloat16",
    "Padded batches differ by, bfloat16",
    "Speed, float32",
    "Speed, bfloat16",
)


def family_table(document: Mapping[str, Any]) -> str:
    """Return the table and its machine. document: lines of each family, in float32 and then in bfloat16."""
    lines, machine = document["lines"], document["machine"]
    rows = [_row(one, other) for one, other in zip(lines[::2], lines[1::2], strict=True)]
    table = "\n".join([_cells(COLUMNS), _cells(["---"] * len(COLUMNS)), *rows])
    measured = f"{machine['processor']}, one thread, torch {machine['torch']}, transformers {machine['transformers']}"
    return f"{table}\n\nMeasured on {measured}.\n"


def _row(exact: Mapping[str, Any], half: Mapping[str, Any]) -> str:
    ways = [exact["batching"]]
    if half["batching"] != exact["batching"]:
        ways.append(f"bfloat16: {half['batching']}")
    numbers = (exact["difference"], half["difference"], half["padded_difference"])
    speeds = (exact["ratio"], half["ratio"])
    names = (exact["models"], f"`{exact['model_type']}`", "; ".join(ways))
    return _cells([*names, *(f"{one:.0e}" for one in numbers), *(f"{one:.1f}" for one in speeds)])


def _cells(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
