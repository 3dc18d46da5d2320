"""Tables 1 and 5 of LLM Comparative Assessment and the curves of Product of Experts, read off one study of SummEval.

The articles, summaries and human scores are SummEval's. The three judges are synthetic, and named so: they prefer what
people score higher, with noise and a preference for the first position.
"""

import csv
import itertools
import math

import numpy as np
import pytest
from django.urls import reverse
from playwright.sync_api import expect

from judging.models import Dataset, HumanScore, Run
from judging.services.studies.study_changes import create_study
from tests.commands import printed_json

pytestmark = [pytest.mark.realdata, pytest.mark.usefixtures("forget_reports")]

ARTICLES = 6
ATTRIBUTES = ("coherence", "fluency")
PROMPTS = ("comparative-1", "comparative-2")
JUDGES = {"synthetic, careful": (3.0, 0.2), "synthetic, hasty": (0.8, 0.4), "synthetic, first": (1.0, 1.5)}
"""name -> the weight of human scores, and the log-odds of the first position."""
CLICKS_TO_EVERYTHING = 6


def synthetic_answers(dataset):
    """Yield each judge's answer on all ordered pairs, with each prompt."""
    rng = np.random.default_rng(1)
    scores = {
        (one.attribute.name, one.candidate): one.value
        for one in HumanScore.objects.select_related("attribute", "candidate__context").order_by("pk")
    }
    for context, attribute in itertools.product(dataset.contexts.all(), ATTRIBUTES):
        pairs = list(itertools.permutations(context.candidates.all(), 2))
        for (first, second), (judge, (weight, bias)), prompt in itertools.product(pairs, JUDGES.items(), PROMPTS):
            log_odds = weight * (scores[attribute, first] - scores[attribute, second]) + bias + rng.normal()
            p_first = 1 / (1 + math.exp(-log_odds))
            yield [context.key, attribute, first.key, second.key, judge, prompt, f"{p_first:.6f}", ""]


@pytest.fixture
def study(shared_data, tmp_path, capsys):
    articles, answers = tmp_path / "summeval.jsonl", tmp_path / "answers.csv"
    lines = (shared_data / "data" / "summeval" / "summeval_16sys.jsonl").read_text(encoding="utf-8").splitlines()
    articles.write_text("\n".join(lines[:ARTICLES]), encoding="utf-8")
    printed_json(capsys, "import_dataset", articles, "--name", "SummEval")
    with answers.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["context", "attribute", "first", "second", "judge", "prompt", "p_first", "choice"])
        writer.writerows(synthetic_answers(Dataset.objects.get()))
    printed_json(capsys, "import_comparisons", answers, "--dataset", "SummEval")
    return create_study("SummEval, synthetic judges", runs=list(Run.objects.order_by("pk")))


class Clicks:
    """A page whose clicks are counted."""

    def __init__(self, page):
        self.page, self.n = page, 0

    def on(self, locator):
        locator.click()
        self.n += 1

    def choose_table(self, title):
        self.on(self.page.get_by_text("Tables of papers"))
        self.on(self.page.get_by_role("link", name=title, exact=True))
        self.page.wait_for_url("**preset=*")


def drawn(page):
    """Return the numbers of the table's rows of judges, in reading order."""
    cells = page.locator("tr:not(.people) td.num[data-value]").all()
    return [float(value) for cell in cells if (value := cell.get_attribute("data-value"))]


def means_over_prompts(rows, value_of):
    """Return the mean of a figure over the prompts of each judge and attribute."""
    by_cell: dict[tuple[str, str], list[float]] = {}
    for row in rows:
        by_cell.setdefault((row["judge"], row["attribute"]), []).append(value_of(row))
    return sorted(sum(values) / len(values) for values in by_cell.values())


def test_tables_and_curves_of_the_papers_take_few_clicks_and_equal_the_report(page, sign_in, study, capsys):
    rows = printed_json(capsys, "report", "--dataset", "SummEval")["rows"]
    sign_in("researcher")
    clicks = Clicks(page)
    page.goto(reverse("study-list"))

    clicks.on(page.get_by_role("link", name=study.name, exact=True))
    clicks.choose_table("LLM Comparative Assessment, SummEval")
    table_1 = drawn(page)
    clicks.choose_table("LLM Comparative Assessment, position bias on SummEval")
    table_5 = drawn(page)
    clicks.on(page.get_by_role("link", name="Curves", exact=True))
    expect(page.locator("figure.chart svg").first).to_be_visible()

    assert clicks.n == CLICKS_TO_EVERYTHING
    spearman = means_over_prompts(rows, lambda row: row["spearman"]["win-ratio"]["raw"]["per_context"])
    assert sorted(table_1) == pytest.approx(spearman, abs=1e-9)
    assert sorted(table_5) == pytest.approx(sorted(row["p_first"]["value"] for row in rows), abs=1e-9)
    assert len(spearman) == len(JUDGES) * len(ATTRIBUTES)


def test_curves_of_all_judges_stand_in_one_chart_and_end_where_the_report_does(page, sign_in, study, capsys):
    sign_in("researcher")

    page.goto(f"{reverse('study-curves', args=[study.pk])}?attribute=fluency&prompt=comparative-1&ranking=poe-gaussian")

    chart = page.locator("figure.chart").first
    for judge in JUDGES:
        expect(chart).to_contain_text(judge)
    rows = printed_json(capsys, "report", "--dataset", "SummEval")["rows"]
    full = [
        row["spearman"]["poe-gaussian"]["raw"]["per_context"]
        for row in rows
        if (row["attribute"], row["prompt"]) == ("fluency", "comparative-1")
    ]
    column = page.locator('tr:not(.people) td[data-column="value"]').all()
    assert sorted(float(cell.get_attribute("data-value")) for cell in column) == pytest.approx(sorted(full), abs=1e-9)
