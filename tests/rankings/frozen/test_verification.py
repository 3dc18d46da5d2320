"""Verification of frozen reports: every byte is made again, and whatever differs is named."""

import json
import random
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.utils.html import json_script

from judging.models import Comparison, Dataset, FrozenReport, Judge, Run, Study, Vote
from judging.services.datasets.dataset_changes import split_dataset
from judging.services.studies.study_changes import add_runs, create_study, set_parts
from rankings.charts import paper_pictures
from rankings.frozen import verification
from rankings.frozen.report_content import table_choice
from rankings.frozen.report_file import DATA_ID, data_in, freeze_study
from rankings.frozen.verification import verify
from rankings.studies.charts.chart_request import ChartQuery
from rankings.studies.study_choice import runs_of_study
from tests.factories import answer_run, make_dataset, make_judge, make_run, make_user
from tests.rankings.frozen.conftest import two_judges
from tests.rankings.frozen.file_edits import EDITS, exchanged_labels, removed_from_data, renamed_in_data, with_data

pytestmark = pytest.mark.django_db
TABLES = ("rows=judge", "rows=method&figure=p_first")
"""Tables with cells of one run, and of several."""


@pytest.fixture(scope="module")
def of_module(rows_of_module) -> Study:
    return two_judges(make_user("rita", "researcher"), contexts=3)


@pytest.fixture
def study(of_module) -> Study:
    return Study.objects.get(pk=of_module.pk)


@pytest.fixture(scope="module")
def file(of_module) -> str:
    """A frozen report with tables and a chart."""
    return frozen(of_module, "bias").html


def frozen(study: Study, *charts: str, tables: tuple[str, ...] = TABLES, name: str = "") -> FrozenReport:
    runs = runs_of_study(study)
    choices = [table_choice(query, study, runs) for query in tables]
    return freeze_study(study, runs, choices, list(map(ChartQuery.parse, charts)), name=name, owner=study.owner)


def change_answer(run: Run) -> None:
    Comparison.objects.filter(pk=run.comparisons.first().pk).update(p_first=0.01)


def test_untouched_file_is_verified(study):
    result = verify(frozen(study, "bias", "systems", name="For the appendix").html)

    assert (result.same, list(result.changes), list(result.other_versions)) == (True, [], [])


def test_file_is_verified_after_changes_of_other_data(study, file):
    dataset = runs_of_study(study)[0].dataset
    unused = answer_run(make_run(dataset, judge=make_judge("gamma")), p_first=0.6)

    add_runs(study, [unused, answer_run(make_run(make_dataset("Others"), judge=make_judge("delta")))])
    change_answer(unused)

    assert list(verify(file).changes) == []


def test_file_of_one_of_two_studies_of_one_name_is_verified(study, file):
    create_study(study.name, owner=make_user("rob", "researcher"))
    assert verify(file).same

    Study.objects.exclude(pk=study.pk).update(description="of Rob", part="test")
    Study.objects.filter(pk=study.pk).update(description="of Rita")

    assert [one.now for one in verify(file).changes if one.where == "description"] == ["of Rita"]


def test_table_of_some_runs_is_verified_after_another_run_is_gone(study):
    html = frozen(study, tables=("rows=judge&judge=alpha",)).html
    runs_of_study(study)[1].delete()

    assert list(verify(html).changes) == []


def test_charts_are_verified_on_the_part_on_which_they_were_frozen(study):
    split_dataset(study.runs.first().dataset, seed=7)
    study.part = "test"
    study.save()
    html = frozen(study, "coverage", "systems").html

    set_parts(study, part="development", chosen_in=None)

    assert list(verify(html).changes) == []
    assert [chart["title"].endswith("(test part)") for chart in data_in(html)["charts"]] == [True, True]


# Random edits of the file


def remembering(make: Callable[..., Any]) -> Callable[..., Any]:
    """Make the same thing once only: most edits do not change what is made."""
    memory: dict[str, Any] = {}

    def made(*args: Any, **options: Any) -> Any:
        choices = [(one.description, one.groups, one.part) for one in args if isinstance(one, Study)]
        key = repr((args, options, choices))
        if key not in memory:
            memory[key] = make(*args, **options)
        return memory[key]

    return made


