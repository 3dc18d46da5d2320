"""Planning a study in a browser: its combinations and its estimate while it is chosen."""

from django.urls import reverse
from playwright.sync_api import expect

from judging.models import Run, Study
from judging.services.plans.selection_settings import SelectionSettings
from tests.browser.looks import faults, violations_in_both_schemes
from tests.factories import make_dataset, make_judge, make_run

REMOTE = {"backend": "openai", "base_url": "http://localhost:1/v1"}


def choose_plan(page) -> None:
    """Plan one run of each of two endpoints, with 24 questions each. The first has a pilot."""
    dataset = make_dataset("Articles", candidates=(3,) * 4)
    large, _ = (make_judge(name, **REMOTE) for name in ("large", "small"))
    pilot = make_run(dataset, judge=large, selection=SelectionSettings(contexts=1))
    Run.objects.filter(pk=pilot.pk).update(status="done", seconds=10, prompt_tokens=4_200)
    page.goto(reverse("study-new"))
    page.get_by_label("Name", exact=True).fill("Table 1")
    for name in ("Articles", "large", "small", "comparative-1"):
        page.get_by_label(name, exact=True).check()


def test_estimate_follows_the_plan_and_stays_with_its_study(page, sign_in):
    sign_in("researcher")
    choose_plan(page)
    shown = page.locator("#combinations")
    expect(shown.get_by_text("large: 1 run, 24 questions.")).to_be_visible()
    expect(shown.get_by_text("small: 1 run, 24 questions.")).to_be_visible()

    page.get_by_label("small", exact=True).uncheck()
    expect(shown.get_by_text("small: 1 run")).to_have_count(0)

    page.get_by_label("comparative-2", exact=True).check()
    expect(shown.get_by_text("large: 2 runs, 48 questions. About 1 min 20 s, 33,600 tokens, ")).to_be_visible()
    assert violations_in_both_schemes(page) == []
    page.get_by_role("button", name="Create study").click()
    expect(page.get_by_text("Study created.")).to_be_visible()
    expect(page.get_by_text("large: 2 runs, 48 questions. About 1 min 20 s, 33,600 tokens, ")).to_be_visible()
    assert faults(page, reverse("study-runs", args=[Study.objects.get().pk])) == []


def test_enter_in_a_field_of_a_plan_previews_it_and_starts_nothing(page, sign_in):
    sign_in("researcher")
    choose_plan(page)

    page.get_by_label("Name", exact=True).press("Enter")

    expect(page.locator("#combinations .value")).to_have_text("2 new runs")
    assert not Study.objects.exists()
