"""Read a file in a process of its own, and measure the memory that this takes."""

import os
import subprocess
import sys
from pathlib import Path

SCRIPT = """
import re, sys
from pathlib import Path
from evenhand import formats
from evenhand.file_problems import InvalidFile
from evenhand.formats import SourceFile, read_dataset

def read(path, format, noun):
    files = [SourceFile("file", path=Path(path))]
    try:
        if noun:
            return len(getattr(formats, f"read_{noun}")(files))
        return len(read_dataset(files, format or None).contexts)
    except InvalidFile as invalid:
        return invalid.count

def megabytes(name):
    return int(re.search(name + r":\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) // 1000

before = megabytes("VmRSS")
count = read(*sys.argv[1:])
print(count, megabytes("VmHWM") - before, megabytes("VmRSS") - before)
"""


def measure_reading(file: Path, format: str = "", *, noun: str = "") -> tuple[int, int, int]:
    """Return the number of contexts or of problems, and the MB that reading adds at its peak and keeps.

    noun: of recorded judgments, such as "votes", which are then counted in place of contexts.
    """
    command = [sys.executable, "-c", SCRIPT, str(file), format, noun]
    # bin/test lets the allocator keep what is freed
    usual = {name: value for name, value in os.environ.items() if not name.startswith("MALLOC_")}
    output = subprocess.run(command, check=True, capture_output=True, text=True, env=usual).stdout
    count, peak, kept = map(int, output.split())
    return count, peak, kept
