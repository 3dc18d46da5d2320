"""A table on a page and the same table in a paper: rows, order, groups, columns and marks."""

import csv
import re

import pytest
from django.urls import reverse

from judging.models import Run
from judging.services.studies.study_changes import create_study
from tests.rankings.studies import answers, compared, make_dataset, one_context, with_copies
from tests.rankings.tables.latex_papers import compile_latex, in_paper, needs_latex, on_page, page_and_paper, rows_of

pytestmark = pytest.mark.django_db
HOSTILE = ("cafe\u0301 50%_\\x", "judge \N{GRINNING FACE} & co", "قاضٍ {a} ~^", "plain")


@pytest.fixture
def hostile(researcher):
    """A dataset of two subsets, and a study, with four judges of hostile names. The last answered less."""
    contexts, right = with_copies(one_context(3, 2, 1), answers("a b 0.9", "b a 0.1", "b c 0.8", "c a 0.3"), times=23)
    contexts = [one | {"subset": "ab"[at % 2]} for at, one in enumerate(contexts)]
    dataset = make_dataset(contexts, name="Été_1", owner=researcher)
    worse = right.replace("0.9", "0.2"), right.replace("0.8", "0.3"), right[: right.rindex("copy22")]
    runs = [compared(dataset, text, judge=name) for name, text in zip(HOSTILE, (right, *worse), strict=True)]
    Run.objects.update(owner=researcher)
    return dataset, create_study("Judges & people", runs=runs, owner=researcher)


PAGES = [("dataset-results", "dataset-report"), ("study", "study-table-file")]


@pytest.mark.parametrize(("page", "file"), PAGES)
@pytest.mark.parametrize("query", [{}, {"sort": "-judge"}, {"sort": "accuracy"}])
def test_paper_has_the_rows_order_groups_columns_and_marks_of_the_page(client, hostile, page, file, query):
    key = hostile[page == "study"].pk

    table, text = page_and_paper(client, page, file, key, query)

    drawn = list(on_page(table))
    assert [line[1:] for line in in_paper(text, table)] == [line[1:] for line in drawn]
    assert [len(line) for line in in_paper(text, table)] == [len(line) for line in drawn]
    assert any("*" in number for line in drawn for number in line)


def test_markdown_and_csv_have_the_order_of_the_page(client, hostile):
    dataset, _ = hostile
    table = client.get(reverse("dataset-results", args=[dataset.pk])).context["table"]
    names = [row.name for section in table.sections for row in section.rows]

    def file(ending):
        return client.get(reverse("dataset-report", args=[dataset.pk, ending])).getvalue().decode()

    lines = [line.split("|")[1].strip() for line in file("md").splitlines() if line.startswith("|")][2:]

    assert [row["judge"] for row in csv.DictReader(file("csv").splitlines())] == names
    assert [line for line in lines if not line.startswith("*")] == [
        re.sub(r"([\\_{}~])", r"\\\1", name) for name in names
    ]


def test_what_all_rows_share_is_in_the_caption_and_label_and_n_is_in_the_rows(client, hostile):
    dataset, study = hostile
    text = page_and_paper(
        client, "dataset-results", "dataset-report", dataset.pk, {"column": ["judge", "method", "accuracy"]}
    )[1]

    assert "\\caption{Agreement of judges with people on \\'{E}t\\'{e}\\_1: Accuracy. Method comparative.}" in text
    assert "\\label{tab:ete_1-accuracy}" in text
    assert rows_of(text)[0] == ["Judge", "Accuracy (\\%)", "n"]
    assert "\\label{tab:judges-people-accuracy}" in page_and_paper(client, "study", "study-table-file", study.pk)[1]


def test_name_that_latex_cannot_set_is_replaced_with_a_comment(client, hostile):
    text = page_and_paper(client, "dataset-results", "dataset-report", hostile[0].pk)[1]

    assert "% [1] stands for \N{GRINNING FACE}, which LaTeX does not set.\n" in text
    names = {row[0] for row in rows_of(text)}
    assert {"caf\\'{e} 50\\%\\_\\textbackslash{}x", "judge {[}1] \\& co", "plain"} <= names


@pytest.mark.slow
@needs_latex
@pytest.mark.parametrize(("page", "file"), PAGES)
def test_papers_with_hostile_names_compile(client, hostile, tmp_path, page, file):
    text = page_and_paper(client, page, file, hostile[page == "study"].pk)[1]

    assert compile_latex(text, folder=tmp_path).stat().st_size > 5_000
