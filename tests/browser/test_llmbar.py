"""LLMBar by page alone: one researcher uploads the dataset and recorded verdicts, and takes a table for a paper."""

from itertools import takewhile

import pytest
from playwright.sync_api import Locator, Page

from tests.factories import make_user
from tests.llmbar import PUBLISHED
from tests.rankings.tables.latex_papers import compile_latex, needs_latex, rows_of

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


def accuracies_of(rows: list[list[str]], subset: str) -> dict[str, float]:
    """Return the accuracy of each prompt in the section of a subset."""
    section = rows[rows.index([subset]) + 1 :]
    of_judges = takewhile(lambda row: len(row) > 1, section)
    return {prompt.replace("\\_", "_"): float(accuracy.strip("*†")) for _, _, prompt, _, accuracy, *_ in of_judges}


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
    walk.press("Save these comparisons")
    walk.click(page.get_by_text("Export", exact=True))
    with page.expect_download() as download:
        walk.follow("LaTeX")

    latex = download.value.path().read_text(encoding="utf-8")
    assert walk.steps == STEPS
    figures = "Accuracy; Kappa with people; Right in both orders; P(first); Order agreement"
    assert f"Agreement of judges with people on LLMBar: {figures}. Method" in latex  # verdicts alone debias nothing
    for subset, place in {"Natural": 0, "Neighbor": 1}.items():
        published = {strategy: PUBLISHED["GPT-4", strategy][place] for strategy in STRATEGIES}
        assert published.items() <= accuracies_of(rows_of(latex), subset).items()
    assert compile_latex(latex, folder=tmp_path).stat().st_size > 5_000