def test_two_hundred_random_edits_are_all_found(file, monkeypatch):
    for module, name in ((verification, "freeze"), (verification, "report_html"), (paper_pictures, "picture_file")):
        monkeypatch.setattr(module, name, remembering(getattr(module, name)))
    assert verify(file).same

    rng, missed = random.Random(4), []
    for number in range(200):
        edit = EDITS[number % len(EDITS)]
        edited = edit(file, rng)
        if edited == file or verify(edited).same:
            missed.append(f"{number}: {edit}")

    assert missed == []


# Other data


def add_vote(study: Study) -> None:
    vote = Vote.objects.first()
    Vote.objects.create(
        context=vote.context, attribute=vote.attribute, first=vote.first, second=vote.second, choice="tie", rater="bob"
    )


CHANGES: dict[str, tuple[Callable[[Study], object], str]] = {
    "vote": (add_vote, "votes on Summaries · coherence, votes: 3 in the file, 4 here"),
    "choice": (lambda study: Vote.objects.update(choice="second"), "votes on Summaries · coherence, sha256: "),
    "files": (lambda study: Dataset.objects.update(sha256="others"), "dataset Summaries, sha256: hash of Summaries in"),
    "dataset": (
        lambda study: Dataset.objects.update(name="Texts"),
        "dataset Texts, name: Summaries in the file, Texts",
    ),
    "judge": (lambda study: Judge.objects.filter(name="beta").update(name="gpt"), "table 1, rows 2: beta in the file"),
    "study": (lambda study: Study.objects.update(name="Judges"), "study: Two judges in the file, no study of this na"),
    "description": (lambda study: Study.objects.update(description="Ours."), "description:  in the file, Ours. here"),
}


@pytest.mark.parametrize(("change", "difference"), CHANGES.values(), ids=CHANGES)
def test_other_data_are_named(study, file, change, difference):
    change(study)

    result = verify(file)
    assert not result.same
    assert any(str(one).startswith(difference) for one in result.changes), [str(one) for one in result.changes]


def test_changed_answer_is_named_with_its_run_and_its_figures(study, file):
    alpha = runs_of_study(study)[0]
    change_answer(alpha)

    places = [change.where for change in verify(file).changes]

    assert f"run {alpha.pk} (alpha, comparative-1), answers_sha256" in places
    assert "table 2, comparative, coherence, sd" in places
    assert "chart bias, alpha, P(first) (%), value" in places
    assert not any("beta" in place for place in places)


def test_run_that_is_gone_is_named(study, file):
    beta = runs_of_study(study)[1]
    number = beta.pk
    beta.delete()

    assert [str(change) for change in verify(file).changes] == [
        f"run {number} (beta, comparative-1): present in the file, no such run here"
    ]


def test_title_that_no_report_has_is_named(study):
    report = frozen(study, name="For the appendix")
    FrozenReport.objects.update(name="Another title")

    [change] = verify(report.html).changes

    assert str(change) == "title: For the appendix in the file, no report of this title on Two judges here"


def test_changed_line_of_the_page_is_named(file):
    edited = file.replace("<h2>Methods</h2>", "<h2>Our methods</h2>")
    number = file[: file.index("<h2>Methods")].count("\n") + 1

    assert [str(change) for change in verify(edited).changes] == [
        f"page, line {number}: “<h2>Our methods</h2>” in the file, “<h2>Methods</h2>” here"
    ]


# Other versions


