"""The library in a process in which no package but numpy and scipy can be imported."""

import json
import subprocess
import sys

import pytest

import evenhand
from tests.evenhand.blocked_packages import BLOCKED

USE = """
from pathlib import Path

import evenhand

Path("answers.csv").write_text("context,first,second,p_first\\nc,a,b,0.9\\nc,b,a,0.2\\nd,a,b,0.4\\n")
runs = evenhand.Judgments.read("answers.csv")
human = {("c", "a"): 2, ("c", "b"): 1, ("d", "a"): 1, ("d", "b"): 3}
print(json.dumps({
    "blocked": sorted({"django", "pandas", "httpx", "torch"} & blocked),
    "loaded": sorted({name.partition(".")[0] for name in sys.modules.keys() - before} & blocked),
    "p_first": runs.p_first().value,
    "order_agreement": runs.order_agreement().value,
    "threshold": runs.threshold().value,
    "accuracy": runs.accuracy(human, debias=True).value,
    "scores": [one.rank for one in runs.scores("poe-bt")],
    "spearman": runs.spearman(human, "bradley-terry").value,
    "curve": len(runs.curve(human, "poe-bt", draws=2)),
}))
"""


def test_library_needs_numpy_and_scipy_alone(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", BLOCKED + USE], capture_output=True, text=True, check=False, cwd=tmp_path
    )

    assert done.stderr == ""
    assert json.loads(done.stdout) == {
        "blocked": ["django", "httpx", "pandas", "torch"],
        "loaded": [],
        "p_first": 1 / 3,
        "order_agreement": 1.0,
        "threshold": 0.4,
        "accuracy": 5 / 6,
        "scores": [1.0, 2.0, 2.0, 1.0],
        "spearman": 1.0,
        "curve": 2,
    }


def test_program_without_the_web_app_says_what_to_install(tmp_path):
    run = "sys.argv = ['evenhand', 'report']\nfrom evalsite.program import main\nmain()"

    done = subprocess.run(
        [sys.executable, "-c", BLOCKED + run], capture_output=True, text=True, check=False, cwd=tmp_path
    )

    assert (done.returncode, done.stdout) == (1, "")
    assert "evenhand: django is not installed" in done.stderr
    assert "pip install 'evenhand[app]'" in done.stderr


def test_library_loads_numpy_only_when_a_figure_is_wanted():
    is_loaded = "print('numpy' in sys.modules)"
    program = f"import sys, evenhand, evenhand.refusals; {is_loaded}; evenhand.Judgments; {is_loaded}"

    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)

    assert done.stdout.split() == ["False", "True"], done.stderr


def test_each_name_of_the_library_is_there():
    names = [name for name in dir(evenhand) if not name.startswith("_")]

    assert {"Judgments", "expert_scores", "Figure", "NotConnected"} <= {*names}
    assert all(getattr(evenhand, name) for name in names if name != "TYPE_CHECKING")
    with pytest.raises(AttributeError, match="module 'evenhand' has no attribute 'Judgements'"):
        getattr(evenhand, "Judgements")  # noqa: B009
