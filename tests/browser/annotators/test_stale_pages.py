"""Pages in a browser whose campaign, vote or server changed in the meantime."""

from playwright.sync_api import expect

from judging.models import Assignment, Vote
from judging.services.campaigns.skips_and_undo import reopen_pair
from judging.services.invitations.consent import set_consent_text
from tests.browser.annotators.served_site import ServedSite
from tests.browser.voting import answers, open_pair, press_and_wait, rest, shown_texts
from tests.campaigns import expire, make_annotator, make_ready_campaign, vote
from tests.factories import make_dataset
from tests.servers import free_port


def test_a_vote_survives_a_restart_of_the_server(page, campaign):
    with ServedSite(free_port()) as site:
        page.goto(f"{site.address}/campaigns/{campaign.pk}/annotate/")
        rest(page)
        texts = shown_texts(page)
        site.stop()
        page.keyboard.press("b")
        expect(page.get_by_role("status")).to_contain_text("Not saved yet: the server cannot be reached.")
        assert answers() == []

        site.start()

        expect(page.locator(".so-far label")).to_contain_text("1 of 12 done")
        rest(page)
        press_and_wait(page, "u")
        assert shown_texts(page) == texts
        press_and_wait(page, "a")

    assert answers() == [(*texts, "first")]


def test_a_vote_on_a_pair_that_others_completed_is_refused_where_the_next_pair_appears(page, ann):
    ben = make_annotator("ben")
    dataset = make_dataset(candidates=(2, 2, 2))
    campaign = make_ready_campaign(ann, ben, dataset=dataset, votes_per_pair=1)
    open_pair(page, campaign)
    expire(Assignment.objects.get())
    for _ in range(2):
        vote(campaign, ben)

    press_and_wait(page, "a")

    expect(page.locator("ul.messages")).to_contain_text("This pair received all its votes from others in the meantime.")
    press_and_wait(page, "b")
    assert list(Vote.objects.order_by("pk").values_list("user", "choice"))[2:] == [(ann.pk, "second")]


def test_a_change_of_a_vote_that_was_withdrawn_in_another_tab_is_refused(page, campaign, ann):
    mine = vote(campaign, ann, "first")
    page.goto(f"/campaigns/{campaign.pk}/votes/{mine.assignment.key}/")
    rest(page)
    reopen_pair(mine.assignment)

    page.get_by_role("button", name="Summary 2").click()

    expect(page.get_by_text("You have no vote on this pair to change").first).to_be_visible()
    assert (answers(), page.evaluate("localStorage.length")) == ([], 0)


def test_a_vote_before_a_new_consent_text_is_saved_and_leads_to_the_text(page, campaign):
    open_pair(page, campaign)
    set_consent_text(campaign, text="We publish votes.", created_by=None)

    page.keyboard.press("a")
    expect(page.get_by_text("We publish votes.")).to_be_visible()
    page.get_by_role("button", name="I accept: continue").click()

    expect(page.locator(".so-far label")).to_contain_text("1 of 12 done")
    assert ([choice for *_, choice in answers()], page.evaluate("localStorage.length")) == (["first"], 0)
