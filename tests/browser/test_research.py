"""A researcher's journey, and an admin's upload."""

import json
from pathlib import Path

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from judging.models import Chunk, Dataset, HumanScore, Judge, Run
from judging.services.execution.chunk_execution import execute_chunk
from rankings.report_cache import forget_figures
from tests.browser.looks import SMALL_PHONE, violations
from tests.evenhand.engine.fake_engine import FakeEngine
from tests.factories import answer_run, make_dataset, make_run


@pytest.fixture(autouse=True)
def forget_reports():
    """Reports are kept by the numbers of rows, which begin again with every test."""
    forget_figures()


@pytest.fixture
def unhanded(monkeypatch):
    """Runs wait until the test judges them itself."""
    monkeypatch.setattr("judging.tasks.start_run", lambda run_id: None)


def scored_dataset(contexts: int = 30) -> Dataset:
    """Contexts of three candidates that people scored 1, 2 and 3."""
    dataset = make_dataset("Articles", candidates=(3,) * contexts)
    attribute = dataset.attributes.get()
    HumanScore.objects.bulk_create(
        HumanScore(candidate=candidate, attribute=attribute, value=candidate.position + 1)
        for context in dataset.contexts.prefetch_related("candidates")
        for candidate in context.candidates.all()
    )
    return dataset


def judge(chunk: Chunk) -> None:
    execute_chunk(chunk.pk, load=lambda settings: FakeEngine())


def test_new_run_asks_for_what_its_choices_need_and_folds_what_is_rare(page, sign_in):
    sign_in("researcher")
    page.goto(reverse("run-new", args=[scored_dataset(1).pk]))
    budget, held_out = page.get_by_label("Comparisons per context"), page.get_by_label("Share held out")
    pairs, seed = page.get_by_text("Pairs", exact=True), page.get_by_label("Seed", exact=True)
    page.get_by_text("More selections").click()
    expect(seed).to_be_hidden()

    seen = {}
    for selection in ("random", "bt-optimal", "full"):
        page.get_by_label(f"{selection}:").check()
        seen[selection] = (budget.is_visible(), held_out.is_visible())
    page.get_by_label("scoring-1").check()
    seen["compares and scores"] = pairs.is_visible()
    page.get_by_label("comparative-1").uncheck()
    seen["scores"] = pairs.is_visible()
    page.get_by_text("More settings").click()
    seed.fill("7")

    expect(page.get_by_text("3 scores", exact=True)).to_be_visible()
    expect(seed).to_be_visible()
    assert seen == {
        "random": (True, False),
        "bt-optimal": (True, True),
        "full": (False, False),
        "compares and scores": True,
        "scores": False,
    }


def test_preview_of_a_new_run_follows_the_settings(page, sign_in):
    sign_in("researcher")
    page.goto(reverse("run-new", args=[scored_dataset(1).pk]))
    start, judge = page.get_by_role("button", name="Start the run"), page.get_by_label("demo", exact=True)
    expect(page.get_by_text("6 comparisons", exact=True)).to_be_visible()
    expect(page.get_by_role("heading", name="Example")).to_be_visible()

    judge.uncheck()
    expect(page.get_by_text("Judges: Choose at least one judge.")).to_be_visible()
    expect(start).to_be_disabled()
    judge.check()
    page.get_by_text("More selections").click()
    page.get_by_label("random:").check()
    page.get_by_label("Comparisons per context").fill("4")

    expect(page.get_by_text("4 comparisons", exact=True)).to_be_visible()
    expect(start).to_be_enabled()
    with page.expect_navigation():
        page.get_by_label("Contexts", exact=True).press("Enter")
    expect(start).to_be_enabled()
    assert not Run.objects.exists()
    assert violations(page) == []


def test_researcher_starts_a_run_watches_it_and_reads_its_results(page, sign_in, unhanded):
    sign_in("researcher")
    scored_dataset()

    page.goto("/")
    page.get_by_role("link", name="Articles").click()
    page.get_by_role("link", name="Start a run").first.click()
    expect(page.get_by_text("180 comparisons", exact=True)).to_be_visible()
    page.get_by_role("button", name="Start the run").click()
    expect(page.get_by_text("0 of 180 comparisons")).to_be_visible()
    page.evaluate("window.notReloaded = true")
    page.get_by_role("button", name="Cancel").focus()
    for chunk, asked in zip(Chunk.objects.order_by("pk"), ("102 of 180", "180 of 180"), strict=True):
        judge(chunk)
        expect(page.get_by_text(f"{asked} comparisons")).to_be_visible()
        focused = page.evaluate("document.activeElement.textContent")
        assert focused == "Cancel" or asked.startswith("180")
        figures = "n = 180" if asked.startswith("180") else f"{asked} answered; figures so far"
        expect(page.locator("#headline")).to_contain_text(figures)
    expect(page.locator("[data-poll-done]")).to_be_attached()
    expect(page.locator("#headline")).not_to_contain_text("partial")
    expect(page.locator("#results")).to_be_visible()
    assert page.evaluate("window.notReloaded") is True

    page.locator("#results").click()
    expect(page.locator(".lede")).to_contain_text("Accuracy against human preference")
    expect(page.locator("figure.chart svg").first).to_be_visible()


