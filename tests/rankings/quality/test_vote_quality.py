"""The quality of votes by command, page and API, and the exclusion of a person's votes."""

from collections import Counter
from datetime import timedelta

import numpy as np
import pytest
from django.db.models import F
from django.urls import reverse
from django.utils import timezone

from evenhand.formats.recorded.known_pairs import KnownPair
from judging.models import Attribute, Vote, VoteExclusion
from judging.services.campaign_pairs.gold_pairs import add_gold_pairs, list_gold_pairs
from judging.services.campaigns.next_pair import next_pair
from judging.services.campaigns.vote_exclusions import exclude_rater, restore_votes
from rankings.agreement.agreement_report import agreement_report
from rankings.quality.quality_report import quality_report
from rankings.report_cache import forget_figures
from tests import factories
from tests.campaigns import answer, make_annotator, make_ready_campaign, small_campaign, vote
from tests.commands import printed, printed_json, refused
from tests.factories import make_judge, make_run, make_user
from tests.rankings.agreement.panels import judged, voted_dataset
from tests.rankings.report.report_figures import quality_json
from tests.rankings.studies import make_dataset

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("forget_reports")]


def report_row(capsys, dataset):
    [row] = [row for row in printed_json(capsys, "report", "--dataset", dataset.name)["rows"] if row["subset"] == "all"]
    return row


def careless_dataset(**fields):
    """A dataset on which one of four people always votes for the worse text. Sides alternate."""
    candidates = [{"candidate": key, "text": key} for key in "ab"]
    contexts = [
        {"context": f"c{number}", "text": "Article", "candidates": candidates, "votes": votes_on(number % 2)}
        for number in range(30)
    ]
    return make_dataset(contexts, name="Careless", **fields)


def votes_on(swapped):
    first, second = "ba" if swapped else "ab"
    pair = {"attribute": "overall", "first": first, "second": second}
    right, wrong = ("second", "first") if swapped else ("first", "second")
    return [
        {**pair, "choice": wrong if rater == "wrong" else right, "rater": rater}
        for rater in ("h1", "h2", "h3", "wrong")
    ]


def test_report_has_figures_and_flags():
    careless_dataset()

    [report] = quality_json("Careless")

    wrong = report["raters"][0]
    assert (wrong["rater"], wrong["votes"], wrong["agreement"]["value"]) == ("wrong", 30, 0.0)
    assert wrong["flags"] == ["no-agreement"]
    assert wrong["closest"] in ("h1", "h2", "h3")
    assert report["alpha"]["value"] < 0.1
    assert wrong["alpha_without"]["value"] == 1.0


def test_report_counts_one_person():
    votes = [{"attribute": "overall", "first": "a", "second": "b", "choice": "first", "rater": "h1"}]
    candidates = [{"candidate": key, "text": key} for key in "ab"]
    make_dataset([{"context": "c", "text": "Article", "candidates": candidates, "votes": votes}], name="Alone")

    [report] = quality_json("Alone")

    assert (len(report["raters"]), report["alpha"]["value"]) == (1, None)


def test_excluding_a_person_moves_the_figures_to_those_without_their_votes_until_they_are_restored(capsys):
    dataset = voted_dataset()
    judged(dataset, "careful")
    before = report_row(capsys, dataset)

    exclusion = exclude_rater(dataset, rater="h4", reason="answered at random")
    after = report_row(capsys, dataset)
    restored, again = restore_votes(exclusion), report_row(capsys, dataset)

    Vote.objects.filter(rater="h4").delete()
    without = report_row(capsys, dataset)
    assert after["human"] == without["human"] != before["human"]
    assert after["excluded_votes"] == {
        "votes": 60,
        "raters": [{"rater": "h4", "votes": 60, "reason": "answered at random", "ratings": 0}],
        "ratings": 0,
    }
    assert (restored, again, restore_votes(exclusion)) == (60, before, 0)


def test_votes_that_were_excluded_before_stay_so_when_their_rater_is_restored():
    dataset = voted_dataset(contexts=2)
    one = Vote.objects.filter(rater="h1").first()
    Vote.objects.filter(pk=one.pk).update(excluded=True)

    restore_votes(exclude_rater(dataset, rater="h1", reason="too quick"))

    assert list(Vote.objects.filter(rater="h1", excluded=True)) == [one]


