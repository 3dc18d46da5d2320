"""A package holds everything that recomputes its tables."""

import hashlib
import io
import json
from zipfile import ZipFile

import pytest

from judging.models import Run
from judging.services.publishing.package import Package, zip_parts
from judging.services.publishing.published_runs import published_runs
from tests.commands import printed_json
from tests.published_packages import empty_database, make_study, published, recompute

pytestmark = pytest.mark.django_db


NAMES = {"run", "name", "one", "other", "left_out", "rater"}
"""Fields that hold numbers of runs or names of raters."""


def report(capsys):
    """Return the rows of a report."""
    return without_names(printed_json(capsys, "report", "--dataset", "Study")["rows"])


def agreement(capsys):
    """Return the figures of agreement. The order of raters is that of their votes, so theirs are sorted."""
    [attribute] = without_names(printed_json(capsys, "agreement", "--dataset", "Study")["attributes"])
    by_rater = {name: sorted(map(json.dumps, attribute[name])) for name in ("raters", "pairs_of_raters")}
    return attribute | by_rater


def without_names(value):
    if isinstance(value, list):
        return [without_names(one) for one in value]
    if isinstance(value, dict):
        return {name: without_names(one) for name, one in value.items() if name not in NAMES}
    return value


def test_package_recomputes_every_figure(tmp_path, capsys):
    make_study()
    before = report(capsys), agreement(capsys)
    folder = published(tmp_path / "package")
    empty_database()

    recompute(folder)

    capsys.readouterr()
    assert len(before[0]) == 12
    assert (report(capsys), agreement(capsys)) == before


def test_checksums_are_those_of_all_other_files(tmp_path):
    make_study()

    folder = published(tmp_path / "package")

    lines = dict(reversed(line.split("  ")) for line in (folder / "SHA256SUMS").read_text().splitlines())
    files = {str(path.relative_to(folder)): path for path in folder.rglob("*") if path.is_file()}
    assert lines == {
        name: hashlib.sha256(path.read_bytes()).hexdigest() for name, path in files.items() if name != "SHA256SUMS"
    }


def test_zip_file_holds_the_files_of_the_folder(tmp_path):
    dataset = make_study()
    folder = published(tmp_path / "package")
    package = Package(dataset, published_runs(Run.objects.filter(dataset=dataset)))

    archive = ZipFile(io.BytesIO(b"".join(zip_parts(package, folder="study"))))

    assert archive.testzip() is None
    assert sorted(archive.namelist()) == sorted(
        f"study/{path.relative_to(folder)}" for path in folder.rglob("*") if path.is_file()
    )
    assert archive.read("study/recompute.sh") == (folder / "recompute.sh").read_bytes()
