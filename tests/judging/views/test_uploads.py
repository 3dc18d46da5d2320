"""A researcher uploads a dataset: problems or a preview first, then a name; before that nothing is stored."""

import json
import time
from os import utime

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from evenhand.formats import DATASET_FORMATS
from evenhand.formats.datasets import dataset_reading
from judging.demo import SAMPLE_DATASET
from judging.models import Dataset, Vote
from judging.web.limits.refused_bodies import COPIES
from tests.factories import make_user

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def folder(settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path / "uploads"
    return settings.MEDIA_ROOT


def context(key: str = "c1", n: int = 2) -> dict[str, object]:
    candidates = [
        {"candidate": f"s{i}", "system": f"M{i}", "text": f"Text {i}.", "scores": {"coherence": i + 1}}
        for i in range(n)
    ]
    return {"context": key, "text": f"Article {key}.", "candidates": candidates}


def upload(client, *contexts: dict[str, object], name: str = "articles.jsonl", follow: bool = True):
    content = "".join(f"{json.dumps(line)}\n" for line in contexts).encode()
    return client.post(reverse("dataset-upload"), {"files": SimpleUploadedFile(name, content)}, follow=follow)


def test_upload_page_lists_every_format_of_the_registry_and_says_how_much_it_takes(client, admin, settings):
    settings.MAX_UPLOAD_BYTES = 1_000 * 2**20

    page = client.get(reverse("dataset-upload")).content.decode()

    for known in DATASET_FORMATS.values():
        assert f'<option value="{known.name}">{known.title} ({known.file_type})</option>' in page
    assert "LLMBar, UniEval, SummEval, WebNLG, HANNA, MT-Bench human judgments, Chatbot Arena conversations" in page
    assert "At most 1 GB in total. CSV, JSON, JSON Lines, Parquet, XLSX or ZIP." in page


def test_confirmed_upload_is_stored_and_its_files_are_removed(client, admin, folder):
    preview = upload(client, context()).redirect_chain[-1][0]

    page = client.post(preview, {"name": "Articles", "visibility": "private"}, follow=True)

    dataset = Dataset.objects.get()
    assert page.redirect_chain == [(dataset.get_absolute_url(), 302)]
    assert (dataset.name, dataset.owner, dataset.contexts.count()) == ("Articles", admin, 1)
    assert list(folder.iterdir()) == []


@pytest.fixture
def parses(monkeypatch):
    """Grows by one each time dataset files are parsed."""
    parsed, open_files = [], dataset_reading.open_files

    def count_and_open(files, *arguments, **options):
        parsed.append([file.name for file in files])
        return open_files(files, *arguments, **options)

    monkeypatch.setattr(dataset_reading, "open_files", count_and_open)
    return parsed


def test_files_are_parsed_once_to_be_checked_and_once_to_be_stored(client, admin, parses):
    sample = SimpleUploadedFile("sample.jsonl", SAMPLE_DATASET.read_bytes())

    preview = client.post(reverse("dataset-upload"), {"files": sample}, follow=True).redirect_chain[-1][0]
    assert parses == [["sample.jsonl"]]

    client.get(preview)
    client.post(preview, {"name": "", "visibility": "private"})
    assert parses == [["sample.jsonl"]]

    client.post(preview, {"name": "Sample", "visibility": "private"})
    assert parses == [["sample.jsonl"]] * 2
    assert Dataset.objects.get().contexts.exists()


def test_upload_shows_a_preview_that_stays_the_same_and_stores_nothing(client, admin):
    first = upload(client, context(), name="articles.jsonl")

    again = client.get(first.redirect_chain[-1][0])

    assert "Text 1." in first.content.decode()
    assert first.context["form"]["name"].value() == "articles"
    assert not Dataset.objects.exists()
    assert [page.context["preview"] for page in (first, again)] == [
        {
            "format": "evenhand",
            "description": "",
            "licence": "",
            "contexts": 1,
            "candidates": 2,
            "votes": 0,
            "attributes": [{"name": "coherence", "minimum": None, "maximum": None, "scored": 2, "votes": 0}],
            "first_candidates": [
                {"context": "c1", "candidate": "s0", "system": "M0", "text": "Text 0.", "scores": [1.0]},
                {"context": "c1", "candidate": "s1", "system": "M1", "text": "Text 1.", "scores": [2.0]},
            ],
            "warnings": [],
            "ignored": [],
        }
    ] * 2


def test_upload_lists_every_problem_with_its_line(client, admin, folder):
    wrong = context("c1")
    wrong["candidates"][0]["scores"]["coherence"] = "six"

    answer = upload(client, wrong, {"context": "c2", "text": "No candidates."})

    page = answer.content.decode()
    assert answer.status_code == 422
    assert "candidates[0].scores.coherence" in page
    assert "The file has 2 problems. Correct them and upload again" in page
    assert not folder.exists()


def test_upload_reports_a_text_that_no_page_can_show(client, admin):
    answer = upload(client, context() | {"text": "half \ud800"})

    assert answer.status_code == 422
    assert "half \\ud800" in answer.content.decode()


def test_upload_reports_an_empty_file_with_the_problems_of_the_others(client, admin):
    wrong = json.dumps(context() | {"text": 5}).encode()
    files = [SimpleUploadedFile("empty.jsonl", b""), SimpleUploadedFile("wrong.jsonl", wrong)]

    answer = client.post(reverse("dataset-upload"), {"files": files})

    assert answer.status_code == 422
    assert [str(problem) for problem in answer.context["problems"]] == [
        "empty.jsonl: the file is empty — expected some content",
        "wrong.jsonl:1: text: 5 — expected a text",
    ]
    assert "The files have 2 problems. Correct them and upload again" in answer.content.decode()


def test_discarded_upload_is_gone(client, admin, folder):
    preview = upload(client, context()).redirect_chain[-1][0]

    client.post(f"{preview}discard/")

    assert list(folder.iterdir()) == []
    assert client.get(preview).status_code == 404


def test_upload_of_another_admin_does_not_exist(client, admin):
    preview = upload(client, context()).redirect_chain[-1][0]
    client.force_login(make_user("alan", "admin"))

    assert client.get(preview).status_code == 404
    assert client.post(f"{preview}discard/").status_code == 404


def test_uploaded_files_are_private_and_removed_after_a_day_where_nobody_confirmed_them(client, admin, folder):
    upload(client, context())

    assert next(folder.iterdir()).stat().st_mode & 0o077 == 0

    forgotten = next(folder.iterdir())
    two_days_ago = time.time() - 2 * 24 * 3600
    utime(forgotten, (two_days_ago, two_days_ago))

    upload(client, context())

    assert not forgotten.exists()


def test_preview_warns_of_contexts_without_a_pair(client, admin):
    page = upload(client, context("alone", n=1), context("c2")).content.decode()

    assert "fewer than two candidates" in page


def test_preview_shows_texts_as_text(client, admin):
    script = context()
    script["candidates"][0]["text"] = script["text"] = "<script>alert(1)</script>"

    assert "<script>alert(1)" not in upload(client, script, name="<b>.jsonl").content.decode()


def test_files_above_the_limit_are_refused(client, admin, settings):
    settings.MAX_UPLOAD_BYTES = 10

    assert "at most 10 bytes are accepted" in upload(client, context()).content.decode()


def test_dataset_beyond_what_a_person_may_store_is_kept_as_an_upload_until_there_is_room(client, admin, settings):
    first = upload(client, context()).redirect_chain[-1][0]
    client.post(first, {"name": "Articles", "visibility": "private"})
    stored = Dataset.objects.get()
    settings.DATASETS_BYTES = 2 * stored.size - 1
    second = upload(client, context()).redirect_chain[-1][0]

    refused = client.post(second, {"name": "More articles", "visibility": "private"})
    assert (
        f"the datasets of {admin.username} have {stored.size:,} of {2 * stored.size - 1:,}" in refused.content.decode()
    )
    assert Dataset.objects.get() == stored

    stored.owner = None  # the command line's, which has no limit
    stored.save()
    client.post(second, {"name": "More articles", "visibility": "private"})
    assert set(Dataset.objects.values_list("name", "size")) == {
        ("Articles", stored.size),
        ("More articles", stored.size),
    }


def test_body_far_above_the_limit_is_refused_before_it_is_read(client, admin, settings):
    announced = {"CONTENT_LENGTH": str(10 * settings.MAX_UPLOAD_BYTES)}

    answer = client.post(reverse("dataset-upload"), b"", content_type="multipart/form-data; boundary=x", **announced)

    program = client.post("/api/datasets/", b"", content_type="application/json", **announced)

    assert (answer.status_code, program.status_code) == (413, 413)
    assert "at most 1 GB are accepted" in answer.content.decode()
    assert program.json() == {"detail": "the body has 10485760000 bytes; at most 1048576000 are accepted"}


@pytest.fixture
def announce():
    """Posts to an address with an empty body and a Content-Length of so many bytes."""

    def post(client, size: int, address: str = "/datasets/upload/"):
        return client.post(address, b"", content_type="multipart/form-data; boundary=x", CONTENT_LENGTH=str(size))

    return post


def test_a_file_of_nearly_1_gb_is_accepted_by_default(client, admin, announce):
    answer = announce(client, 1_000_000_000)

    assert answer.status_code == 200  # the form again: no file came with it


@pytest.mark.parametrize("roles", [(), ("annotator",)])
def test_large_body_is_refused_before_it_is_read_for_all_but_researchers(client, announce, roles):
    if roles:
        client.force_login(make_user("ann", *roles), backend="django.contrib.auth.backends.ModelBackend")

    answer = announce(client, 10_000_000)

    assert answer.status_code == 413
    assert "Sign in with a researcher’s account" in answer.content.decode()


def test_body_for_which_the_disk_has_no_space_is_refused_before_it_is_read(client, admin, announce, settings):
    settings.MAX_UPLOAD_BYTES = 2**62

    page, api = announce(client, 2**60), announce(client, 2**60, "/api/datasets/")

    assert (page.status_code, api.status_code) == (507, 507)
    assert "too little free space" in page.content.decode()
    assert api.json() == {"detail": f"the server has too little free space: the body needs {COPIES * 2**60} bytes"}


def unscored(key="c1"):
    return {"context": key, "text": "Article.", "candidates": [{"candidate": name, "text": name} for name in "ab"]}


def test_attributes_are_named_where_the_files_have_none(client, admin):
    preview = upload(client, unscored())
    form = preview.context["form"]

    client.post(
        preview.request["PATH_INFO"], {"name": "Own", "attribute": "coherence\nfluency", "visibility": "private"}
    )

    assert form["attribute"].value() == "overall"
    assert [one.name for one in Dataset.objects.get().attributes.all()] == ["coherence", "fluency"]


def test_attributes_of_the_files_are_not_asked_for_again(client, admin):
    assert "attribute" not in upload(client, context()).context["form"].fields


UNCLEAR_LABELS = json.dumps(
    [
        {
            "id": number,
            "data": {"prompt": "Why?", "answer_a": "So.", "answer_b": "No."},
            "annotations": [{"completed_by": 1, "result": [{"from_name": "best", "value": {"choices": [label]}}]}],
        }
        for number, label in enumerate(("Links", "Rechts", "Links"))
    ]
).encode()


def test_labels_of_an_export_are_given_a_meaning_at_the_upload(client, admin):
    def post(**fields):
        file = SimpleUploadedFile("export.json", UNCLEAR_LABELS)
        return client.post(reverse("dataset-upload"), {"files": file, **fields}, follow=True)

    refused = post()
    answer = post(choice="first=Links\nsecond=Rechts")
    client.post(answer.request["PATH_INFO"], {"name": "Labels", "visibility": "private"})

    assert "no meaning of &quot;Links&quot;, &quot;Rechts&quot;" in refused.content.decode()
    assert list(Vote.objects.order_by("pk").values_list("choice", flat=True)) == ["first", "second", "first"]
