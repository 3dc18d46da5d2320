"""The notebook of the documentation runs from its first to its last cell."""

import json
from functools import partial
from pathlib import Path

import httpx
import pytest

import evenhand.client
from judging.models import Run
from tests.factories import answer_run, make_token, make_user

pytestmark = pytest.mark.django_db

NOTEBOOK = Path(__file__).resolve().parents[2] / "docs" / "how-to" / "client.ipynb"


def code_cells():
    cells = json.loads(NOTEBOOK.read_text())["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]


def test_notebook_goes_from_upload_to_chart(application, monkeypatch, tmp_path):
    token = make_token(make_user("rita", "researcher"))
    transport = httpx.WSGITransport(app=application)
    monkeypatch.setattr(evenhand.client, "Client", partial(evenhand.client.Client, transport=transport))
    monkeypatch.setattr("judging.tasks.start_run", lambda run_id: answer_run(Run.objects.get(pk=run_id)))
    monkeypatch.setenv("EVENHAND_URL", "http://testserver")
    monkeypatch.setenv("EVENHAND_TOKEN", token)
    monkeypatch.chdir(tmp_path)
    names = {}

    for cell in code_cells():
        exec(cell, names)

    assert list(names["comparisons"]["outcome"]) == ["answered"] * 12
    assert {"accuracy", "spearman"} & set(names["figures"]["figure"])
    assert len(names["chart"].data[0].y) == 6


def test_notebook_holds_no_outputs():
    cells = json.loads(NOTEBOOK.read_text())["cells"]

    assert [cell["outputs"] for cell in cells if cell["cell_type"] == "code"] == [[]] * len(code_cells())
