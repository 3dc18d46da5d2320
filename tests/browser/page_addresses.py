"""The addresses of every page that somebody may open, from the URL patterns. Each parameter gets a row that exists."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import URLPattern, reverse

import evalsite.urls
import judging.urls
import rankings.urls
from judging.models import Campaign, Enrolment, TrainingAnswer, TrainingPair, User
from judging.services.accounts.account_links import password_link
from judging.services.invitations.invitation_setup import create_invitation
from judging.services.studies.study_changes import create_study
from rankings.frozen.stored_reports import freeze_study
from rankings.frozen.table_queries import table_choice
from rankings.studies.study_choice import runs_of_study
from tests.campaigns import make_ready_campaign, vote
from tests.evenhand.formats.people_tables import pair_with_systems
from tests.factories import answer_run, make_judge, make_prompt, make_run, make_user
from tests.rankings.agreement.panels import judged, voted_dataset
from tests.rankings.audits.explained_runs import explained_run

Rows = Mapping[str, object]
LONG_NAME = "judges_may_have_long_names_without_a_space_anywhere_in_them"
CHECKED_ELSEWHERE = {"docs", "docs-page"}
FORMS_ALONE = 405  # the status of an address that only takes a form
PATTERNS = {
    pattern.name: pattern
    for pattern in (*judging.urls.urlpatterns, *rankings.urls.urlpatterns, *evalsite.urls.urlpatterns)
    if isinstance(pattern, URLPattern) and pattern.name not in CHECKED_ELSEWHERE
}


def make_rows(*, researcher: User, annotator: User) -> Rows:
    """Make a row for each parameter of an address. The annotator has voted once in the campaign."""
    dataset = voted_dataset(contexts=4)
    run = answer_run(make_run(dataset, judge=make_judge(LONG_NAME), owner=researcher))
    runs = [run, judged(dataset, "careful"), judged(dataset, "hasty")]
    study = create_study("Table 1", owner=researcher, runs=runs)
    report = freeze_study(study, runs_of_study(study), [table_choice("rows=judge&figure=accuracy", study, runs)])
    campaign = make_ready_campaign(annotator, dataset=dataset, created_by=researcher)
    invitation = create_invitation(campaign, admission="registration", created_by=researcher)
    enrolment = Enrolment.objects.create(campaign=campaign, annotator=annotator, invitation=invitation)
    train(campaign, annotator)
    _, _, _, key, token, _ = password_link(make_user("new", "annotator")).split("/")
    return {
        "dataset_id": dataset.pk,
        "context_id": dataset.contexts.first().pk,
        "run_id": run.pk,
        "judge_id": run.judge_id,
        "prompt_id": make_prompt(owner=researcher).pk,
        "study_id": study.pk,
        "campaign_id": campaign.pk,
        "account_id": annotator.pk,
        "invitation_id": invitation.pk,
        "enrolment_id": enrolment.pk,
        "code": invitation.code,
        "uidb64": key,
        "token": token,
        "key": vote(campaign, annotator).assignment.key,
        "ending": "csv",
        "place": 1,
        "number": 1,
        "request_ids": [1],
        "exclusion_id": 1,
        "explained_run": explained_run().pk,
        "report_key": report.key,
    }


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


def opened_by(client: Client, rows: Rows) -> dict[str, Opened]:
    """Return name -> what a client gets at each address."""
    addresses = dict(_addresses(rows)) | _uploads(client)
    return {name: _open(client, address) for name, address in addresses.items()}


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
        parameters = pattern.pattern.converters
        if "upload_name" not in parameters:
            yield name, reverse(name, kwargs={parameter: known[parameter] for parameter in parameters})


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
