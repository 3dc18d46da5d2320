"""Planning and following a study in the browser."""

import pytest
from playwright.sync_api import expect

from judging.models import Run, Study
from judging.services.studies.study_changes import create_study
from judging.services.studies.study_plan import StudyPlan
from judging.services.studies.study_start import set_plan
from tests.browser.looks import faults
from tests.factories import answer_run, make_dataset, make_judge, make_run


@pytest.fixture
def study(sign_in):
    """A study with runs of every state, and new ones in its plan."""
    rita = sign_in("researcher")
    dataset = make_dataset(attributes=("coherence", "fluency"))
    judge, large = make_judge(), make_judge("large")
    done = answer_run(make_run(dataset, owner=rita))
    part = answer_run(make_run(dataset, prompt="comparative-2", owner=rita))
    part.comparisons.filter(pk__in=part.comparisons.values("pk")[:6]).delete()
    Run.objects.filter(pk=part.pk).update(status="running")
    failed = make_run(dataset, judge=large, owner=rita)
    Run.objects.filter(pk=failed.pk).update(status="failed", error="out of memory: the model needs 12 GiB")
    study = create_study("Judges of summaries", owner=rita, runs=[done, part, failed])
    names = {
        "datasets": [dataset.name],
        "judges": [judge.name, large.name],
        "prompts": ["comparative-1", "comparative-2", "prepair-1"],
    }
    set_plan(study, StudyPlan.by_names(names, user=rita))
    return study


def test_study_is_planned_with_combinations_counted_at_once(page, sign_in):
    sign_in("researcher")
    make_dataset(attributes=("coherence", "fluency"))
    make_judge()
    page.goto("/studies/new/")
    page.get_by_label("Name", exact=True).fill("Table 1")
    page.get_by_label("Summaries").first.check()
    page.get_by_label("tiny").check()
    page.get_by_label("comparative-1", exact=True).check()

    expect(page.locator("#combinations")).to_contain_text("2 new runs")
    page.get_by_label("scoring-1", exact=True).check()
    expect(page.locator("#combinations")).to_contain_text("4 new runs")
    page.get_by_role("button", name="Create study").click()

    expect(page.get_by_role("button", name="Start 4 runs")).to_be_visible()
    assert Study.objects.get().plan["prompts"] == ["comparative-1", "scoring-1"]


def test_pages_of_a_study_fit_a_phone_and_everyone_can_read_them(page, study):
    addresses = ["/studies/", "/studies/new/", *(f"/studies/{study.pk}/{name}/" for name in ("runs", "extend", "edit"))]
    addresses.append(f"/studies/{study.pk}/runs/collect/")

    found = {address: faults(page, address) for address in addresses}

    assert found == {address: [] for address in addresses}
