"""Parts of pages that htmx fetches: progress while a run is judged, and a curve once its page is there."""

import re

import pytest
from django.contrib.sessions.models import Session
from django.urls import reverse
from playwright.sync_api import expect

from judging.models import Run
from tests.factories import answer_run, make_dataset, make_run


@pytest.fixture
def waiting(monkeypatch, sign_in) -> Run:
    """A run of six comparisons that the test answers itself."""
    monkeypatch.setattr("judging.tasks.start_run", lambda run_id: None)
    return make_run(make_dataset(candidates=(3,)), owner=sign_in("researcher"))


def test_progress_is_asked_for_again_after_a_server_error(page, waiting):
    page.route("**/progress/", lambda route: route.fulfill(status=500, body="Server error"), times=1)
    page.goto(waiting.get_absolute_url())

    with page.expect_response("**/progress/") as failed:
        pass
    answer_run(waiting)

    expect(page.get_by_text("6 of 6 comparisons")).to_be_visible()
    assert failed.value.status == 500


def test_progress_is_asked_for_again_after_a_lost_connection(page, waiting):
    page.goto(waiting.get_absolute_url())
    page.context.set_offline(True)

    with page.expect_event("requestfailed"):
        pass
    expect(page.get_by_text("0 of 6 comparisons")).to_be_visible()
    answer_run(waiting)
    page.context.set_offline(False)

    expect(page.get_by_text("6 of 6 comparisons")).to_be_visible()


def test_progress_leads_somebody_who_was_signed_out_to_sign_in_and_back(page, waiting):
    page.goto(waiting.get_absolute_url())

    Session.objects.all().delete()
    expect(page.get_by_label("Password")).to_be_visible()
    page.get_by_label("Name").fill("researcher")
    page.get_by_label("Password").fill("researcher")
    page.get_by_role("button", name="Sign in").click()

    expect(page.get_by_text("0 of 6 comparisons")).to_be_visible()


def test_curve_that_does_not_load_leaves_a_link_to_it(page, sign_in):
    run = answer_run(make_run(make_dataset(), owner=sign_in("researcher")))
    page.route("**/curve/?ranking*", lambda route: route.fulfill(status=500, body="Server error"))

    with page.expect_response("**/curve/?ranking*"):
        page.goto(reverse("run-results", args=[run.pk]))

    expect(
        page.get_by_role("link", name="Choose rankings, selections and measure, or show human votes")
    ).to_be_visible()
    expect(page.get_by_text("Computing the curve…")).to_be_hidden()


def test_curve_within_a_page_leaves_the_title_of_the_page(page, sign_in):
    run = answer_run(make_run(make_dataset(), owner=sign_in("researcher")))

    with page.expect_response("**/curve/?ranking*"):
        page.goto(reverse("run-results", args=[run.pk]))

    expect(page.get_by_text("Computing the curve…")).to_have_count(0)
    expect(page).to_have_title(re.compile("^Results"))
