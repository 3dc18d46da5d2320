import re
from pathlib import Path

from docs.built_tables import literature

ROOT = Path(__file__).resolve().parents[3]
KEY = re.compile(r"\[([A-Z][A-Za-z]+\d{4}[a-z]?)\b")


def test_every_key_that_the_code_cites_is_among_the_references():
    cited = {
        key
        for package in ("evenhand", "judging", "rankings")
        for path in (ROOT / package).rglob("*.py")
        for key in KEY.findall(path.read_text(encoding="utf-8"))
    }

    listed = set(re.findall(r"^- \[(\w+)\]", literature(), re.MULTILINE))

    assert len(cited) > 20
    assert cited - listed == set()
