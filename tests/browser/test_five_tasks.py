"""Five tasks of a newcomer, each from the home page in as few steps as a person needs."""

import csv
import re

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from judging.models import Chunk, Dataset, User
from judging.services.execution.chunk_execution import execute_chunk
from tests.evenhand.engine.fake_engine import FakeEngine

pytestmark = pytest.mark.usefixtures("forget_reports")

SYSTEMS = (
    ("article", "lead-3", "abstractive"),
    ("The council closed two libraries on Tuesday.", "The council closed two libraries.", "Two libraries the Tuesday."),
    (
        "The storm cut power to nine villages until noon.",
        "A storm cut power to villages.",
        "Storm villages nine power.",
    ),
    ("The museum bought a map from 1640 for its show.", "The museum bought an old map.", "Map the museum bought. May."),
    ("The river rose two metres overnight in the valley.", "The river rose overnight.", "The the river metres rose."),
)


@pytest.fixture
def home(page, sign_in, settings, tmp_path, demo_rows):
    """The home page of a researcher of a fresh demo, with the recorded runs of the sample."""
    settings.MEDIA_ROOT = tmp_path / "uploads"
    sign_in(person=User.objects.get(username="researcher"))
    page.goto("/")
    return page


def test_a_table_of_two_systems_is_judged_by_the_demo_judge(home, monkeypatch, tmp_path):
    """Home, Upload, file, Preview, Check all lines, Save, Start a run, Start, Results, Scores."""
    monkeypatch.setattr("judging.tasks.start_run", lambda run_id: None)
    table = tmp_path / "systems.csv"
    with table.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(SYSTEMS)

    home.get_by_role("link", name="Upload a dataset").click()
    home.set_input_files("input[type=file]", str(table))
    home.get_by_role("button", name="Preview").click()
    home.get_by_role("button", name="Check all lines").click()
    expect(home.get_by_label("Attributes to judge")).to_have_value("overall")
    home.get_by_role("button", name="Save dataset").click()
    home.get_by_role("link", name="Start a run").first.click()
    home.get_by_role("button", name="Start the run").click()
    home.wait_for_url("**/runs/*/")
    for chunk in Chunk.objects.all():
        execute_chunk(chunk.pk, load=lambda settings: FakeEngine())
    home.reload()
    home.locator("#results").click()

    expect(home.get_by_text("No accuracy yet: these pairs have no human preference.")).to_be_visible()
    home.get_by_label("Pages of the run").get_by_role("link", name="Scores").click()
    expect(home.locator(".lede")).to_contain_text(
        re.compile(r"The judge prefers (lead-3|abstractive) in .* CI .* n = 8")
    )


def test_the_first_study_is_started_made_and_read_from_home(home, monkeypatch):
    """Home, Start a run, second prompt, Start; Make a study, All, name, Create study."""
    monkeypatch.setattr("judging.tasks.start_run", lambda run_id: None)

    home.get_by_role("link", name="Start a run").click()
    home.get_by_label("comparative-2", exact=True).check()
    home.get_by_role("button", name="Start the runs").click()
    expect(home.get_by_text("2 runs queued")).to_be_visible()
    for chunk in Chunk.objects.filter(run__owner__username="researcher"):
        execute_chunk(chunk.pk, load=lambda settings: FakeEngine())
    home.goto("/")
    home.get_by_role("link", name="Make a study").click()
    home.get_by_role("checkbox", name="All").check()
    expect(home.get_by_role("region", name="Table of the study")).to_be_visible()
    home.get_by_label("Name", exact=True).fill("My first study")
    home.get_by_role("button", name="Create study").click()

    expect(home.get_by_role("heading", name="My first study")).to_be_visible()
    expect(home.locator(".lede")).to_contain_text("accuracy")
    home.goto("/")
    expect(home.get_by_role("heading", name="Your first study")).to_have_count(0)


def test_position_bias_is_one_click_from_home_and_wrong_answers_in_both_orders_are_three(home):
    """Home, the finished run, Answers, wrong."""
    home.get_by_role("link", name="Sample · coherence · demo (recorded) · comparative-1").click()
    bias = home.locator(".headline-figures div", has_text="P(first)")
    expect(bias).to_contain_text(re.compile(r"61\.5.% → 50\.0.%"))
    expect(bias).to_contain_text(re.compile(r"95.% CI 57\.5 to 65\.4, raw"))

    run = reverse("run-answers", args=[Dataset.objects.get().runs.order_by("pk")[0].pk])
    home.locator(f"a[href='{run}']").first.click()
    home.get_by_label(re.compile("wrong")).check()

    expect(home.get_by_text(re.compile(r"^95 of 360 pairs"))).to_be_visible()
    expect(home.get_by_text("✗ disagrees").first).to_be_visible()
    first = home.locator("#answers table").first
    expect(first.get_by_role("row")).to_have_count(3)  # the head, and a row for each order


def test_difference_of_two_runs_is_three_clicks_from_home_and_a_latex_table_is_four(home):
    """Home, Sample, Results; from there Export, LaTeX, and Two runs."""
    home.get_by_role("link", name="Sample", exact=True).click()
    home.get_by_role("link", name="Results", exact=True).click()
    home.locator("#exports summary").click()
    with home.expect_download() as download:
        home.locator("#exports").get_by_role("link", name="LaTeX", exact=True).click()
    home.keyboard.press("Escape")
    home.get_by_role("link", name="Two runs", exact=True).click()

    text = download.value.path().read_text(encoding="utf-8")
    assert "\\begin{tabular}" in text
    assert "\\toprule" in text
    answer = home.locator(".lede")
    expect(answer).to_contain_text("The accuracy of demo (recorded) with comparative-1 (run")
    expect(answer).to_contain_text("The difference is not significant.")
    expect(home.get_by_role("region", name="Accuracy and position bias")).to_be_visible()
