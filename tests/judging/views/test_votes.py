"""Annotators' pages: the journey, who is turned away, and what must not be seen."""

import re

import pytest
from django.urls import reverse

from judging.models import Assignment, Candidate, Context, Vote
from judging.services.campaigns.campaign_setup import set_annotators
from judging.services.campaigns.guidelines import note_guidelines_read
from judging.services.campaigns.next_pair import next_pair
from tests.campaigns import let_time_pass, make_annotator, make_campaign, make_ready_campaign, prefer, vote
from tests.factories import make_dataset, make_run
from tests.judging.stored_votes import store_votes
from tests.judging.views.pages import page, posted_fields

pytestmark = pytest.mark.django_db


def test_annotator_reads_the_guidelines_once_then_votes_until_nothing_is_left(client, ann):
    campaign = make_campaign(make_dataset(candidates=(2, 2)), annotators=[ann], guidelines="**Mind** the facts.")

    first = client.get(reverse("annotate", args=[campaign.pk]), follow=True)
    assert first.redirect_chain == [(reverse("guidelines", args=[campaign.pk]), 302)]
    assert "<strong>Mind</strong> the facts." in first.content.decode()

    client.post(reverse("guidelines", args=[campaign.pk]), {"version": 1})
    for choice in ("first", "tie"):
        fields = posted_fields(page(client, "annotate", campaign.pk))
        let_time_pass(4000)
        answer = client.post(
            reverse("vote-record", args=[campaign.pk]), fields | {"choice": choice, "milliseconds": "4000"}
        )
        assert answer.url == reverse("annotate", args=[campaign.pk])

    assert "Thank you: no pairs left" in page(client, "annotate", campaign.pk)
    assert list(Vote.objects.values_list("choice", "seconds", "rater")) == [
        ("first", 4.0, ann.rater_name),
        ("tie", 4.0, ann.rater_name),
    ]


def test_the_last_page_says_whether_a_pair_may_come_back(client, ann):
    ben = make_annotator("ben")
    campaign = make_ready_campaign(ann, ben, dataset=make_dataset(candidates=(2, 2)), votes_per_pair=1)
    vote(campaign, ann)

    next_pair(campaign, annotator=ben)
    reserved = page(client, "annotate", campaign.pk)
    vote(campaign, ben)
    complete = page(client, "annotate", campaign.pk)

    may_come_back, comes_back_no_more = "have 1 open pair, which may come back", "No other pair needs votes of yours"
    assert [may_come_back in html for html in (reserved, complete)] == [True, False]
    assert [comes_back_no_more in html for html in (reserved, complete)] == [False, True]


def test_everybody_reads_the_guidelines_for_themselves(client, ann):
    campaign = make_campaign(annotators=[ann, make_annotator("ben")])
    note_guidelines_read(campaign, annotator=campaign.annotators.get(username="ben"))

    assert client.get(reverse("annotate", args=[campaign.pk])).url == reverse("guidelines", args=[campaign.pk])


def test_annotate_shows_the_texts_on_the_sides_that_are_stored(client, ann):
    campaign = make_ready_campaign(ann)

    html = page(client, "annotate", campaign.pk)

    shown = Assignment.objects.get()
    assert html.index(shown.first.text) < html.index(shown.second.text)
    assert page(client, "annotate", campaign.pk).index(shown.first.text) == html.index(shown.first.text)


def test_annotate_asks_with_the_wording_of_prompts(client, ann):
    campaign = make_ready_campaign(ann, dataset=make_dataset(attributes=("coherence",)))

    html = page(client, "annotate", campaign.pk)

    assert "<title>Which summary is more coherent? · Evenhand</title>" in html


def test_annotate_marks_an_empty_text(client, ann):
    dataset = make_dataset(candidates=(2,))
    Candidate.objects.filter(key="a").update(text="")
    campaign = make_ready_campaign(ann, dataset=dataset)

    assert page(client, "annotate", campaign.pk).count("The text is empty.") == 1


def test_annotate_escapes_texts(client, ann):
    dataset = make_dataset(candidates=(2,))
    Candidate.objects.update(text="<script>alert(1)</script>")
    campaign = make_ready_campaign(ann, dataset=dataset)

    html = page(client, "annotate", campaign.pk)

    assert "<script>alert" not in html
    assert html.count("&lt;script&gt;alert(1)&lt;/script&gt;") == 2


