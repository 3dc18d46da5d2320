"""The mapping of an uploaded table: each change updates the preview, and the page looks right."""

from playwright.sync_api import expect

from tests.browser.looks import faults
from tests.evenhand.formats.people_tables import pair_with_systems


def test_a_changed_column_updates_the_preview_and_the_page_looks_right(page, sign_in, settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path / "uploads"
    file = tmp_path / "annotations.csv"
    file.write_bytes(pair_with_systems().content)
    sign_in("admin")
    page.goto("/datasets/upload/")
    page.set_input_files("input[type=file]", str(file))
    page.get_by_role("button", name="Preview").click()
    page.wait_for_url("**/columns/")
    expect(page.get_by_text("Ignored columns: comment.")).to_be_visible()

    page.get_by_label("Meaning of comment").select_option("attribute")

    expect(page.get_by_role("columnheader", name="attribute of this line (comment)")).to_be_visible()
    expect(page.get_by_text("Ignored columns")).to_have_count(0)
    assert faults(page, page.url) == []
