"""Agreement vote by vote between groups of people and judges, as in MT-Bench's tables."""

import json
import re
from itertools import combinations, product

import numpy as np
import pytest

from evenhand.formats import SourceFile, read_dataset
from evenhand.refusals import Refused
from judging.services.datasets.dataset_import import import_dataset
from rankings.agreement.agreement_report import agreement_report
from rankings.agreement.rater_groups import RaterGroup
from rankings.report.report_choice import ReportChoice
from tests.commands import printed, refused
from tests.rankings.studies import compared

MODELS = ("alpaca", "claude", "llama")
RATERS = ("expert_0", "expert_1", "expert_2", "author_0", "author_1")
EXPERTS_AND_AUTHORS = (RaterGroup("expert", ("expert_*",)), RaterGroup("author", ("author_*",)))


def talk(model):
    words = {"user": ("Why?", "Shorter."), "assistant": (f"{model} says because.", f"{model} says so.")}
    return [{"role": role, "content": words[role][turn]} for turn in (0, 1) for role in ("user", "assistant")]


def judgments():
    """Votes in MT-Bench's own format, on a random half of the questions of each rater."""
    rng = np.random.default_rng(3)
    return [
        {
            "question_id": question,
            "model_a": model_a,
            "model_b": model_b,
            "winner": rng.choice(["model_a", "model_b", "tie", "tie (inconsistent)"], p=[0.5, 0.2, 0.2, 0.1]).item(),
            "judge": judge,
            "conversation_a": talk(model_a),
            "conversation_b": talk(model_b),
            "turn": turn,
        }
        for question in range(40)
        for turn in (1, 2)
        for judge in RATERS
        for model_a, model_b in (sorted(pair, reverse=bool(rng.random() < 0.5)) for pair in combinations(MODELS, 2))
        if rng.random() < 0.5
    ]


def plain_agreement(rows, one, other, *, turn=None, with_ties=True):
    """Agreeing couples and all couples of votes, counted as MT-Bench's script does."""
    by_pair = {}
    for row in rows:
        if turn in (None, row["turn"]):
            winner = row[row["winner"]] if row["winner"].startswith("model") else "tie"
            key = (row["question_id"], row["turn"], frozenset((row["model_a"], row["model_b"])))
            by_pair.setdefault(key, []).append((row["judge"], winner))
    alike = couples = 0
    for votes in by_pair.values():
        for (first, mine), (second, theirs) in combinations(votes, 2):
            kinds = sorted((first.split("_")[0], second.split("_")[0]))
            if kinds == sorted((one, other)) and (with_ties or "tie" not in (mine, theirs)):
                couples += 1
                alike += mine == theirs
    return alike, couples


pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def rows():
    return judgments()


@pytest.fixture(scope="module")
def dataset(rows, rows_of_module):
    lines = "\n".join(map(json.dumps, rows)).encode()
    return import_dataset(read_dataset([SourceFile("mt.jsonl", lines)]), name="MT", sha256="0" * 64)


def test_agreement_equals_the_count_of_mt_bench(dataset, rows):
    report = agreement_report(
        dataset,
        attributes=list(dataset.attributes.all()),
        runs=[],
        choice=ReportChoice(subsets_by="turn"),
        groups=EXPERTS_AND_AUTHORS,
    )
    by_groups = {(row.subset, row.one, row.other): row for row in report.attributes[0].votes}
    groups = [("expert", "expert"), ("expert", "author"), ("author", "author")]

    assert len(by_groups) == len(report.attributes[0].votes)
    for turn, (one, other) in product([None, 1, 2], groups):
        row = by_groups[str(turn or "all"), one, other]
        for figure, with_ties in ((row.per_vote, True), (row.per_vote_decided, False)):
            alike, couples = plain_agreement(rows, one, other, turn=turn, with_ties=with_ties)
            assert couples > 5
            assert (figure.value, figure.n) == (pytest.approx(alike / couples), couples), (turn, one, other)


def test_everyone_is_one_group_if_none_is_named(dataset):
    report = agreement_report(dataset, attributes=list(dataset.attributes.all()), runs=[])

    assert [(row.subset, row.one, row.other) for row in report.attributes[0].votes] == [("all", "people", "people")]


def test_each_comparison_of_a_judge_is_set_beside_each_vote(dataset, rows):
    answers = "context,attribute,first,second,p_first\n0/1,overall,alpaca,claude,0.9\n0/1,overall,claude,alpaca,0.5\n"
    run = compared(dataset, answers)
    votes = [
        row
        for row in rows
        if (row["question_id"], row["turn"]) == (0, 1) and {row["model_a"], row["model_b"]} == {"alpaca", "claude"}
    ]

    report = agreement_report(dataset, attributes=list(dataset.attributes.all()), runs=[run])
    [row] = [row for row in report.attributes[0].votes if row.other.startswith("judge")]

    winners = [vote[vote["winner"]] if vote["winner"].startswith("model") else "tie" for vote in votes]
    alike = winners.count("alpaca") + winners.count("tie")
    assert (row.per_vote.value, row.per_vote.n) == (pytest.approx(alike / (2 * len(votes))), 2 * len(votes))


@pytest.mark.parametrize(
    ("groups", "problem"),
    [
        (["expert"], 'raters: "expert" — write NAME=PATTERN,PATTERN, for example expert=expert_*'),
        (["x=nobody*"], 'nobody in "x" has voted; those who have: author_0, author_1, expert_0, expert_1, expert_2'),
        (["a=expert_*", "b=*_0"], '"expert_0" is in two groups, a and b'),
        (["a=expert_*", "a=author_*"], 'the group "a" is defined twice'),
    ],
)
def test_groups_that_the_dataset_cannot_have_are_refused(dataset, groups, problem):
    with pytest.raises(Refused, match="raters") as error:
        agreement_report(
            dataset,
            attributes=list(dataset.attributes.all()),
            runs=[],
            groups=[RaterGroup.parse(group) for group in groups],
        )

    assert problem in str(error.value)


def test_the_command_takes_groups_and_a_field(dataset, capsys):
    options = ("--raters", "expert=expert_*", "--subsets-by", "turn")

    shown = json.loads(printed(capsys, "agreement", "--dataset", "MT", *options, "--json"))

    assert shown["subsets_by"] == "turn"
    assert [row["subset"] for row in shown["attributes"][0]["votes"]] == ["all", "1", "2"]
    assert refused(capsys, "agreement", "--dataset", "MT", "--subsets-by", "trun") == [
        'subsets_by: contexts have no field "trun" (did you mean "turn"?); there are: subset, turn'
    ]


def test_the_page_shows_groups_and_names_a_wrong_one(dataset, client, researcher):
    address = f"/datasets/{dataset.pk}/agreement/"

    good = client.get(address, {"raters": "expert=expert_*\nauthor=author_*", "subsets_by": "turn"})
    wrong = client.get(address, {"raters": "x=nobody*"})

    assert {"author", "expert"} <= set(re.findall(r'<th scope="row"[^>]*>\s*(\w+)', good.content.decode()))
    assert "nobody in &quot;x&quot; has voted" in wrong.content.decode()
