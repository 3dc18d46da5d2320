"""The table of LLMBar's paper from a study: chosen as a preset by page, exported to LaTeX, equal to the report."""

import re

import pytest
from django.urls import reverse

from judging.models import Run
from judging.services.studies.study_changes import create_study
from tests.commands import printed_json
from tests.llmbar import PUBLISHED
from tests.rankings.tables.latex_papers import rows_of

pytestmark = [pytest.mark.realdata, pytest.mark.usefixtures("forget_reports")]

COLUMNS = ("all", "Natural", "Neighbor", "Adversarial")


def lines_of(latex: str) -> dict[tuple[str, str], list[float]]:
    """Return (judge, prompt) -> the percentages of its line. Judges are headings."""
    lines, judge = {}, ""
    titles, *rows = rows_of(latex)
    for first, *cells in rows:
        judge = judge if cells else first
        if cells and cells != titles[1:] and not judge.startswith("For comparison"):
            numbers = dict(zip(titles[1:], cells, strict=True))
            shown = [numbers[f"{column} (\\%)"] for column in COLUMNS]
            lines[judge, first.replace("\\_", "_")] = [float(re.findall(r"[0-9.]+", number)[0]) for number in shown]
    return lines


def test_preset_of_the_paper_is_exported_as_the_report_has_it(page, sign_in, shared_data, capsys):
    sign_in("researcher")
    data = shared_data / "data" / "llmbar"
    files = [data / "Natural.json", *sorted((data / "Adversarial").glob("*.json"))]
    printed_json(capsys, "import_dataset", *files, "--name", "LLMBar")
    printed_json(capsys, "import_comparisons", data / "recorded_verdicts.jsonl", "--dataset", "LLMBar")
    study = create_study("LLMBar", runs=list(Run.objects.all()))

    page.goto(reverse("study", args=[study.pk]))
    page.get_by_text("Tables of papers").click()
    page.get_by_role("link", name="LLMBar, both orders").click()
    page.wait_for_url("**preset=llmbar*")
    page.get_by_text("Export", exact=True).click()
    with page.expect_download() as download:
        page.get_by_role("link", name="LaTeX").click()
    exported = lines_of(download.value.path().read_text(encoding="utf-8"))

    options = ("--unparsed", "wrong", "--group", "Adversarial=Neighbor,GPTInst,GPTOut,Manual")
    rows = printed_json(capsys, "report", "--dataset", "LLMBar", *options)["rows"]
    reported = {(row["judge"], row["prompt"], row["subset"]): row["accuracy"]["value"] for row in rows}
    assert len(exported) == 58
    assert exported == {
        names: [float(f"{100 * reported[*names, column]:.1f}") for column in COLUMNS] for names in exported
    }
    assert {names: tuple(exported[names][1:3]) for names in PUBLISHED} == PUBLISHED
