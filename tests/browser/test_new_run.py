"""Starting runs of several judges in a browser."""

from django.urls import reverse
from playwright.sync_api import expect

from evenhand.engine import Answer
from judging.models import ForecastRequest, Run
from judging.services.forecasts.forecast_requests import execute_forecast
from tests.browser.looks import SMALL_PHONE, violations_in_both_schemes
from tests.evenhand.engine.fake_engine import FakeEngine
from tests.factories import make_dataset, make_judge


def forecast_all() -> None:
    """Make the forecasts that wait for a worker."""
    engine = FakeEngine(lambda question: Answer(p_first=0.5, prompt_tokens=700))
    for request in ForecastRequest.objects.order_by("pk"):
        execute_forecast(request.pk, load=lambda settings: engine)


def test_estimate_of_several_judges_appears_without_a_reload_and_all_are_started(page, sign_in, monkeypatch):
    monkeypatch.setattr("judging.tasks.start_forecast", lambda request: None)
    monkeypatch.setattr("judging.tasks.start_run", lambda run_id: None)
    sign_in("researcher")
    for name, price in (("large", 15.0), ("small", 1.0)):
        remote = {"backend": "openai", "base_url": "http://localhost:1/v1"}
        make_judge(name, **remote, price_input=price, price_output=0.0)
    page.goto(reverse("run-new", args=[make_dataset("Articles", candidates=(3,) * 4).pk]))
    page.get_by_label("demo", exact=True).uncheck()
    for name in ("large", "small"):
        page.get_by_label(name, exact=True).check()
    page.get_by_role("button", name="Preview run").click()
    page.get_by_role("button", name="Estimate tokens and time").click()
    table = page.get_by_role("region", name="Estimate")
    expect(table.get_by_role("row", name="small")).to_contain_text("–")

    forecast_all()

    expect(table.get_by_role("row", name="large")).to_contain_text("16,800")
    expect(table.get_by_role("row", name="all judges")).to_contain_text("33,600")
    assert violations_in_both_schemes(page) == []
    page.set_viewport_size(SMALL_PHONE)
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    page.get_by_role("button", name="Start the runs").click()
    expect(page.get_by_text("2 runs queued, one for each judge, prompt and attribute.")).to_be_visible()
    assert sorted(Run.objects.values_list("judge__name", flat=True)) == ["large", "small"]