def test_votes_of_an_excluded_person_are_excluded_however_often_and_late_they_are_imported(capsys, tmp_path):
    dataset = careless_dataset()
    same, later = tmp_path / "same.csv", tmp_path / "later.csv"
    printed(capsys, "export_votes", "--dataset", "Careless", "--output", same)
    later.write_text(
        "context,attribute,first,second,choice,rater\nc0,overall,b,a,first,wrong\nc0,overall,b,a,second,h1\n"
    )
    exclude_rater(dataset, rater="wrong", reason="reads nothing")

    assert printed_json(capsys, "import_votes", same, "--dataset", "Careless")["votes"] == 0
    printed(capsys, "import_votes", later, "--dataset", "Careless")

    assert set(Vote.objects.filter(excluded=False).values_list("rater", flat=True)) == {"h1", "h2", "h3"}


def test_command_excludes_and_restores_a_known_person_with_a_reason(capsys):
    careless_dataset()

    change = ("exclude_votes", "--dataset", "Careless", "--rater")
    assert 'did you mean "wrong"?' in refused(capsys, *change, "rwong", "--reason", "careless")[0]
    assert "write why" in refused(capsys, *change, "wrong", "--reason", "  ")[0]
    assert not VoteExclusion.objects.exists()
    assert printed_json(capsys, *change, "wrong", "--reason", "reads nothing")["excluded"] == 30
    assert "is excluded already: reads nothing" in refused(capsys, *change, "wrong", "--reason", "again")[0]
    assert printed_json(capsys, *change, "wrong", "--restore")["restored"] == 30
    assert "is not excluded on Careless" in refused(capsys, *change, "wrong", "--restore")[0]


def test_accuracy_of_a_judge_has_intervals_over_contexts_people_and_both(capsys):
    dataset = voted_dataset()
    run = judged(dataset, "careful")

    [report] = quality_json("Panel")

    [row] = report["judges"]
    assert (row["run"], row["judge"], row["people"]) == (run.pk, "careful", 4)
    for kind in ("contexts", "people", "both"):
        figure = row[f"accuracy_over_{kind}"]
        assert figure["low"] <= figure["value"] <= figure["high"]
    assert row["without"]["rater"] in ("h1", "h2", "h3", "h4")


@pytest.mark.usefixtures("researcher")
def test_page_shows_how_the_accuracy_of_runs_with_answers_moves_with_other_people(client):
    dataset = voted_dataset()
    run = judged(dataset, "careful")
    make_run(dataset, attribute=run.attribute, judge=make_judge("waiting"))

    response = client.get(reverse("dataset-quality", args=[dataset.pk]))

    [row] = response.context["judges_table"].sections[0].rows
    assert row.name == "careful"
    assert [cell.plot is not None for cell in row.cells[:3]] == [True, True, True]
    assert "Judges against these people" in response.content.decode()


@pytest.mark.usefixtures("researcher")
def test_page_has_no_column_that_needs_several_people_where_one_voted(client):
    dataset = voted_dataset()
    Vote.objects.exclude(rater="h1").delete()
    judged(dataset, "careful")

    table = client.get(reverse("dataset-quality", args=[dataset.pk])).context["judges_table"]

    assert [heading.column.name for heading in table.headings] == ["accuracy_over_contexts"]
    assert any("fewer than two people voted" in note for note in table.notes)


def test_page_names_who_stands_out_and_excludes_them(client, researcher):
    dataset = careless_dataset(owner=researcher)
    address = reverse("dataset-quality", args=[dataset.pk])
    assert "wrong agrees with the others no more than chance" in client.get(address).content.decode()

    client.post(reverse("rater-exclude", args=[dataset.pk]), {"rater": "wrong", "reason": "reads nothing"})

    exclusion = VoteExclusion.objects.get()
    page = client.get(address).content.decode()
    assert "wrong: reads nothing" in page
    assert 'No: <span class="small soft">reads nothing</span>' in page
    assert "; those of 1 are excluded. No check of votes raises a flag about the others." in page
    client.post(reverse("votes-restore", args=[exclusion.pk]))
    assert "taken back" in client.get(address).content.decode()


def test_api_gives_the_figures_and_excludes(client, capsys, researcher):
    dataset = careless_dataset(owner=researcher)

    shown = client.get(f"/api/datasets/{dataset.pk}/quality/").json()
    report = quality_json("Careless")
    made = client.post(
        f"/api/datasets/{dataset.pk}/vote-exclusions/",
        {"rater": "wrong", "reason": "reads nothing"},
        content_type="application/json",
    )

    assert shown == report
    assert (made.status_code, made.json()["votes"]) == (201, 30)
    assert client.get(f"/api/datasets/{dataset.pk}/vote-exclusions/").json() == [made.json()]
    restored = client.delete(f"/api/vote-exclusions/{made.json()['id']}/").json()
    assert (restored["votes"], restored["restored_at"] is None) == (0, False)