def test_progress_stops_asking_when_the_run_has_ended(page, clock, sign_in):
    run = answer_run(make_run(make_dataset(), owner=sign_in("researcher")))
    asked = []
    page.on("request", lambda request: asked.append(request.url) if request.url.endswith("/progress/") else None)

    page.goto(run.get_absolute_url())
    page.wait_for_load_state("networkidle")
    clock.run_for(20_000)
    page.wait_for_load_state("networkidle")

    assert asked == []


def test_admin_uploads_after_the_problems_are_corrected(page, sign_in, settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path / "uploads"
    sign_in("admin")
    faulty, correct = tmp_path / "faulty.jsonl", tmp_path / "correct.jsonl"
    write_dataset(faulty, score="six")
    write_dataset(correct, score=5)

    page.goto("/datasets/upload/")
    page.locator("input[type=file]").set_input_files(faulty)
    page.get_by_role("button", name="Preview").click()
    expect(page.get_by_role("cell", name="candidates[0].scores.coherence")).to_be_visible()
    page.locator("input[type=file]").set_input_files(correct)
    page.get_by_role("button", name="Preview").click()
    page.get_by_label("Name").fill("Articles")
    page.get_by_role("button", name="Save dataset").click()

    expect(page.get_by_role("heading", level=1)).to_have_text("Articles")
    assert Dataset.objects.get().name == "Articles"


def write_dataset(file: Path, *, score: object) -> None:
    candidates = [
        {"candidate": "a", "text": "One.", "scores": {"coherence": score}},
        {"candidate": "b", "text": "Two.", "scores": {"coherence": 2}},
    ]
    file.write_text(json.dumps({"context": "c1", "text": "Article.", "candidates": candidates}) + "\n")


def test_files_that_are_too_large_are_told_before_they_are_sent(page, sign_in, tmp_path):
    sign_in("admin")
    page.goto("/datasets/upload/")
    page.locator("input[type=file]").evaluate("input => input.dataset.limit = 10")

    page.locator("input[type=file]").set_input_files({"name": "a.csv", "mimeType": "text/csv", "buffer": b"x" * 100})

    assert "at most" in page.locator("input[type=file]").evaluate("input => input.validationMessage")


def test_body_that_is_too_large_is_answered_with_a_page(page, sign_in, settings):
    settings.MAX_UPLOAD_BYTES = 10
    sign_in("admin")
    page.goto("/datasets/upload/")
    page.locator("form[data-upload]").evaluate("form => form.noValidate = true")

    large = {"name": "a.csv", "mimeType": "text/csv", "buffer": b"x" * 3_000_000}
    page.locator("input[type=file]").set_input_files(large)
    page.get_by_role("button", name="Preview").click()

    expect(page.get_by_role("heading", level=1)).to_have_text("Too large")


def test_pages_work_without_scripts_and_charts_are_pictures(page, sign_in, plain):
    run = answer_run(make_run(scored_dataset(contexts=3), owner=sign_in("researcher")))
    plain.context.add_cookies(page.context.cookies())

    plain.goto(reverse("run-results", args=[run.pk]))
    plain.get_by_role("link", name="Choose rankings, selections and measure").click()
    plain.get_by_text("Figures of the curve").first.click()

    expect(plain.get_by_role("region", name="Figures of the curve")).to_be_visible()
    assert plain.locator("img.chart-picture").bounding_box()["width"] > 300


def test_chart_shows_names_as_text(page, sign_in):
    named = Judge.objects.create(name="<i>tiny</i> &amp;", backend="transformers", model="some/model", device="cpu")
    run = answer_run(make_run(scored_dataset(), judge=named, owner=sign_in("researcher")))

    page.goto(reverse("dataset-results", args=[run.dataset_id]))
    page.get_by_text("Accuracy as a chart").click()

    expect(page.locator("figure.chart .ytick")).to_contain_text("<i>tiny</i> &amp;")


def test_chart_follows_the_colours_and_the_width_of_the_page_and_is_exported_for_a_paper(page, sign_in):
    run = answer_run(make_run(scored_dataset(3), owner=sign_in("researcher")))
    page.goto(reverse("run-curve", args=[run.pk]))
    background = page.locator("figure.chart .main-svg").first
    expect(background).to_have_css("background-color", "rgb(255, 255, 255)")
    expect(page.locator("figure.chart .annotation")).to_have_count(5)
    expect(page.locator("figure.chart .legendtext")).to_have_count(0)

    page.emulate_media(color_scheme="dark")
    expect(background).to_have_css("background-color", "rgb(27, 31, 37)")
    page.set_viewport_size(SMALL_PHONE)
    expect(page.locator("figure.chart .legendtext")).to_have_count(5)
    expect(page.locator("figure.chart .annotation")).to_have_count(0)
    page.get_by_text("Export chart").click()
    with page.expect_download() as download:
        page.get_by_role("link", name="PDF").first.click()

    assert download.value.suggested_filename == "curve-14cm.pdf"
    assert Path(download.value.path()).read_bytes().startswith(b"%PDF")
