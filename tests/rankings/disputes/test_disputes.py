"""Disputed pairs of a campaign: which pairs they are, by page, API and command."""

import pytest
from django.urls import reverse

from judging.models import Comparison, PairDecision, Vote
from judging.services.campaigns.vote_exclusions import exclude_rater
from tests.campaigns import make_campaign
from tests.commands import printed_json
from tests.factories import answer_run, make_dataset, make_run
from tests.rankings.disputes.disputed_campaign import campaign_with_votes
from tests.rankings.pages import hide, read
from tests.rankings.report.report_figures import disputes_json

pytestmark = pytest.mark.django_db

AGREED, OPPOSED, HALF_TIED = "c0", "c1", "c2"
THREE_PEOPLE = (
    {AGREED: "a", OPPOSED: "a", HALF_TIED: "a"},
    {AGREED: "a", OPPOSED: "b", HALF_TIED: "a"},
    {AGREED: "a", OPPOSED: "tie", HALF_TIED: "tie"},
)


@pytest.fixture
def campaign(researcher):
    """Three people agree on c0, give three answers to c1, and two of them prefer a on c2."""
    return campaign_with_votes(*THREE_PEOPLE, created_by=researcher)


def contexts_of(report):
    return [pair["context"] for pair in report["pairs"]]


def test_disputes_are_the_pairs_with_different_votes_the_most_disputed_first(campaign, capsys):
    report = disputes_json(campaign)

    assert contexts_of(report) == [OPPOSED, HALF_TIED]
    assert (report["compared"], report["disputed"], report["chosen"]) == (3, 2, 2)
    assert [pair["disagreement"] for pair in report["pairs"]] == pytest.approx([1, 2 / 3])
    first = report["pairs"][0]
    assert (first["for_first"], first["for_second"], first["ties"]) == (1, 1, 1)


def test_disputes_are_filtered(campaign, capsys):
    chosen = {
        ("kind", ("opposed",)): [OPPOSED],
        ("kind", ("split",)): [OPPOSED],
        ("context", HALF_TIED): [HALF_TIED],
        ("system", "system-a"): [OPPOSED, HALF_TIED],
        ("system", "system-z"): [],
        ("rater", "nobody"): [],
    }

    assert {one: contexts_of(disputes_json(campaign, **dict([one]))) for one in chosen} == chosen


def test_votes_are_told_by_candidate_however_the_pair_was_shown(campaign, capsys):
    Vote.objects.filter(context__key=OPPOSED).update(comment="hard")

    pair = disputes_json(campaign, kind=["opposed"])["pairs"][0]

    names = {f"p{number}": person.rater_name for number, person in enumerate(campaign.annotators.order_by("username"))}
    choices = {vote["rater"]: vote["choice"] for vote in pair["votes"]}
    assert choices == {names["p0"]: "first", names["p1"]: "second", names["p2"]: "tie"}
    assert {vote["comment"] for vote in pair["votes"]} == {"hard"}


def test_an_excluded_vote_makes_no_dispute_and_is_listed(campaign, capsys):
    rater = Vote.objects.filter(context__key=HALF_TIED, choice="tie").get().rater

    exclude_rater(campaign.dataset, rater=rater, reason="guessed")

    report = disputes_json(campaign)
    assert contexts_of(report) == [OPPOSED]
    assert [vote["excluded"] for vote in report["pairs"][0]["votes"]] == [False, False, True]


def test_votes_of_another_campaign_make_no_dispute(researcher, capsys):
    campaign = campaign_with_votes({AGREED: "a"}, {AGREED: "a"}, contexts=1)
    other = make_campaign(campaign.dataset, name="Other")

    assert disputes_json(campaign)["disputed"] == 0
    assert disputes_json(other)["compared"] == 0


def test_judges_stand_beside_the_votes_in_both_orders_with_their_texts(campaign, capsys):
    run = answer_run(make_run(campaign.dataset), p_first=0.7)
    of_both_orders = disputes_json(campaign)["pairs"][0]["judges"][0]
    assert of_both_orders["p_first_swapped"] == pytest.approx(0.3)  # of the first candidate
    asked = Comparison.objects.filter(run=run, context__key=OPPOSED)
    asked.filter(first__key="a").update(text="The first one is clearer.")
    asked.filter(first__key="b").update(outcome="unparsed", p_first=None, text="Both.")

    pair = disputes_json(campaign, kind=["opposed"])["pairs"][0]

    [judge] = pair["judges"]
    assert (judge["run"], judge["p_first"], judge["p_first_swapped"]) == (run.pk, 0.7, None)
    assert judge["explanations"] == [
        {"title": "Generated text, a first", "text": "The first one is clearer."},
        {"title": "Generated text, b first", "text": "Both."},
    ]