def exclude_forms(client, dataset):
    """Return the options of the page's forms that exclude somebody's votes, and whether it offers to restore any."""
    page = client.get(reverse("dataset-quality", args=[dataset.pk])).content.decode()
    return page.count("<summary>Exclude</summary>"), "All on this dataset" in page, ">Restore<" in page


def test_votes_of_a_campaign_are_excluded_and_restored_by_who_created_it(client):
    olaf, ann, ben = make_user("olaf", "researcher"), make_annotator("ann"), make_annotator("ben")
    dataset = factories.make_dataset(owner=make_user("rita", "researcher"))
    campaign = make_ready_campaign(ann, dataset=dataset, name="Olaf's", created_by=olaf)
    other = make_ready_campaign(ann, ben, dataset=dataset, name="Rita's", created_by=dataset.owner)
    mine = vote(campaign, ann)
    vote(other, ann)
    vote(other, ben)
    client.force_login(olaf)
    ask = {"rater": ann.rater_name, "reason": "ill that day"}
    address = f"/api/datasets/{dataset.pk}/vote-exclusions/"

    def post(**fields):
        return client.post(address, ask | fields, content_type="application/json")

    assert exclude_forms(client, dataset) == (1, False, False)
    assert [post(campaign=one).status_code for one in ("", other.pk, "Rita's", 10**30)] == [404] * 4
    made = post(campaign=campaign.pk).json()
    assert (made["votes"], made["campaign"]) == (1, campaign.pk)
    assert list(Vote.objects.filter(excluded=True)) == [mine]
    by_owner = exclude_rater(dataset, rater=ben.rater_name, reason="too quick", campaign=other, user=dataset.owner)
    assert exclude_forms(client, dataset) == (1, False, True)
    assert client.delete(f"/api/vote-exclusions/{by_owner.pk}/").status_code == 404
    assert client.delete(f"/api/vote-exclusions/{made['id']}/").json()["votes"] == 0
    assert post(campaign="Olaf's").status_code == 201


def test_accuracy_on_random_pairs_counts_the_votes_on_held_out_pairs_alone(capsys, client):
    dataset = voted_dataset()
    judged(dataset, "careful")
    [before] = quality_json("Panel")[0]["judges"]
    held_out = Vote.objects.filter(context__key__in=("c0", "c1", "c2"))
    held_out.update(purpose="held-out")
    Attribute.objects.update(vote_changes=F("vote_changes") + 1)

    [judge] = quality_json("Panel")[0]["judges"]
    client.force_login(make_user("rita", "researcher"))
    page = client.get(reverse("dataset-quality", args=[dataset.pk])).content.decode()
    Vote.objects.exclude(purpose="held-out").delete()
    Attribute.objects.update(vote_changes=F("vote_changes") + 1)
    [alone] = quality_json("Panel")[0]["judges"]

    assert before["accuracy_on_random_pairs"]["value"] is None
    assert judge["accuracy_over_contexts"] == before["accuracy_over_contexts"]
    assert judge["accuracy_on_random_pairs"] == alone["accuracy_over_contexts"]
    assert judge["accuracy_on_random_pairs"]["n"] < judge["accuracy_over_contexts"]["n"]
    assert "on random pairs" in page


def voted_with_checks(*, right_on_gold):
    """One person votes on 30 pairs, repeats 6 of them and answers 8 gold pairs."""
    ann = make_annotator("ann")
    campaign = small_campaign(pairs=38, annotators=[ann], repeat_share=0.2, gold_share=1.0)
    add_gold_pairs(campaign, [KnownPair(f"c{number}", "a", "b", "first") for number in range(8)])
    rng = np.random.default_rng(3)
    while assignment := next_pair(campaign, annotator=ann, rng=rng):
        is_earlier = assignment.purpose == "ordinary" or (right_on_gold and assignment.purpose == "gold")
        answer(assignment, "second" if assignment.swapped == is_earlier else "first")
    return campaign


def test_repeats_and_gold_pairs_are_figures_of_a_person_and_count_nowhere_else(capsys, client):
    campaign = voted_with_checks(right_on_gold=False)

    [person] = quality_json(campaign.dataset.name)[0]["raters"]
    client.force_login(make_user("rita", "researcher"))
    page = client.get(reverse("dataset-quality", args=[campaign.dataset_id])).content.decode()

    assert (person["votes"], person["left_share"]["n"]) == (30, 30)
    assert (person["self_consistency"]["value"], person["self_consistency"]["n"]) == (0.0, 6)
    assert (person["gold_accuracy"]["value"], person["gold_accuracy"]["n"]) == (0.0, 8)
    assert person["flags"] == ["gold"]
    assert "misses the known answers of gold pairs" in page


