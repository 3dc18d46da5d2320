"""The recipes that reproduce papers, followed on the real data; their numbers are those that the page shows.

The authors' repositories are rebuilt from the shared data. Blocks that need a GPU are left out.
"""

import json
import re
import runpy
import shlex
import shutil
import sys
from types import ModuleType

import pytest
from django.core.management import call_command

from judging.models import Dataset
from rankings.report.report_choice import ReportChoice
from tests.docs.shown_commands import BLOCK, DOCS, shown_files
from tests.rankings.report.report_figures import report_json

pytestmark = [pytest.mark.slow, pytest.mark.realdata]
PAGE = DOCS / "how-to" / "reproduce-papers.md"
ATTRIBUTES = ("coherence", "consistency", "fluency", "relevance")


def recorded_result(verdict):
    """Return an item of LLMBar's result.json."""
    winners = {"swap = False": verdict["winner_ab"], "swap = True": verdict["winner_ba"]}
    return {"results": [{order: {"winner": winner and str(winner)} for order, winner in winners.items()}]}


def rebuild_llmbar(shared, folder):
    """Write the files of LLMBar's repository that the page reads."""
    lines = (shared / "recorded_verdicts.jsonl").read_text().splitlines()
    verdicts = [json.loads(line) for line in lines]
    for source in (shared / "Natural.json", *(shared / "Adversarial").iterdir()):
        subset = source.relative_to(shared).with_suffix("").as_posix()
        target = folder / "LLMBar" / "Dataset" / "LLMBar" / subset
        target.mkdir(parents=True)
        shutil.copy(source, target / "dataset.json")
        items = [
            recorded_result(one)
            for one in verdicts
            if (one["judge"], one["strategy"]) == ("GPT-4", "Vanilla") and one["dataset"] == f"LLMBar/{subset}"
        ]
        (target / "evaluators" / "GPT-4" / "Vanilla").mkdir(parents=True)
        (target / "evaluators" / "GPT-4" / "Vanilla" / "result.json").write_text(json.dumps(items))


def rebuild_unieval(shared, folder):
    """Write the files of UniEval's repository that the page reads."""
    data, predicted = (folder / "UniEval" / "reproduce" / part / "dialogue" for part in ("data", "unieval_predict"))
    data.mkdir(parents=True)
    predicted.mkdir(parents=True)
    shutil.copy(shared / "topical_chat.json", data)
    shutil.copy(shared / "recorded" / "unieval_topical_chat_result.json", predicted / "topical_chat_result.json")


def summeval_rows(shared):
    """Return ten articles of SummEval in the columns of mteb/summeval, cut short: the page shows no figures of them."""
    for line in sorted((shared / "summeval_16sys.jsonl").read_text().splitlines(), key=len)[:10]:
        article = json.loads(line)
        candidates = article["candidates"]
        scores = {name: [one["scores"][name] for one in candidates] for name in ATTRIBUTES}
        summaries = [one["text"][:120] for one in candidates]
        yield {"text": article["source"], "machine_summaries": summaries, **scores}


@pytest.fixture
def followed(demo_rows, shared_data, tmp_path, monkeypatch):
    """Follow the page from top to bottom in an empty folder, with the database of the demo."""
    monkeypatch.chdir(tmp_path)
    rebuild_llmbar(shared_data / "data" / "llmbar", tmp_path)
    rebuild_unieval(shared_data / "data" / "topicalchat", tmp_path)
    downloaded = ModuleType("datasets")
    downloaded.load_dataset = lambda name, split: summeval_rows(shared_data / "data" / "summeval")
    monkeypatch.setitem(sys.modules, "datasets", downloaded)
    for name, text in shown_files(PAGE).items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    for language, _, text in BLOCK.findall(PAGE.read_text(encoding="utf-8")):
        if language == "sh" and not text.startswith("# needs a GPU"):
            for line in text.splitlines():
                follow(shlex.split(line, comments=True), tmp_path)


def follow(words, folder):
    """Carry out a line of the page. Repositories are there already."""
    match words:
        case ["python", script]:
            runpy.run_path(script)
        case ["cp", source, target]:
            shutil.copy(folder / source, folder / target)
        case ["evenhand", *command]:
            call_command(*command)
        case ["git", "clone", _] | []:
            pass
        case _:
            raise AssertionError(f"the page shows a line that the test does not know: {words}")


def shown_table(heading):
    """Return the cells of the table whose header begins with the heading, line by line."""
    text = PAGE.read_text(encoding="utf-8")
    [table] = re.findall(rf"^\| {re.escape(heading)} \|.*\n\|[-|]+\n((?:\|.*\n)+)", text, re.MULTILINE)
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()]


def test_numbers_of_recorded_judgments_are_those_on_the_page(followed):
    topical_chat = report_json(Dataset.objects.get(name="TopicalChat"))
    llmbar = report_json(Dataset.objects.get(name="LLMBar"), choice=ReportChoice(unparsed="wrong"))

    pooled = {
        row["attribute"]: [round(100 * row[name]["score"]["raw"]["pooled"], 1) for name in ("spearman", "pearson")]
        for row in topical_chat
    }
    accuracy = {row["subset"]: f"{100 * row['accuracy']['value']:.1f} %" for row in llmbar if row["accuracy"]["n"]}
    unieval = {cells[0].strip("`"): [float(cell) for cell in cells[1:3]] for cells in shown_table("attribute")}
    assert unieval == {name: pooled[name] for name in unieval}
    assert len(unieval) == 3
    assert {cells[0]: cells[1] for cells in shown_table("subset")} == {
        name: accuracy[name] for name in ("Natural", "Neighbor")
    }