def test_guidelines_let_no_html_through(client, ann):
    campaign = make_campaign(
        annotators=[ann], guidelines="<script>alert(1)</script> [x](javascript:alert(1)) ![y](https://e.org/y.png)"
    )

    html = page(client, "guidelines", campaign.pk)

    assert "<script>alert" not in html
    assert 'href="javascript' not in html
    assert "https://e.org" not in html


def test_annotator_sees_neither_systems_nor_votes_of_others(client, ann):
    """Everything that could leak has a telling name; none of it may be in a page or an address."""
    ben = make_annotator("benvolio")
    dataset = make_dataset("secret-dataset", candidates=(2, 2))
    Context.objects.update(subset="secret-subset", reference="secret-reference")
    for candidate in Candidate.objects.all():
        candidate.key, candidate.system = f"secret-key-{candidate.pk}", f"secret-system-{candidate.pk}"
        candidate.save()
    for context in Context.objects.all():
        context.key = f"secret-context-{context.pk}"
        context.save()
    make_run(dataset)
    make_campaign(dataset, name="secret-campaign", annotators=[ben])
    campaign = make_ready_campaign(ann, ben, dataset=dataset, name="Ours", votes_per_pair=2)
    prefer(campaign, ben, earlier=True)
    prefer(campaign, ben, earlier=False)
    vote(campaign, ann)
    next_pair(campaign, annotator=ann)
    own = ann.votes.get().assignment

    pages = [
        page(client, "home"),
        page(client, "campaign-list"),
        page(client, "guidelines", campaign.pk),
        page(client, "annotate", campaign.pk),
        page(client, "vote-list", campaign.pk),
        page(client, "vote-change", campaign.pk, own.key),
    ]

    for html in pages:
        assert "secret" not in html
        assert "benvolio" not in html
        assert ben.rater_name not in html
        assert "agree" not in html.lower()
    ids = set(map(str, Candidate.objects.values_list("pk", flat=True)))
    values = set(re.findall(r'(?:value|id|name|data-(?!keys)[a-z-]+)="([^"]*)"', pages[3]))
    assert not ids & (values - {"0", "1", "2"})


def test_vote_on_another_annotators_pair_is_refused_with_a_message(client, ann):
    ben = make_annotator("ben")
    campaign = make_ready_campaign(ann, ben)
    his = next_pair(campaign, annotator=ben)

    response = client.post(
        reverse("vote-record", args=[campaign.pk]),
        {"pair": str(his.key), "first": his.first_name, "second": his.second_name, "choice": "first"},
        follow=True,
    )

    assert "This page is out of date. Nothing was saved; please answer again." in response.content.decode()
    assert Vote.objects.count() == 0


def test_vote_that_differs_from_the_form_is_refused_with_a_message(client, ann):
    campaign = make_ready_campaign(ann)
    fields = posted_fields(page(client, "annotate", campaign.pk)) | {"choice": "first"}

    for spoiled in ({"first": "x"}, {"pair": "x"}, {"choice": ""}, {"milliseconds": "soon"}):
        response = client.post(reverse("vote-record", args=[campaign.pk]), fields | spoiled, follow=True)

        assert "This page is out of date. Nothing was saved; please answer again." in response.content.decode()
    assert Vote.objects.count() == 0


def test_a_vote_posted_twice_is_one_vote_and_no_complaint(client, ann):
    campaign = make_ready_campaign(ann)
    fields = posted_fields(page(client, "annotate", campaign.pk)) | {"choice": "first"}

    responses = [client.post(reverse("vote-record", args=[campaign.pk]), fields, follow=True) for _ in range(2)]

    assert Vote.objects.count() == 1
    assert [list(response.context["messages"]) for response in responses] == [[], []]


def test_a_campaign_without_ties_offers_none(client, ann):
    campaign = make_ready_campaign(ann, allow_ties=False)

    assert 'value="tie"' not in page(client, "annotate", campaign.pk)


