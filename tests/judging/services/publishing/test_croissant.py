"""Croissant metadata, checked by the required keys and by the package of its authors."""

import json
import subprocess
import sys

import pytest

from tests.published_packages import make_study, published

pytestmark = pytest.mark.django_db

REQUIRED = ("@context", "@type", "conformsTo", "description", "license", "name", "url", "creator", "datePublished")
REQUIRED_OF_FILES = {"@type", "@id", "name", "contentUrl", "encodingFormat", "sha256"}
GIVEN = ("--creator", "Ada Lovelace", "--creator", "Alan Turing", "--url", "https://example.org/study")


def metadata_of(folder):
    return json.loads((folder / "croissant.json").read_text())


def test_metadata_has_every_required_property(tmp_path):
    make_study()

    metadata = metadata_of(published(tmp_path / "package", *GIVEN))

    assert [name for name in REQUIRED if not metadata.get(name)] == []
    assert (metadata["@type"], metadata["conformsTo"]) == ("sc:Dataset", "http://mlcommons.org/croissant/1.0")
    assert [one["name"] for one in metadata["creator"]] == ["Ada Lovelace", "Alan Turing"]


def test_files_of_the_metadata_are_those_of_the_package_and_record_sets_name_their_columns(tmp_path):
    make_study()

    folder = published(tmp_path / "package", *GIVEN)

    files = metadata_of(folder)["distribution"]
    described = {one["contentUrl"]: (one["contentSize"], REQUIRED_OF_FILES - one.keys()) for one in files}
    assert described == {name: (f"{(folder / name).stat().st_size} B", set()) for name in described}
    assert {"dataset.jsonl", "votes.jsonl", "runs.json"} <= described.keys()

    for record_set in metadata_of(folder)["recordSet"]:
        file = record_set["field"][0]["source"]["fileObject"]["@id"]
        first_line = json.loads((folder / file).read_text().splitlines()[0])
        assert [field["source"]["extract"]["column"] for field in record_set["field"]] == list(first_line)
        of_flags = [field["name"] for field in record_set["field"] if field["dataType"] == "sc:Boolean"]
        assert of_flags == [name for name, value in first_line.items() if isinstance(value, bool)]


@pytest.mark.slow
def test_mlcroissant_finds_no_error_and_reads_the_votes(tmp_path):
    make_study()
    folder = published(tmp_path / "package", *GIVEN)
    n_votes = len((folder / "votes.jsonl").read_text().splitlines())
    program = (
        "import mlcroissant; dataset = mlcroissant.Dataset('croissant.json');"
        "assert not dataset.metadata.issues.errors, dataset.metadata.issues.report();"
        "print(sum(1 for _ in dataset.records('votes')))"
    )

    done = subprocess.run([sys.executable, "-c", program], cwd=folder, capture_output=True, text=True, check=False)

    assert (done.returncode, done.stdout.strip()) == (0, str(n_votes)), done.stderr
