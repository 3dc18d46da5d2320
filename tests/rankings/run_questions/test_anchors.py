"""How much a ranking depends on its anchor, by command, page and API."""

import pytest
from django.urls import reverse

from judging.models import Attribute, Candidate, Comparison, HumanScore, Run
from judging.services.plans.selection_settings import SelectionSettings
from tests.commands import printed_json, refused
from tests.factories import answer_run, make_dataset, make_run
from tests.rankings.pages import read
from tests.rankings.studies import make_dataset as make_study
from tests.rankings.studies import one_context, scored

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("forget_reports")]


def scored_dataset(*, candidates=5):
    """Two contexts whose texts people score by their letter: a above b above c …"""
    dataset = make_dataset(candidates=(candidates,) * 2)
    attribute = Attribute.objects.get(dataset=dataset)
    HumanScore.objects.bulk_create(
        HumanScore(candidate=candidate, attribute=attribute, value=-ord(candidate.key))
        for candidate in Candidate.objects.filter(context__dataset=dataset)
    )
    return dataset


def judged(dataset, **selection):
    """A run whose judge prefers earlier letters, but finds everything equal to the last one."""
    run = answer_run(make_run(dataset, selection=SelectionSettings(**selection)))
    last = Candidate.objects.filter(context__dataset=dataset).order_by("-key").first().key
    for answer in run.comparisons.select_related("first", "second"):
        keys = answer.first.key, answer.second.key
        gap = 0.0 if last in keys else 0.1 * (ord(keys[1]) - ord(keys[0]))
        Comparison.objects.filter(pk=answer.pk).update(p_first=0.5 + gap)
    return run


def test_an_anchor_that_equals_all_others_tells_nothing(capsys):
    report = printed_json(capsys, "anchors", judged(scored_dataset()).pk)

    anchors = {row["anchor"]: row for row in report["anchors"]}
    assert [row["rank"] for row in report["anchors"]] == sorted(row["rank"] for row in report["anchors"])
    assert anchors["system-e"]["spearman"]["value"] == 0
    assert (anchors["system-e"]["largest_move"], anchors["system-e"]["moved"]) == (2, ["system-a", "system-d"])
    assert anchors["system-b"]["spearman"]["value"] > 0.9
    assert all(row["comparisons"] == 2 * 8 for row in report["anchors"])
    assert anchors["system-b"]["people"]["value"] > anchors["system-e"]["people"]["value"] == 0
    assert report["not_anchors"] == []
    assert {row["system"] for row in report["systems"]} == {f"system-{letter}" for letter in "abcde"}


def test_texts_without_a_system_are_no_anchor_and_name_no_other(capsys):
    run = judged(scored_dataset())
    Candidate.objects.filter(key="a").update(system="")

    report = printed_json(capsys, "anchors", run.pk)

    assert report["systems"][0]["system"] == "system-b"
    assert {row["system"] for row in report["systems"]} == {f"system-{letter}" for letter in "bcde"}
    assert {row["anchor"] for row in report["anchors"]} == {f"system-{letter}" for letter in "bcde"}


def test_a_system_without_answers_has_no_rank_and_moves_no_other(capsys):
    run = judged(scored_dataset())
    answers = run.comparisons.filter(first__key__in="abcd", second__key__in="abcd")
    run.comparisons.exclude(pk__in=answers).delete()

    report = printed_json(capsys, "anchors", run.pk)

    assert [(row["system"], row["rank"]) for row in report["systems"]] == [
        (f"system-{letter}", rank) for rank, letter in enumerate("abcd", start=1)
    ]
    assert report["not_anchors"] == ["system-e"]


def test_ranks_spread_over_the_anchors(capsys):
    report = printed_json(capsys, "anchors", judged(scored_dataset()).pk)

    assert all(row["best"] <= row["worst"] for row in report["systems"])
    first = report["systems"][0]
    assert (first["system"], first["rank"], first["best"]) == ("system-a", 1.0, 1.0)
    assert first["worst"] == 3.0  # by the anchor that equals all others, every system has the middle rank


def test_run_of_one_anchor_names_the_systems_that_are_no_anchors(capsys):
    run = judged(scored_dataset(), rule="anchor", anchor="system-b")

    report = printed_json(capsys, "anchors", run.pk)

    assert [row["anchor"] for row in report["anchors"]] == ["system-b"]
    assert report["anchors"][0]["spearman"]["value"] == pytest.approx(1.0)
    assert report["not_anchors"] == ["system-a", "system-c", "system-d", "system-e"]


def test_impossible_reports_are_refused(capsys):
    scores = scored(make_study(one_context(3, 2, 1)), "context,attribute,candidate,score\nc0,overall,a,1\n")
    pairs, unasked = judged(make_dataset("Pairs", candidates=(2, 2))), make_run(make_dataset("Unasked"))
    few = judged(make_dataset("Few", candidates=(6,)), rule="no-repeat", comparisons=5)

    assert refused(capsys, "anchors", scores.pk) == [f"run: {scores.pk} gives scores; it compares no text with another"]
    assert refused(capsys, "anchors", unasked.pk) == [f"run: {unasked.pk} has no answer yet"]
    Run.objects.filter(pk=unasked.pk).update(selection="null-pairs")
    assert refused(capsys, "anchors", unasked.pk) == [
        f"run: {unasked.pk} compares texts with themselves; see its diagnostics"
    ]
    assert refused(capsys, "anchors", pairs.pk) == [
        f"run: {pairs.pk} compares 2 named systems; an anchor needs at least two others"
    ]
    assert refused(capsys, "anchors", few.pk) == [
        f"run: {few.pk} compares no system with every other; judge more pairs, or choose selection full"
    ]


@pytest.mark.usefixtures("researcher")
def test_page_shows_anchors_and_the_spread_of_ranks_by_the_chosen_ranking(client):
    run = judged(scored_dataset())

    page = read(client, "run-anchors", run)
    by_wins = client.get(reverse("run-anchors", args=[run.pk]), {"ranking": "win-ratio"}).content.decode()

    assert "One anchor needs 40.0\u202f% of the comparisons." in page
    assert "Ranks of each system over all anchors" in page
    assert '<option value="win-ratio" selected>' in by_wins
    assert "compares 2 named systems" in read(client, "run-anchors", judged(make_dataset("Pairs", candidates=(2,))))
