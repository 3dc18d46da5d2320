"""Rows for the demo: three accounts, the sample dataset with recorded runs, a study of these, a campaign."""

import json
import secrets
from dataclasses import dataclass
from pathlib import Path

from django.contrib.auth.models import Group
from django.db import transaction

from evenhand.engine import DEMO_MODEL
from evenhand.formats import SourceFile, hash_files, read_comparisons, read_dataset
from judging.demo import SAMPLE_COMPARISONS, SAMPLE_DATASET
from judging.models import ANNOTATOR, RESEARCHER, ROLES, Campaign, Dataset, Judge, Study, User
from judging.services.campaigns.campaign_setup import create_campaign
from judging.services.datasets.dataset_import import import_dataset
from judging.services.datasets.recorded.answer_rows import COMPARISONS
from judging.services.datasets.recorded.recorded_runs import import_judgments
from judging.services.studies.study_changes import create_study

SAMPLE_NAME = "Sample"
STUDY_NAME = "Recorded judgments of the sample"
RECORDED_JUDGE = "demo (recorded)"


@dataclass(frozen=True, slots=True)
class Account:
    """A sign-in to print. The password is a remark if the person has changed it."""

    role: str
    name: str
    password: str


def prepare_demo(*, data: Path) -> list[Account]:
    """Create what is missing, and return the accounts. data: the data folder, which keeps their passwords."""
    accounts = demo_accounts(data / "demo-passwords.json")
    dataset = Dataset.objects.filter(name=SAMPLE_NAME, owner=None).first() or load_sample()
    if not Campaign.objects.filter(dataset=dataset).exists():
        start_campaign(dataset)
    if not Study.objects.exists():
        description = "The runs that came with the sample. Add those of your own judges and prompts."
        runs = dataset.runs.filter(judge__name=RECORDED_JUDGE, owner=None).order_by("pk")
        create_study(STUDY_NAME, description=description, runs=runs)
    return accounts


def demo_accounts(file: Path) -> list[Account]:
    """Create one account per role, under the role's name. Passwords are drawn once and kept in the file."""
    passwords = json.loads(file.read_text()) if file.exists() else {}
    for role in ROLES:
        if not User.objects.filter(username=role).exists():
            passwords[role] = secrets.token_urlsafe(9)
            user = User.objects.create_user(role, password=passwords[role])
            user.groups.add(Group.objects.get(name=role))
    file.parent.mkdir(parents=True, exist_ok=True)
    file.touch(mode=0o600)
    file.write_text(json.dumps(passwords))
    return [Account(role, role, known_password(role, passwords.get(role, ""))) for role in ROLES]


def known_password(name: str, password: str) -> str:
    """Return the password if it still opens the account."""
    user = User.objects.get(username=name)
    return password if password and user.check_password(password) else "(changed since the first start)"


@transaction.atomic
def load_sample() -> Dataset:
    """Store the sample, and the runs that the demo judge made of it beforehand."""
    files = [SourceFile(SAMPLE_DATASET.name, path=SAMPLE_DATASET)]
    dataset = import_dataset(read_dataset(files), name=SAMPLE_NAME, sha256=hash_files(files))
    comparisons = read_comparisons([SourceFile(SAMPLE_COMPARISONS.name, path=SAMPLE_COMPARISONS)])
    runs = import_judgments(COMPARISONS, comparisons, dataset=dataset, judge_name=RECORDED_JUDGE)
    Judge.objects.filter(runs__in=runs, owner=None).update(model=DEMO_MODEL)  # pages warn of its figures
    return dataset


def start_campaign(dataset: Dataset) -> Campaign:
    """Create a small campaign of the researcher on the sample's first attribute, for the annotator."""
    return create_campaign(
        dataset,
        attributes=[dataset.attributes.get(position=0)],
        name="Which summary is better?",
        guidelines="Read both texts. Choose the one that reads better: words in order, nothing repeated, on the topic.",
        pairs_per_context=3,
        votes_per_pair=2,
        annotators=list(User.objects.filter(groups__name=ANNOTATOR)),
        created_by=User.objects.filter(username=RESEARCHER).first(),
    )