def test_page_has_votes_judges_and_a_link_to_their_answers(client, campaign):
    run = answer_run(make_run(campaign.dataset, owner=campaign.created_by))

    page = read(client, "campaign-disputes", campaign)

    answers = reverse("run-answers", args=[run.pk])
    assert "People disagree on 2 of 3 pairs with two votes or more" in page
    assert f"{answers}?context={OPPOSED}&amp;candidate=a&amp;other=b" in page
    assert len(client.get(f"{answers}?context={OPPOSED}&candidate=a&other=b").context["entries"]) == 1


def test_page_filters_and_hides_runs_of_others(client, campaign):
    run = answer_run(make_run(campaign.dataset))
    hide(run)

    page = read(client, "campaign-disputes", campaign, kind="split")

    assert "<strong>1</strong> of 2 disputed pairs match." in page
    assert "Judges: P(A better)" not in page


@pytest.mark.parametrize("pairs", [1, 4])
def test_page_needs_the_same_queries_for_any_number_of_pairs(client, researcher, pairs, django_assert_max_num_queries):
    contexts = [f"c{number}" for number in range(pairs)]
    campaign = campaign_with_votes(dict.fromkeys(contexts, "a"), dict.fromkeys(contexts, "b"), contexts=pairs)
    answer_run(make_run(campaign.dataset, owner=researcher))

    with django_assert_max_num_queries(21):
        assert len(client.get(reverse("campaign-disputes", args=[campaign.pk])).context["entries"]) == pairs


def test_api_gives_the_report_and_a_part_of_it(client, campaign):
    answer_run(make_run(campaign.dataset, owner=campaign.created_by))
    address = reverse("api-campaign-disputes", args=[campaign.pk])

    assert client.get(address).json() == disputes_json(campaign)
    assert contexts_of(client.get(address, {"limit": 1, "offset": 1}).json()) == [HALF_TIED]
    assert "there is no run 99" in client.get(address, {"run": 99}).content.decode()


def test_campaign_without_two_votes_on_a_pair_has_no_disputes(client, researcher, capsys):
    campaign = make_campaign(make_dataset(owner=researcher))

    assert "No pair has two votes yet" in read(client, "campaign-disputes", campaign)


def decide_by_page(client, campaign, **pair):
    client.post(reverse("campaign-decide", args=[campaign.pk]), {name: value or "" for name, value in pair.items()})


def decide_by_api(client, campaign, **pair):
    address = reverse("api-campaign-decisions", args=[campaign.pk])
    client.post(address, {"pairs": [pair]}, content_type="application/json")


@pytest.mark.parametrize("decide", [decide_by_page, decide_by_api])
def test_a_decision_stands_apart_from_votes_is_replaced_and_taken_back(campaign, client, researcher, capsys, decide):
    client.force_login(researcher)
    told, others = [], []

    for answer in ("first", "tie", None):
        decide(client, campaign, context=OPPOSED, first="b", second="a", answer=answer, explanation="Both err.")
        report = disputes_json(campaign)
        told.append([(pair.pop("decision"), pair.pop("decision_reason")) for pair in report["pairs"]])
        others.append(report)

    assert told == [[("second", "Both err."), ("", "")], [("tie", "Both err."), ("", "")], [("", ""), ("", "")]]
    assert others[0] == others[1] == others[2]
    assert Vote.objects.count() == 9


def test_decisions_are_labels_of_a_dataset_that_they_are_imported_into(campaign, client, researcher, tmp_path, capsys):
    client.force_login(researcher)
    for context, first, second in ((OPPOSED, "b", "a"), (HALF_TIED, "a", "b")):
        decide_by_page(client, campaign, context=context, first=first, second=second, answer="first", explanation="")
    labels, file = make_dataset(candidates=(2, 2, 2), name="Labels"), tmp_path / "decisions.csv"

    file.write_bytes(client.get(reverse("campaign-decisions", args=[campaign.pk])).getvalue())
    printed_json(capsys, "import_votes", str(file), "--dataset", labels.name)

    votes = Vote.objects.in_figures().filter(attribute__dataset=labels).order_by("pk")
    assert list(votes.values_list("context__key", "first__key", "choice", "rater")) == [
        (OPPOSED, "a", "second", "adjudicated"),
        (HALF_TIED, "a", "first", "adjudicated"),
    ]
    rows = client.get(reverse("api-campaign-decisions", args=[campaign.pk])).json()
    assert {row["decided_by"] for row in rows} == {researcher.username}


@pytest.mark.parametrize(
    ("pair", "problem"),
    [
        ({"answer": "third"}, "on b and a of c1 — give first, second, tie, or none"),
        ({"context": "c9"}, "is not in the dataset"),
        ({"explanation": "x" * 2_001}, "write at most 2,000 characters"),
    ],
)
def test_a_decision_that_is_none_is_refused(campaign, client, researcher, pair, problem):
    client.force_login(researcher)
    sent = {"context": OPPOSED, "first": "b", "second": "a", "answer": "first"} | pair

    answer = client.post(reverse("campaign-decide", args=[campaign.pk]), sent, follow=True)

    assert problem in answer.content.decode()
    assert not PairDecision.objects.exists()