def test_undo_shows_the_last_pair_again_with_the_same_sides(client, ann):
    campaign = make_ready_campaign(ann)
    voted = vote(campaign, ann)

    client.post(reverse("pair-reopen", args=[campaign.pk]), {"pair": str(voted.assignment.key)})

    fields = posted_fields(page(client, "annotate", campaign.pk))
    assert (fields["pair"], fields["first"]) == (str(voted.assignment.key), voted.assignment.first_name)
    assert Vote.objects.count() == 0


def test_undo_shows_the_answer_that_was_withdrawn_with_its_details(client, ann):
    campaign = make_ready_campaign(ann, strength_levels=3, confidence_levels=2, take_comments=True)
    fields = posted_fields(page(client, "annotate", campaign.pk))
    details = {"choice": "tie", "strength": "3", "confidence": "2", "comment": "Both <wrong>"}
    client.post(reverse("vote-record", args=[campaign.pk]), fields | details)

    client.post(reverse("pair-reopen", args=[campaign.pk]), {"pair": fields["pair"]})

    html = page(client, "annotate", campaign.pk)
    pressed = re.findall(r'value="([a-z]+)"[^>]* aria-pressed="true"', html)
    assert (pressed, re.findall(r'name="(\w+)" value="(.)" checked', html)) == (
        ["tie"],
        [("strength", "3"), ("confidence", "2")],
    )
    assert "Both &lt;wrong&gt;</textarea>" in html


def test_the_next_pair_and_a_pair_whose_skip_was_undone_show_no_answer(client, ann):
    campaign = make_ready_campaign(ann, take_comments=True)
    vote(campaign, ann)
    after_a_vote = page(client, "annotate", campaign.pk)
    key = posted_fields(after_a_vote)["pair"]
    client.post(reverse("pair-skip", args=[campaign.pk]), {"pair": key, "reason": "subject"})
    client.post(reverse("pair-reopen", args=[campaign.pk]), {"pair": key})

    after_an_undo = page(client, "annotate", campaign.pk)

    assert posted_fields(after_an_undo)["pair"] == key
    for html in (after_a_vote, after_an_undo):
        assert 'aria-pressed="true"' not in html


def test_skip_needs_a_reason_and_leads_to_the_next_pair(client, ann):
    campaign = make_ready_campaign(ann)
    key = posted_fields(page(client, "annotate", campaign.pk))["pair"]

    without = client.post(reverse("pair-skip", args=[campaign.pk]), {"pair": key}, follow=True).content.decode()
    client.post(reverse("pair-skip", args=[campaign.pk]), {"pair": key, "reason": "subject"})

    assert "Please choose why you skip the pair." in without
    assert Assignment.objects.get(key=key).skip_reason == "subject"
    assert posted_fields(page(client, "annotate", campaign.pk))["pair"] != key


def test_single_keys_are_switched_per_person(client, ann):
    campaign = make_ready_campaign(ann)
    back = reverse("annotate", args=[campaign.pk])
    before = page(client, "annotate", campaign.pk)

    assert client.post(reverse("single-keys"), {"single_keys": "off", "next": back}).url == back
    after = page(client, "annotate", campaign.pk)
    assert ("press_by_key.js" in before, "press_by_key.js" in after) == (True, False)


@pytest.mark.parametrize("back", ["", "https://e.org/", "//e.org/", "nowhere"])
def test_single_keys_lead_back_to_pages_of_this_site_only(client, ann, back):
    assert client.post(reverse("single-keys"), {"single_keys": "on", "next": back}).url == reverse("home")


def test_annotate_suggests_a_break_after_fifty_answers_until_it_is_dismissed(client, ann):
    campaign = make_ready_campaign(ann, dataset=make_dataset(candidates=(12,)))
    store_votes(campaign, ann, [None] * 49)
    before = page(client, "annotate", campaign.pk)
    for _ in range(2):
        vote(campaign, ann)
    shown = page(client, "annotate", campaign.pk)

    client.post(reverse("break-dismiss", args=[campaign.pk]))

    assert "take a break?" not in before
    assert "51 answers: take a break?" in shown
    assert "take a break?" not in page(client, "annotate", campaign.pk)


def test_annotate_names_the_candidates_by_the_noun_of_the_dataset_and_asks_the_question_of_the_campaign(client, ann):
    campaign = make_ready_campaign(ann, questions={"coherence": "Which one would you rather read?"})

    html = page(client, "annotate", campaign.pk)

    assert "<title>Which one would you rather read? · Evenhand</title>" in html
    assert '<h2 id="text-1">Summary 1</h2>' in html
    assert "Text 1" not in html


