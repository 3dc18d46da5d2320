"""The page that writes a package to publish."""

from zipfile import ZipFile

import pytest
from django.urls import reverse

from tests.published_packages import make_study

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


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
