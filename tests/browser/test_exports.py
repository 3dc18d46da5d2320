"""The export menu of the results page, packages to publish, and the pages whose text is copied."""

from zipfile import ZipFile

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from tests.browser.looks import SMALL_PHONE
from tests.browser.voting import DESKTOP
from tests.factories import answer_run, make_dataset, make_run
from tests.published_packages import make_study


@pytest.fixture
def run(sign_in):
    return answer_run(make_run(make_dataset(candidates=(2, 2)), owner=sign_in("researcher")))


def test_export_menu_opens_inside_the_page(page, run):
    page.goto(reverse("dataset-results", args=[run.dataset_id]))
    page.get_by_text("Export", exact=True).click()

    for size in (DESKTOP, SMALL_PHONE):
        page.set_viewport_size(size)
        box = page.locator("#exports details.menu > div").bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= size["width"]


def test_copy_button_copies_the_table(page, run):
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(reverse("dataset-results", args=[run.dataset_id]))
    page.get_by_text("Export", exact=True).click()
    page.get_by_role("link", name="Table for a paper").click()

    page.get_by_role("button", name="Copy").click()

    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    text = page.get_by_label("The table as text").input_value()
    assert text.startswith("% Needs \\usepackage{booktabs}\n")
    assert page.evaluate("navigator.clipboard.readText()") == text


def test_table_can_be_taken_without_scripts(run, plain):
    plain.goto(reverse("dataset-table", args=[run.dataset_id]))
    plain.get_by_label("Format").select_option("md")
    plain.get_by_role("button", name="Show").click()

    expect(plain.get_by_role("button", name="Copy")).to_be_hidden()
    expect(plain.get_by_label("The table as text")).to_contain_text("| Judge |")
    with plain.expect_download() as download:
        plain.get_by_role("link", name="Download", exact=True).click()
    assert download.value.suggested_filename.endswith(".md")


def test_methods_page_copies_bibtex(page, run):
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(reverse("run-methods", args=[run.pk]))

    page.get_by_role("button", name="Copy").last.click()

    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == page.get_by_label("BibTeX", exact=True).input_value()


@pytest.fixture
def study(sign_in):
    sign_in("researcher")
    return make_study(licence="")


def test_package_is_downloaded_from_the_results(page, study):
    page.goto(reverse("dataset-results", args=[study.pk]))
    page.get_by_role("link", name="Publish data").click()
    page.get_by_label("Creators").fill("Ada Lovelace")

    with page.expect_download() as download:
        page.get_by_role("button", name="Download the package").click()

    assert download.value.suggested_filename == "Study.zip"
    assert "Study/README.md" in ZipFile(download.value.path()).namelist()
