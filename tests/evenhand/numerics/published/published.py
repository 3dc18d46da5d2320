"""Files with recorded judgments and the figures published from them."""

import csv
import gzip
import json


def read_csv(path):
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as lines:
        return list(csv.DictReader(lines))


def expected_of(shared_data, case):
    return json.loads((shared_data / "cases" / case / "expected.json").read_text(encoding="utf-8"))
