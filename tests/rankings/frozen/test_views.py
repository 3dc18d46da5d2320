"""Frozen reports by page and API: making, reading by link, withdrawing."""

import pytest
from django.test import Client
from django.urls import reverse

from judging.models import FrozenReport, Study
from judging.services.studies.study_changes import create_study
from rankings.frozen.report_file import content_policy, data_in
from tests.factories import answer_run, make_dataset, make_run, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(researcher) -> Study:
    dataset = make_dataset(candidates=(3,), owner=researcher)
    return create_study("Table 2", runs=[answer_run(make_run(dataset, owner=researcher))], owner=researcher)


@pytest.fixture
def report(client, study) -> FrozenReport:
    client.post(reverse("study-reports", args=[study.pk]), {"title": "For the appendix", "tables": ["figure=p_first"]})
    return FrozenReport.objects.get()


def page_of(client, study, query=""):
    return client.get(f"{reverse('study-reports', args=[study.pk])}?{query}")


def test_page_offers_the_table_of_the_address_and_further_figures(client, study):
    form = page_of(client, study, "rows=judge&figure=p_first&sort=judge&part=1").context["form"]

    queries = [query for query, _ in form.fields["tables"].choices]
    assert queries[:2] == ["rows=judge&figure=p_first", "rows=judge&figure=accuracy"]
    assert form.initial["tables"] == queries[:1]


def test_page_offers_each_figure_once(client, study):
    titles = [title for _, title in page_of(client, study).context["form"].fields["tables"].choices]

    assert titles[:2] == ["Accuracy", "Right in both orders"]
    assert len(titles) == len(set(titles))


def test_report_opens_by_its_link_without_an_account(client, study):
    page = page_of(client, study)
    tables = [query for query, _ in page.context["form"].fields["tables"].choices][:2]
    client.post(reverse("study-reports", args=[study.pk]), {"title": "For the appendix", "tables": tables})

    report = FrozenReport.objects.get()
    answer = Client().get(report.get_absolute_url())

    assert answer.content.decode() == report.html
    assert report.html.count('<section id="table-') == 2
    assert answer.headers["Content-Security-Policy"] == content_policy(report.html)
    assert answer.headers["X-Robots-Tag"] == "noindex"


def test_page_freezes_charts_with_the_choices_of_their_tabs(client, study):
    query = "order=given&figure=p_first"
    page = page_of(client, study, query)
    charts = {title: query for query, title in page.context["form"].fields["charts"].choices}

    client.post(
        f"{reverse('study-reports', args=[study.pk])}?{query}",
        {"title": "With charts", "tables": page.context["form"].initial["tables"], "charts": [charts["Position bias"]]},
    )

    [chart] = data_in(FrozenReport.objects.get().html)["charts"]
    assert list(charts) == [
        "Curves",
        "Position bias",
        "By order",
        "Coverage",
        "Agreement",
        "Calibration",
        "Length",
        "Systems",
        "Matrix",
    ]
    assert (chart["title"], chart["query"]) == ("Position bias", "bias?order=given")


def test_report_needs_a_table(client, study):
    page = client.post(reverse("study-reports", args=[study.pk]), {"title": "Empty"}).content.decode()

    assert "This field is required." in page
    assert not FrozenReport.objects.exists()


def make_link_request(person: Client, report: FrozenReport, **form: str) -> int:
    return person.post(reverse("frozen-report-link", args=[report.key]), form).status_code


def client_of(name: str) -> Client:
    client = Client()
    client.force_login(make_user(name, "researcher"), backend="django.contrib.auth.backends.ModelBackend")
    return client


def test_withdrawn_link_leads_nowhere_until_it_is_opened_again(client, report):
    assert make_link_request(client, report) == 302
    assert Client().get(report.get_absolute_url()).status_code == 404

    make_link_request(client, report, open="")

    assert Client().get(report.get_absolute_url()).status_code == 200


def test_unknown_link_leads_nowhere():
    assert Client().get(reverse("frozen-report", args=["guessed"])).status_code == 404


def test_api_freezes_lists_and_withdraws(client, study):
    made = client.post(reverse("api-study-reports", args=[study.pk]), {"tables": ["rows=judge&figure=accuracy"]})
    key = made.json()["key"]

    listed = client.get(reverse("api-study-reports", args=[study.pk])).json()
    data = client.get(reverse("api-frozen-report", args=[key])).json()
    link = reverse("api-frozen-report", args=[key])
    withdrawn = client.patch(link, {"withdrawn": True}, content_type="application/json").json()

    assert (made.status_code, [report["name"] for report in listed]) == (201, ["Table 2"])
    assert data["tables"][0]["pivot"]["figure"] == "accuracy"
    assert withdrawn["withdrawn_at"]
    assert Client().get(made.json()["address"]).status_code == 404


def test_api_freezes_charts_and_refuses_unknown_ones(client, study):
    address = reverse("api-study-reports", args=[study.pk])

    made = client.post(address, {"charts": ["bias"]})
    refused = client.post(address, {"charts": ["bia"]})

    data = client.get(reverse("api-frozen-report", args=[made.json()["key"]])).json()
    assert [chart["query"] for chart in data["charts"]] == ["bias"]
    assert refused.status_code == 400
    assert refused.json()["problems"][0].startswith('chart: "bia" is unknown (did you mean "bias"?)')


def test_api_refuses_a_wrong_table_with_the_reason(client, study):
    answer = client.post(reverse("api-study-reports", args=[study.pk]), {"tables": ["rows=colour"]})

    assert answer.status_code == 400
    assert "colour" in answer.json()["problems"][0]
