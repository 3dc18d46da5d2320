"""LLMBar by page alone: one researcher uploads the dataset and recorded verdicts, and takes a table for a paper."""

import re

import pytest
from playwright.sync_api import Locator, Page

from tests.factories import make_user
from tests.llmbar import PUBLISHED
from tests.rankings.tables.latex_papers import compile_latex, needs_latex

pytestmark = [pytest.mark.realdata, pytest.mark.django_db(transaction=True)]

STRATEGIES = [strategy for judge, strategy in PUBLISHED if judge == "GPT-4"]
STEPS = 9  # clicks and submitted forms, with the sign-in


class Walk:
    """A way through the pages. steps: the clicks so far."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.steps = 0

    def click(self, element: Locator) -> None:
        element.click()
        self.steps += 1

    def press(self, name: str) -> None:
        self.click(self.page.get_by_role("button", name=name))

    def follow(self, name: str) -> None:
        self.click(self.page.get_by_role("link", name=name, exact=True).first)


def accuracy_of(cell: str) -> float:
    """Return the number of a cell such as `\\textbf{95.5} [92.0, 98.5]`."""
    return float(re.findall(r"[0-9.]+", cell)[0])


@needs_latex
def test_one_researcher_gets_the_table_of_a_paper(page, shared_data, settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path / "uploads"
    make_user("rita", "researcher")
    data, walk = shared_data / "data" / "llmbar", Walk(page)

    page.goto("/")
    page.get_by_label("Name").fill("rita")
    page.get_by_label("Password").fill("rita")
    walk.press("Sign in")
    walk.follow("Upload a dataset")
    page.set_input_files("input[type=file]", [data / "Natural.json", data / "Adversarial" / "Neighbor.json"])
    walk.press("Preview")
    page.get_by_label("Name").fill("LLMBar")
    walk.press("Save dataset")
    walk.follow("Add recorded judgments")
    page.get_by_label("Name of the judge").fill("GPT-4")
    page.set_input_files("input[type=file]", data / "recorded_verdicts.jsonl")
    walk.press("Preview")
    walk.press("Save 4,680 comparisons")
    walk.click(page.get_by_text("Export", exact=True))
    with page.expect_download() as download:
        walk.follow("LaTeX")

    latex = download.value.path().read_text(encoding="utf-8")
    assert walk.steps == STEPS
    lines = [line.replace("\\_", "_").split(" & ") for line in latex.splitlines() if " & GPT-4 & " in line]
    accuracies = {(line[3], line[5]): accuracy_of(line[7]) for line in lines}
    for strategy in STRATEGIES:
        assert (accuracies[strategy, "Natural"], accuracies[strategy, "Neighbor"]) == PUBLISHED["GPT-4", strategy]
    assert compile_latex(latex, folder=tmp_path).stat().st_size > 5_000
