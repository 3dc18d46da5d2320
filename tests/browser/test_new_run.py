"""Starting runs of several judges in a browser."""

from django.urls import reverse
from playwright.sync_api import expect

from judging.models import Run
from judging.services.plans.selection_settings import SelectionSettings
from tests.browser.looks import SMALL_PHONE, violations_in_both_schemes
from tests.factories import make_dataset, make_judge, make_run


def test_runs_of_several_judges_are_previewed_and_started(page, sign_in, monkeypatch):
    monkeypatch.setattr("judging.tasks.start_run", lambda run_id: None)
    sign_in("researcher")
    dataset = make_dataset("Articles", candidates=(3,) * 4)
    large, _ = (make_judge(name, backend="openai", base_url="http://localhost:1/v1") for name in ("large", "small"))
    pilot = make_run(dataset, judge=large, selection=SelectionSettings(contexts=1))
    Run.objects.filter(pk=pilot.pk).update(status="done", seconds=10, prompt_tokens=4_200)
    page.goto(reverse("run-new", args=[dataset.pk]))
    page.get_by_label("demo", exact=True).uncheck()
    for name in ("large", "small"):
        page.get_by_label(name, exact=True).check()
    expect(page.get_by_text("large: About 40 s, 16,800 tokens, as in")).to_be_visible()
    expect(page.get_by_text("small: Time, tokens and cost unknown")).to_be_visible()
    assert violations_in_both_schemes(page) == []
    page.set_viewport_size(SMALL_PHONE)
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    page.get_by_role("button", name="Start the runs").click()
    expect(page.get_by_text("2 runs queued, one for each judge, prompt and attribute.")).to_be_visible()
    assert sorted(Run.objects.active().values_list("judge__name", flat=True)) == ["large", "small"]
