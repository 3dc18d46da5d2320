"""A study with everything that a package may hold, and ways to read a package."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

from django.core.management import call_command

from evenhand.formats import SourceFile, read_dataset
from judging.models import Attribute, Campaign, Comparison, Dataset, Judge, Run, Score, User, Vote
from judging.services.campaigns.next_pair import next_pair
from judging.services.datasets.dataset_import import import_dataset
from tests.campaigns import answer, make_ready_campaign
from tests.factories import answer_run, make_judge, make_run, make_user
from tests.rankings.studies import WORKED_ANSWERS, compared, scored

ANNOTATORS = {"annegret": "annegret.secretname@example.org", "balthasar": "balthasar@example.org"}
OWN_RATER = "Dr. Cornelia Ratername"
COMMENT = {"comment": "balthasar says so", "campaign": "balthasar's", "guidelines": "ask balthasar"}
HEADER = {
    "dataset": {
        "description": "Two articles | three summaries.",
        "licence": "CC-BY-4.0",
        "candidate_noun": "summary",
        "attributes": [{"name": "overall", "adjective": "good", "minimum": 1, "maximum": 5}],
    }
}
CONTEXTS = [
    {
        "context": "c0",
        "text": "An article.",
        "subset": "scored",
        "candidates": [
            {"candidate": "a", "system": "gpt-4", "text": "A", "scores": {"overall": 3}},
            {"candidate": "b", "system": "llama", "text": "Bb", "ratings": {"overall": {OWN_RATER: 2, "h2": 1}}},
            {"candidate": "c", "system": "t5", "text": "Ccc", "scores": {"overall": 1}},
        ],
    },
    {
        "context": "c1",
        "text": "Another.",
        "subset": "voted",
        "candidates": [{"candidate": key, "system": key, "text": key} for key in "abc"],
        "votes": [
            {"attribute": "overall", "first": "a", "second": "b", "choice": "second", "rater": "h1", "strength": 2},
            {"attribute": "overall", "first": "b", "second": "a", "choice": "first", "rater": OWN_RATER},
            {"attribute": "overall", "first": "a", "second": "b", "choice": "first", "rater": "h3", **COMMENT},
            {"attribute": "overall", "first": "a", "second": "c", "choice": "both-bad", "rater": "h3"},
            {"attribute": "overall", "first": "b", "second": "c", "choice": "tie", "rater": "h3", "excluded": True},
        ],
    },
]
SCORES = "context,attribute,candidate,score\nc0,overall,a,0.5\nc0,overall,b,0.123456789012345678\nc1,overall,a,\n"


def make_study(**header: str) -> Dataset:
    """A dataset with scores, ratings, votes of its own and of a campaign, and four runs of three judges."""
    lines = [{"dataset": HEADER["dataset"] | header}, *CONTEXTS]
    file = SourceFile("study.jsonl", "\n".join(map(json.dumps, lines)).encode())
    dataset = import_dataset(read_dataset([file]), name="Study", sha256="0" * 64)
    collect_votes(dataset)
    judge = make_judge("local", model="openai/gpt-4-tiny")
    answer_run(make_run(dataset, judge=judge, owner=make_user("rosalinde", "researcher")))
    answer_run(make_run(dataset, judge=judge, prompt="comparative-2"), p_first=0.3)
    failed = compared(dataset, WORKED_ANSWERS, judge="recorded elsewhere")
    failed.comparisons.filter(outcome="error").update(error="401: the key sk-secret of annegret is wrong")
    scored(dataset, SCORES)
    return dataset


def collect_votes(dataset: Dataset) -> Campaign:
    annotators = [User.objects.create_user(name, email, "x") for name, email in ANNOTATORS.items()]
    for annotator in annotators:
        annotator.groups.set(make_user(f"like-{annotator}", "annotator").groups.all())
    campaign = make_ready_campaign(
        *annotators, dataset=dataset, name="Annegret's pairs", votes_per_pair=2, guidelines="Read both texts."
    )
    for annotator in annotators:
        assignment = next_pair(campaign, annotator=annotator)
        answer(assignment, milliseconds=900)
    return campaign


def published(output: Path, *options: object) -> Path:
    """Publish the study with the command. Returns the output."""
    call_command("publish", "--dataset", "Study", "--output", str(output), *map(str, options))
    return output


def empty_database() -> None:
    """Delete every row of datasets, runs and judges, except the shipped judge."""
    for model in (Vote, Comparison, Score, Run, Campaign, Attribute, Dataset, User):
        model.objects.all().delete()
    Judge.objects.exclude(name="demo").delete()


def recompute(folder: Path) -> None:
    """Carry out the importing commands of a package's script, in its folder."""
    for line in (folder / "recompute.sh").read_text().splitlines():
        program, *command = shlex.split(line, comments=True) or [""]
        if program == "evenhand" and command[0].startswith("import_"):
            name, file, *options = command
            call_command(name, str(folder / file), *options)