def test_right_answers_to_gold_pairs_raise_no_flag_and_stay_what_they_are_in_a_file(capsys, tmp_path):
    dataset = voted_with_checks(right_on_gold=True).dataset
    votes = tmp_path / "votes.csv"

    def person():
        [found] = quality_json(dataset.name)[0]["raters"]
        return found

    assert (person()["gold_accuracy"]["value"], person()["flags"]) == (1.0, [])
    printed(capsys, "export_votes", "--dataset", dataset.name, "--output", votes)
    before = Counter(Vote.objects.values_list("purpose", flat=True))
    Vote.objects.all().delete()
    forget_figures()  # the number of votes will be the same
    printed(capsys, "import_votes", votes, "--dataset", dataset.name)

    assert Counter(Vote.objects.values_list("purpose", flat=True)) == before == {"ordinary": 30, "repeat": 6, "gold": 8}
    assert (person()["votes"], person()["self_consistency"]["n"]) == (30, 6)
    assert (person()["gold_accuracy"]["value"], person()["gold_accuracy"]["n"]) == (1.0, 8)


def figures_of_people(dataset):
    """Rater -> agreement, infit, drift, and the closest person."""
    [report] = [quality_report(attribute) for attribute in dataset.attributes.all()]
    return {row.rater: (row.agreement, row.infit, row.drift, row.closest) for row in report.raters}


def test_votes_keep_their_times_in_a_file_and_with_them_the_drift(capsys, tmp_path):
    dataset = voted_dataset()
    for number, one in enumerate(votes := list(Vote.objects.all())):
        one.voted_at = timezone.now() - timedelta(seconds=number)
    Vote.objects.bulk_update(votes, ["voted_at"])
    forget_figures()
    before, file = figures_of_people(dataset), tmp_path / "votes.csv"
    printed(capsys, "export_votes", "--dataset", dataset.name, "--output", file)
    Vote.objects.all().delete()
    forget_figures()

    printed(capsys, "import_votes", file, "--dataset", dataset.name)

    assert {rater: figures[2] for rater, figures in before.items() if figures[2].value} != {}
    assert figures_of_people(dataset) == before


def test_quality_compares_people_with_those_in_figures_as_the_page_of_agreement_does():
    dataset = voted_dataset()
    for number, one in enumerate(votes := list(Vote.objects.all())):
        one.voted_at = timezone.now() + timedelta(seconds=number)
    Vote.objects.bulk_update(votes, ["voted_at"])
    own_row = figures_of_people(dataset)["h4"]
    Vote.objects.filter(pk=Vote.objects.filter(rater="h1").first().pk).update(excluded=True)
    exclude_rater(dataset, rater="h4", reason="answered at random")

    after = figures_of_people(dataset)
    excluded_row = after.pop("h4")
    [agreement] = agreement_report(dataset, attributes=dataset.attributes.all(), runs=[]).attributes
    Vote.objects.filter(excluded=True).delete()
    forget_figures()

    assert {rater.name: rater.accuracy for rater in agreement.raters} == {name: row[0] for name, row in after.items()}
    assert after == figures_of_people(dataset)
    assert excluded_row[0].n == own_row[0].n > 50
    assert all(row[2].value is not None for row in after.values())


@pytest.mark.parametrize("unwilling", ["both-bad", "cannot-judge"])
def test_gold_pairs_answered_without_a_choice_are_answered_wrongly(unwilling):
    ann, ben = make_annotator("ann"), make_annotator("ben")
    rules = {"allow_both_bad": True, "allow_cannot_judge": True}
    campaign = small_campaign(pairs=8, annotators=[ann, ben], gold_share=1.0, **rules)
    add_gold_pairs(campaign, [KnownPair(f"c{number}", "a", "b", "first") for number in range(3)])
    for person in (ann, ben):
        while assignment := next_pair(campaign, annotator=person):
            is_unwilling = person == ben or assignment.pair.one.context.key == "c0"
            answer(assignment, unwilling if is_unwilling else "second" if assignment.swapped else "first")

    rows = {row.rater: row for row in quality_report(campaign.attributes.get()).raters}
    by_ann, by_ben = rows[ann.rater_name], rows[ben.rater_name]

    assert (by_ann.gold_accuracy.value, by_ann.gold_accuracy.n, by_ann.votes) == (pytest.approx(2 / 3), 3, 5)
    assert (by_ben.gold_accuracy.value, by_ben.gold_accuracy.n, by_ben.votes, by_ben.undecided) == (0.0, 3, 0, 5)
    assert [(pair.votes, pair.right) for pair in list_gold_pairs(campaign)] == [(2, 0), (2, 1), (2, 1)]
