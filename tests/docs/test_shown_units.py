"""The systemd units that the page on installing shows are valid."""

import re
import shutil
import subprocess

import pytest
import yaml

from tests.docs.shown_commands import DOCS, shown_files
from tests.docs_site import ROOT

UNITS = {name: text for name, text in shown_files(DOCS / "how-to" / "install.md").items() if name.endswith(".service")}


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="there is no systemd-analyze")
def test_shown_units_have_no_complaints(tmp_path):
    program = shutil.which("true")
    for name, text in UNITS.items():
        (tmp_path / name.replace("@", "@1")).write_text(text.replace("/opt/evenhand/bin/evenhand", program))

    files = sorted(map(str, tmp_path.iterdir()))
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", *files], check=False, capture_output=True, text=True
    )

    assert len(files) == 2
    assert [line for line in done.stderr.splitlines() if "evenhand" in line] == []


def test_units_and_containers_have_the_same_time_to_stop():
    services = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]

    seconds = [int(re.search(r"^TimeoutStopSec=(\d+)$", text, re.MULTILINE)[1]) for text in UNITS.values()]

    assert seconds == [40, 60]
    assert [services[name]["stop_grace_period"] for name in ("web", "worker")] == ["40s", "1m"]