@pytest.fixture(scope="module")
def of_other_versions(of_module) -> str:
    """The file of a study that was frozen with another numpy."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("rankings.frozen.certificate.version", lambda name: "0.1")
        return frozen(of_module, "bias").html


def test_figures_alone_are_compared_under_other_versions(of_other_versions):
    edited = of_other_versions.replace("<h2>Methods</h2>", "<h2>Our methods</h2>")

    result = verify(edited)

    assert (result.same, list(result.changes)) == (True, [])
    assert [one.where for one in result.other_versions] == ["numpy", "scipy", "django", "matplotlib"]


def figures_of(data: dict[str, Any]) -> list[tuple[dict[str, Any], str]]:
    """Return the parts of all figures of tables and charts."""
    cells = [cell for table in data["tables"] for line in table["pivot"]["cells"] for cell in line]
    cells += [figure for row in data["charts"][0]["table"]["rows"] for figure in row["figures"] if figure]
    return [(cell, part) for cell in cells for part in ("value", "low", "high", "n", "sd") if cell.get(part)]


def test_every_part_of_a_figure_is_compared_to_twelve_decimals(of_other_versions, monkeypatch):
    for name in ("freeze", "report_html"):
        monkeypatch.setattr(verification, name, remembering(getattr(verification, name)))
    data = data_in(of_other_versions)

    changes, found = (1, 0.01, 1e-11, 1e-13), defaultdict(set)
    for figure, part in figures_of(data):
        before = figure[part]
        for by in changes:
            figure[part] = before + by
            found[part].add((by, not verify(with_data(of_other_versions, data)).same))
        figure[part] = before

    every, but_the_least = ({(by, by > least) for by in changes} for least in (0, 1e-13))
    assert found == {"n": every} | dict.fromkeys(("value", "low", "high", "sd"), but_the_least)


def test_names_are_compared_under_other_versions(of_other_versions):
    for edit in (exchanged_labels, renamed_in_data, removed_from_data):
        result = verify(edit(of_other_versions, random.Random(1)))

        assert not result.same, edit
        assert result.other_versions or "no such run" in str(result.changes[0]), edit


def test_certificate_is_compared_under_other_versions(of_other_versions):
    parts = {"votes": {"votes": 7, "sha256": "0"}, "datasets": {"sha256": "0"}, "runs": {"answers_sha256": "0"}}
    for part, field, edited in ((part, *edit) for part, edits in parts.items() for edit in edits.items()):
        data = data_in(of_other_versions)
        data["certificate"][part][0][field] = edited

        [change] = verify(with_data(of_other_versions, data)).changes

        assert change.where.endswith(f", {field}")


# The command


def verified_by_command(html: str, folder: Path) -> int:
    """Return the exit status."""
    file = folder / "report.html"
    file.write_bytes(html.encode())
    try:
        call_command("verify_report", str(file))
    except SystemExit as end:
        return int(end.code)
    return 0


def test_command_writes_a_file_that_is_verified(study, tmp_path, capsys):
    file = tmp_path / "report.html"
    call_command("freeze", study.name, "--output", str(file), "--table", "rows=judge&figure=accuracy")

    assert f"{file}: 1 table of " in capsys.readouterr().err
    call_command("verify_report", str(file), "--json")

    assert json.loads(capsys.readouterr().out) == {"same": True, "other_versions": [], "changes": []}


def test_command_counts_one_difference(file, tmp_path, capsys):
    assert verified_by_command(file.replace("<h2>Methods</h2>", "<h2>Our methods</h2>"), tmp_path) == 1
    assert capsys.readouterr().out.endswith("\n1 difference.\n")


def test_status_is_1_where_something_differs(study, file, tmp_path, capsys):
    change_answer(runs_of_study(study)[0])

    assert verified_by_command(file, tmp_path) == 1
    assert "answers_sha256" in capsys.readouterr().out


def test_status_is_3_where_only_figures_are_compared(of_other_versions, tmp_path, capsys):
    assert verified_by_command(of_other_versions, tmp_path) == 3

    out = capsys.readouterr().out
    assert "All figures and their names are the same." in out
    assert "Texts and layout were not compared, because versions differ: numpy: 0.1 in the file, " in out


def test_status_is_1_where_a_figure_of_other_versions_differs(of_other_versions, tmp_path):
    data = data_in(of_other_versions)
    data["tables"][0]["pivot"]["cells"][0][0]["value"] += 1e-6

    assert verified_by_command(with_data(of_other_versions, data), tmp_path) == 1


@pytest.mark.parametrize(
    ("html", "problem"),
    [
        ("<html></html>", "this is no report of Evenhand"),
        (json_script([1], DATA_ID), "its data is damaged"),
        (json_script({"format": "other"}, DATA_ID), 'its format is "other"'),
    ],
)
def test_status_is_2_for_another_file(html, problem, tmp_path, capsys):
    assert verified_by_command(html, tmp_path) == 2
    assert problem in capsys.readouterr().err
