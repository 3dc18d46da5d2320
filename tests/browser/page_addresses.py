"""The addresses of every page that somebody may open, from the URL patterns. Each parameter gets a row that exists."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import URLPattern, reverse

import evalsite.urls
import judging.urls
import rankings.urls
from judging.models import (
    Campaign,
    Candidate,
    Dataset,
    Enrolment,
    HumanScore,
    Invitation,
    Run,
    TrainingAnswer,
    TrainingPair,
    User,
)
from judging.services.accounts.account_changes import password_link
from judging.services.campaigns.guidelines import change_guidelines
from judging.services.campaigns.next_pair import next_pair
from judging.services.campaigns.skips_and_undo import skip_pair
from judging.services.invitations.consent import set_consent_text
from judging.services.invitations.invitation_setup import create_invitation, withdraw_invitation
from judging.services.studies.study_changes import create_study
from rankings.frozen.report_content import table_choice
from rankings.frozen.report_file import freeze_study
from rankings.studies.study_choice import runs_of_study
from tests.campaigns import make_ready_campaign, vote
from tests.evenhand.formats.people_tables import pair_with_systems
from tests.factories import answer_run, make_judge, make_prompt, make_run, make_user
from tests.rankings.agreement.panels import judged, voted_dataset
from tests.rankings.audits.explained_runs import explained_run
from tests.rankings.studies import WORKED_ANSWERS, WORKED_CONTEXTS, compared, make_dataset, with_copies

Rows = Mapping[str, object]
LONG_NAME = "judges_may_have_long_names_without_a_space_anywhere_in_them"
CHECKED_ELSEWHERE = {"docs", "docs-page"}
QUERIES = {"dataset-compare": "?one={}&other={}", "study-matrix": "?context=c0"}
"""Name of a page -> the query by which it has figures to show."""
FORMS_ALONE = 405  # the status of an address that only takes a form
PATTERNS = {
    pattern.name: pattern
    for pattern in (*judging.urls.urlpatterns, *rankings.urls.urlpatterns, *evalsite.urls.urlpatterns)
    if isinstance(pattern, URLPattern) and pattern.name not in CHECKED_ELSEWHERE
}


def make_rows(*, researcher: User, annotator: User) -> Rows:
    """Make a row for each parameter of an address. The annotator has voted once in the campaign."""
    dataset = voted_dataset()
    add_ratings(dataset)
    run = answer_run(make_run(dataset, judge=make_judge(LONG_NAME), owner=researcher))
    one, other = judged(dataset, "careful"), judged(dataset, "hasty")
    runs = worked_runs()
    study = create_study("Table 1", owner=researcher, runs=runs)
    report = freeze_study(study, runs_of_study(study), [table_choice("rows=judge&figure=accuracy", study, runs)])
    guidelines = "## Look for\n\n- order\n- links"
    campaign = make_ready_campaign(annotator, dataset=dataset, guidelines=guidelines, created_by=researcher)
    invitation = create_invitation(campaign, admission="registration", created_by=researcher)
    enrolment = Enrolment.objects.create(campaign=campaign, annotator=annotator, invitation=invitation)
    train(campaign, annotator)
    _, _, _, key, token, _ = password_link(make_user("new", "annotator")).split("/")
    return {
        "dataset_id": dataset.pk,
        "context_id": dataset.contexts.first().pk,
        "run_id": run.pk,
        "two_runs": (one.pk, other.pk),
        "judge_id": run.judge_id,
        "prompt_id": make_prompt(owner=researcher).pk,
        "study_id": study.pk,
        "campaign_id": campaign.pk,
        "account_id": annotator.pk,
        "invitation_id": invitation.pk,
        "enrolment_id": enrolment.pk,
        "code": invitation.code,
        "uidb36": key,
        "token": token,
        "key": vote(campaign, annotator).assignment.key,
        "ending": "csv",
        "place": 1,
        "number": 1,
        "provider_id": "lab",
        "request_ids": [1],
        "exclusion_id": 1,
        "explained_run": explained_run().pk,
        "report_key": report.key,
    }


def add_ratings(dataset: Dataset) -> None:
    """Let two people rate every candidate."""
    attribute = dataset.attributes.get()
    HumanScore.objects.bulk_create(
        HumanScore(candidate=candidate, attribute=attribute, rater=rater, value=candidate.position + shift)
        for candidate in Candidate.objects.filter(context__dataset=dataset)
        for shift, rater in enumerate(("h1", "h2"))
    )


def worked_runs() -> list[Run]:
    """Return the runs of two judges on a dataset that has systems, scores and votes."""
    contexts, answers = with_copies(WORKED_CONTEXTS, WORKED_ANSWERS, times=8)
    dataset = make_dataset(contexts, name="Worked")
    return [compared(dataset, answers, judge="GPT"), compared(dataset, answers.replace("0.9", "0.2"), judge="Llama")]


def fill_campaign(campaign: Campaign, annotator: User) -> None:
    """Add what those who run a campaign see: a skip, changed guidelines, consent, every kind of invitation, people."""
    skip_pair(next_pair(campaign, annotator=annotator), reason="language")
    change_guidelines(campaign, text="## Look for\n\n- order\n- facts", changed_by=None)
    invite_people(campaign)


def invite_people(campaign: Campaign) -> None:
    """Add a consent text, every kind of invitation, one that is withdrawn, and two people."""
    set_consent_text(campaign, text="## Who we are\n\nA lab. We store **votes** for ten years.", created_by=None)
    person = "a-person-with-a-long-address@an-institute.example.org"
    invitation = create_invitation(campaign, admission="account", created_by=None)
    Invitation.objects.filter(pk=invitation.pk).update(person=person, most_people=1)
    for admission in ("registration", "platform"):
        create_invitation(campaign, admission=admission, created_by=None, completion_code="C1X9QK")
    withdraw_invitation(create_invitation(campaign, admission="account", created_by=None))
    ben, cleo = (make_user(name, "annotator") for name in ("ben", "cleo"))
    for one in (ben, cleo):
        campaign.participations.create(annotator=one)
    invitation = campaign.invitations.get(admission="platform")
    Enrolment.objects.create(
        campaign=campaign, annotator=ben, invitation=invitation, platform_person="5f1c2d3e4f5a6b7c8d9e0f1a"
    )


def train(campaign: Campaign, annotator: User) -> None:
    """Add a training pair that the annotator has answered."""
    one, other = campaign.dataset.contexts.last().candidates.order_by("position")[:2]
    explanation = "It names the place."
    pair = TrainingPair.objects.create(
        campaign=campaign,
        attribute=campaign.attributes.get(),
        one=one,
        other=other,
        answer="one",
        explanation=explanation,
        position=0,
    )
    TrainingAnswer.objects.create(pair=pair, annotator=annotator, choice="tie", swapped=False)


@dataclass(frozen=True)
class Opened:
    """The answer of an address to somebody. Files, parts of pages and refusals are no page; a form is no refusal."""

    address: str
    status: int
    is_page: bool

    @property
    def is_refused(self) -> bool:
        return self.status >= 400 and self.status != FORMS_ALONE


def opened_by(client: Client, rows: Rows, but_for: Collection[str] = ()) -> dict[str, Opened]:
    """Return name -> what a client gets at each address. but_for: names of addresses that it does not open."""
    addresses = dict(_addresses(rows)) | _uploads(client)
    return {name: _open(client, address) for name, address in addresses.items() if name not in but_for}


def _open(client: Client, address: str) -> Opened:
    answer = client.get(address)
    is_text = answer.status_code == 200 and answer.headers["Content-Type"].startswith("text/html")
    is_page = is_text and not answer.streaming and b"<!doctype html>" in answer.content[:200].lower()
    return Opened(address, answer.status_code, is_page)


def _addresses(rows: Rows) -> Iterator[tuple[str, str]]:
    for name, pattern in PATTERNS.items():
        known = dict(rows)
        if name.startswith("run-explanation"):
            known["run_id"] = rows["explained_run"]
        if name.startswith("frozen-report"):
            known["key"] = rows["report_key"]
        if name == "account_reset_password_from_key":
            known["key"] = rows["token"]
        parameters = pattern.pattern.converters
        if "upload_name" not in parameters:
            path = reverse(name, kwargs={parameter: known[parameter] for parameter in parameters})
            yield name, path + QUERIES.get(name, "").format(*rows["two_runs"])


def _uploads(client: Client) -> dict[str, str]:
    """Upload a dataset and a table; return the addresses to which the uploads lead."""
    files = {
        "dataset-preview": (
            "small.csv",
            b"context,context_text,candidate,text,overall\nc0,Article,a,A,1\nc0,Article,b,B,2\n",
        ),
        "dataset-mapping": ("annotations.csv", pair_with_systems().content),
    }
    answers = {
        name: client.post(reverse("dataset-upload"), {"files": SimpleUploadedFile(file, content)})
        for name, (file, content) in files.items()
    }
    return {name: answer.headers["Location"] for name, answer in answers.items() if answer.status_code == 302}
