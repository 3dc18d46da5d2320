"""The pages of recorded judgments look right."""

import pytest

from tests.browser.looks import faults
from tests.factories import make_dataset

VOTES = "item,quality,left,right,preferred,who,mood\nc0,coherence,a,b,A wins,h1,good\nc1,coherence,b,z,tie,h2,bad\n"


@pytest.fixture
def dataset(sign_in, settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path / "uploads"
    return make_dataset(owner=sign_in("researcher"))


def test_a_preview_asks_for_meanings_of_labels_only_for_choices_and_looks_right(page, dataset, tmp_path):
    file = tmp_path / "votes.csv"
    file.write_text(VOTES)
    dataset.judgment_mappings["votes"] = {"layout": "recorded-votes", "map": ["context=item"], "choice": []}
    dataset.save()
    page.goto(f"/datasets/{dataset.pk}/judgments/")

    shown = {}
    for kind in ("comparisons", "scores", "ratings", "votes"):
        page.get_by_label("The files hold").select_option(kind)
        shown[kind] = page.get_by_label("Meaning of labels").is_visible()
    page.set_input_files("input[type=file]", str(file))
    page.get_by_role("button", name="Preview").click()
    page.get_by_label("Meaning of who").select_option("rater")
    page.get_by_role("button", name="Update preview").click()
    page.get_by_text("Nothing can be saved yet").wait_for()
    page.get_by_label("Use the columns of earlier votes on the dataset").wait_for()

    assert shown == {"comparisons": True, "scores": False, "ratings": False, "votes": True}
    assert faults(page, page.url) == []
