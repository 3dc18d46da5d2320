"""Rows of groups of subsets in reports."""

import pytest
from django.urls import reverse

from evenhand.refusals import Refused
from rankings.report.report_choice import ReportChoice, SubsetGroup
from tests.commands import printed
from tests.rankings.report.report_figures import report_json
from tests.rankings.studies import compared, make_dataset

pytestmark = pytest.mark.django_db

HARD = ReportChoice(groups=(SubsetGroup("Hard", ("y", "z")),))
ANSWERS = "context,attribute,first,second,p_first\n" + "".join(
    f"c{context},overall,a,b,{p_first}\n" for context, p_first in enumerate((0.9, 0.9, 0.9, 0.1, 0.9))
)


def context(number, subset):
    candidates = [{"candidate": key, "text": key, "scores": {"overall": score}} for key, score in (("a", 2), ("b", 1))]
    return {"context": f"c{number}", "text": "Article", "subset": subset, "candidates": candidates}


@pytest.fixture(scope="module")
def run(rows_of_module):
    return compared(make_dataset([context(number, subset) for number, subset in enumerate("xyyzx")]), ANSWERS)


def test_row_of_a_group_is_pooled_over_its_subsets(run):
    *_, row = report_json(run.dataset, choice=HARD)

    assert (row["subset"], row["subsets"]) == ("Hard", ["y", "z"])
    assert (row["accuracy"]["value"], row["accuracy"]["n"]) == (pytest.approx(2 / 3), 3)
    assert (row["accuracy_macro"]["value"], row["accuracy_macro"]["n"]) == (0.5, 3)


def test_other_rows_stay_the_same(run):
    assert report_json(run.dataset, choice=HARD)[:-1] == report_json(run.dataset)


@pytest.mark.parametrize("text", ["Hard", "Hard=", "=y,z", "Hard=y,,z"])
def test_group_that_cannot_be_read_is_refused(text):
    with pytest.raises(Refused, match="NAME=SUBSET,SUBSET"):
        SubsetGroup.parse(text)


@pytest.mark.parametrize(
    ("groups", "problem"),
    [
        (["Hard=y,w"], 'there is no subset "w" for "Hard"; there are: x, y, z'),
        (["all=y,z"], '"all" is the name of a subset; choose another'),
        (["x=y,z"], '"x" is the name of a subset; choose another'),
        (["Hard=y", "Hard=z"], '"Hard" is defined twice'),
        (["Hard=y,y"], '"Hard" names the subset "y" twice'),
    ],
)
def test_group_that_the_dataset_cannot_have_is_refused(run, groups, problem):
    with pytest.raises(Refused) as refusal:
        report_json(run.dataset, choice=ReportChoice(groups=tuple(map(SubsetGroup.parse, groups))))

    assert refusal.value.problems == (f"group: {problem}",)


def test_table_has_the_group_whatever_subsets_are_chosen(run, capsys):
    options = ("--group", "Hard=y,z", "--subset", "x", "--column", "subset", "--column", "accuracy")

    text = printed(capsys, "report", "--dataset", "Study", *options)

    assert [line.split()[0] for line in text.splitlines()[:4] if line] == ["Subset", "x", "Hard"]
    assert "Hard: y, z pooled." in text


@pytest.mark.parametrize("page", ["run-results", "dataset-results"])
def test_page_has_the_row_of_a_group_or_says_what_is_wrong_with_it(run, client, researcher, page):
    address = reverse(page, args=[run.pk if page == "run-results" else run.dataset_id])

    text = client.get(address, {"group": ["Hard=y,z", "Two=x,y"]}).content.decode()
    wrong = client.get(address, {"group": "Hard=y,w"})

    assert "Hard: y, z pooled." in text
    assert "Two: x, y pooled." in text
    assert (wrong.status_code, "there is no subset" in wrong.content.decode()) == (200, True)