def test_visible_time_is_added_up_until_the_vote(client, ann):
    campaign = make_ready_campaign(ann)
    fields = posted_fields(page(client, "annotate", campaign.pk))
    let_time_pass(8000)
    for milliseconds in ("5000", "1500"):
        report = client.post(
            reverse("visible-time", args=[campaign.pk]), {"pair": fields["pair"], "milliseconds": milliseconds}
        )
        assert report.status_code == 204

    client.post(reverse("vote-record", args=[campaign.pk]), fields | {"choice": "first", "milliseconds": "556"})
    client.post(reverse("visible-time", args=[campaign.pk]), {"pair": fields["pair"], "milliseconds": "9000"})

    assert Vote.objects.get().seconds == 7.056
    assert Assignment.objects.get(key=fields["pair"]).visible_milliseconds == 7056


def test_visible_time_of_pairs_of_others_is_not_changed(client, ann):
    ben = make_annotator("ben")
    campaign = make_ready_campaign(ann, ben)
    his = next_pair(campaign, annotator=ben)

    client.post(reverse("visible-time", args=[campaign.pk]), {"pair": str(his.key), "milliseconds": "9000"})

    his.refresh_from_db()
    assert his.visible_milliseconds == 0


@pytest.mark.parametrize("name", ["vote-record", "pair-skip", "pair-reopen"])
def test_somebody_who_was_removed_reads_that_the_answer_was_not_saved(client, ann, name):
    campaign = make_ready_campaign(ann)
    fields = posted_fields(page(client, "annotate", campaign.pk)) | {"choice": "first", "reason": "other"}
    set_annotators(campaign, annotators=[])

    response = client.post(reverse(name, args=[campaign.pk]), fields)

    assert response.status_code == 403
    assert "Your last answer was not saved" in response.content.decode()
    assert "The answers that you gave before are kept." in response.content.decode()
    assert Vote.objects.count() == 0


@pytest.mark.parametrize("others", [0, 6])
def test_annotate_needs_the_same_queries_for_any_number_of_pairs_and_votes(
    client, ann, others, django_assert_max_num_queries
):
    people = [make_annotator(f"person-{number}") for number in range(others)]
    campaign = make_ready_campaign(ann, *people, dataset=make_dataset(candidates=(4 + others,)), votes_per_pair=9)
    for person in people:
        vote(campaign, person)
    page(client, "annotate", campaign.pk)

    with django_assert_max_num_queries(15):
        page(client, "annotate", campaign.pk)
    vote(campaign, ann)
    with django_assert_max_num_queries(22):  # it reserves the next pair; one more query if the sides are balanced
        page(client, "annotate", campaign.pk)


def test_the_page_offers_the_answers_that_the_campaign_allows(client, ann):
    campaign = make_ready_campaign(ann, allow_both_bad=True, allow_cannot_judge=True, strength_levels=3)
    plain = make_ready_campaign(ann, name="Plain")

    html = page(client, "annotate", campaign.pk)

    assert [f'value="{choice}"' in html for choice in ("both-bad", "cannot-judge")] == [True, True]
    assert html.count('name="strength"') == 4
    assert "both-bad" not in page(client, "annotate", plain.pk)
    assert 'name="strength"' not in page(client, "annotate", plain.pk)


def test_a_vote_stores_strength_and_comment_and_shows_them_for_a_change(client, ann):
    campaign = make_ready_campaign(ann, strength_levels=3, confidence_levels=2, take_comments=True)
    fields = posted_fields(page(client, "annotate", campaign.pk))
    details = {"choice": "first", "strength": "3", "confidence": "", "comment": "Much <clearer>"}

    client.post(reverse("vote-record", args=[campaign.pk]), fields | details)

    given = Vote.objects.get()
    assert (given.strength, given.confidence, given.comment) == (3, None, "Much <clearer>")
    html = page(client, "vote-change", campaign.pk, given.assignment.key)
    assert 'name="strength" value="3" checked' in html
    assert "Much &lt;clearer&gt;</textarea>" in html
