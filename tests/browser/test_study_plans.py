"""Planning a study in a browser: its combinations and its estimate while it is chosen."""

from django.urls import reverse
from playwright.sync_api import expect

from evenhand.engine import Answer
from judging.models import ForecastRequest, Study
from judging.services.forecasts.forecast_requests import execute_forecast
from tests.browser.looks import faults, violations_in_both_schemes
from tests.evenhand.engine.fake_engine import FakeEngine
from tests.factories import make_dataset, make_judge

REMOTE = {"backend": "openai", "base_url": "http://localhost:1/v1"}


def forecast_all() -> None:
    """Make the forecasts that wait for a worker."""
    engine = FakeEngine(lambda question: Answer(p_first=0.5, prompt_tokens=700))
    for request in ForecastRequest.objects.order_by("pk"):
        execute_forecast(request.pk, load=lambda settings: engine)


def choose_plan(page) -> None:
    """Plan one run of each of two endpoints, with 24 questions each."""
    for name, price in (("large", 15.0), ("small", 1.0)):
        make_judge(name, **REMOTE, price_input=price, price_output=0.0)
    make_dataset("Articles", candidates=(3,) * 4)
    page.goto(reverse("study-new"))
    page.get_by_label("Name", exact=True).fill("Table 1")
    for name in ("Articles", "large", "small", "comparative-1"):
        page.get_by_label(name, exact=True).check()


def test_estimate_of_a_plan_appears_without_a_reload_and_its_study_keeps_it(page, sign_in, monkeypatch):
    monkeypatch.setattr("judging.tasks.start_forecast", lambda request: None)
    sign_in("researcher")
    choose_plan(page)
    table = page.get_by_role("region", name="Estimate")
    expect(table.get_by_role("row", name="all judges")).to_contain_text("48")
    page.get_by_role("button", name="Estimate time and cost").click()
    expect(page.get_by_text("A worker counts tokens")).to_be_visible()

    forecast_all()

    expect(table.get_by_role("row", name="all judges")).to_contain_text("33,600")
    assert violations_in_both_schemes(page) == []
    page.get_by_role("button", name="Create study").click()
    expect(page.get_by_text("Study created.")).to_be_visible()
    expect(table.get_by_role("row", name="all judges")).to_contain_text("33,600")
    assert faults(page, reverse("study-runs", args=[Study.objects.get().pk])) == []


def test_estimate_follows_the_plan_while_it_is_changed(page, sign_in, monkeypatch):
    monkeypatch.setattr("judging.tasks.start_forecast", lambda request: None)
    sign_in("researcher")
    choose_plan(page)
    page.get_by_role("button", name="Estimate time and cost").click()
    forecast_all()
    table = page.get_by_role("region", name="Estimate")
    expect(table.get_by_role("row", name="all judges")).to_contain_text("33,600")

    page.get_by_label("small", exact=True).uncheck()
    expect(table.get_by_role("row", name="all judges")).to_have_count(0)
    expect(table.get_by_role("row", name="large")).to_contain_text("16,800")

    page.get_by_label("comparative-2", exact=True).check()
    expect(table.get_by_role("row", name="large")).to_contain_text("48")
    expect(table).not_to_contain_text("Cost")


def test_enter_in_a_field_of_a_plan_previews_it_and_starts_nothing(page, sign_in):
    sign_in("researcher")
    choose_plan(page)

    page.get_by_label("Name", exact=True).press("Enter")

    expect(page.locator("#combinations .value")).to_have_text("2 new runs")
    assert not ForecastRequest.objects.exists()
    assert not Study.objects.exists()
