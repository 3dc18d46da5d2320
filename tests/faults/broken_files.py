"""Read broken files by every reader: `python -m tests.faults.broken_files [--files 10000] [--seed 0]`.

Each file is an example of a format, of a tool's log, a workbook or an archive, with bytes removed, replaced, repeated
or put in. A reader may refuse it with InvalidFile alone, within SECONDS, and leaves no temporary file. Prints how many
were read and refused, the longest time and the most memory. Ends with an error that names seed and number of a file.
"""

import argparse
import gzip
import resource
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from inspect import getmembers, isfunction
from pathlib import Path
from random import Random

from evenhand import formats
from evenhand.file_problems import InvalidFile
from evenhand.formats import DATASET_FORMATS, SourceFile
from evenhand.formats.people_files import read_people
from evenhand.formats.recorded.known_pairs import read_asked_pairs, read_known_pairs
from tests.evenhand.formats.good_files import GOOD, PACKED, PIECES
from tests.evenhand.formats.logs import examples

SECONDS, MEGABYTES = 5.0, 300
EXPECTED = ("read", "refused")
LONGEST_REPEAT = 1_000  # times that a piece is put in


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    seen, longest, faults = read_broken(options.files, options.seed)
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    sys.stdout.write(f"{options.files} files: {dict(seen)}, {longest:.2f} s at most, {most} MB\n")
    for fault, where in faults.items():
        sys.stdout.write(f"{where}: {fault}\n")
    if faults or longest > SECONDS or most > MEGABYTES:
        raise SystemExit("a reader failed, or took too long or too much memory")


def read_broken(number: int, seed: int) -> tuple[Counter[str], float, dict[str, str]]:
    """Return how often a reader read and refused a file, the longest seconds, and each fault with its first file."""
    seen, longest, faults = Counter[str](), 0.0, dict[str, str]()
    with tempfile.TemporaryDirectory() as folder:
        before, tempfile.tempdir = tempfile.tempdir, folder
        try:
            for one in range(number):
                content = broken(Random(f"{seed} {one}"))
                for name, read in READERS.items():
                    started = time.process_time()
                    result = outcome(read, content)
                    longest = max(longest, seconds := time.process_time() - started)
                    result = f"took {SECONDS:g} seconds" if seconds > SECONDS else result
                    result = "left temporary files" if any(Path(folder).iterdir()) else result
                    seen[result if result in EXPECTED else "failed"] += 1
                    if result not in EXPECTED:
                        faults.setdefault(result, f"file {one} of seed {seed}, {name}")
        finally:
            tempfile.tempdir = before
    return seen, longest, faults


def outcome(read: Callable[[SourceFile], object], content: bytes) -> str:
    try:
        read(SourceFile("file", content))
    except InvalidFile:
        return "refused"
    except Exception as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        return f"{type(error).__name__} at {Path(last.filename).name}:{last.lineno}: {str(error)[:80]}"
    return "read"


def broken(chance: Random) -> bytes:
    content = chance.choice(EXAMPLES)
    for _ in range(chance.randint(1, 4)):
        start, other = chance.randint(0, len(content)), chance.choice(EXAMPLES)
        piece = chance.choice(
            [
                chance.choice(PIECES),
                chance.randbytes(chance.randint(1, 8)),
                content[start : start + chance.randint(1, 200)] * chance.randint(1, 3),
                other[: chance.randint(1, len(other))],
                content[start : start + 20] * chance.randint(1, LONGEST_REPEAT),
            ]
        )
        content = content[:start] + piece + content[start + chance.choice([0, 1, 8, 100, len(content)]) :]
    return gzip.compress(content) if chance.random() < 0.1 else content


def logs() -> Iterator[bytes]:
    for name, make in getmembers(examples, isfunction):
        if make.__module__ == examples.__name__ and name != "document":
            made = make()
            yield from (one.read() for one in (made if isinstance(made, list | tuple) else [made]))


EXAMPLES = [
    *(GOOD + PACKED + list(logs())),
    b"name,email\nAnn,ann@example.org\nBen,ben@example.org\n",
    b"context,attribute,first,second,choice,rater\nc,q,a,b,first,h\nc,q,b,a,tie,i\n",
    b"context,attribute,candidate,rating,rater\nc,q,a,4,h\nc,q,b,2.5,h\n",
]
READERS: dict[str, Callable[[SourceFile], object]] = {
    **{
        name: lambda file, name=name: list(getattr(formats, name)([file]))
        for name in ("read_comparisons", "read_scores", "read_ratings", "read_votes", "sample_dataset_columns")
    },
    **{
        f"read_dataset as {name}": lambda file, name=name: formats.read_dataset([file], name)
        for name in DATASET_FORMATS
    },
    "read_dataset": lambda file: formats.read_dataset([file]),
    "guessed mapping": lambda file: formats.read_dataset([file], mapping=formats.guess_dataset_mapping([file])),
    **{read.__name__: read for read in (read_people, read_known_pairs, read_asked_pairs)},
}

if __name__ == "__main__":
    main()
