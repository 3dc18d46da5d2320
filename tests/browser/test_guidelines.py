"""Guidelines that change while people label, in a browser."""

from playwright.sync_api import expect

from judging.models import Vote
from judging.services.campaigns.guidelines import change_guidelines
from tests.browser.looks import faults
from tests.browser.voting import open_pair, press_and_wait, rest


def test_annotator_reads_the_changes_after_the_vote_that_was_under_way(page, campaign):
    open_pair(page, campaign)
    press_and_wait(page, "a")
    change_guidelines(campaign, text="## Look for\n\n- order\n- facts", changed_by=None)

    page.keyboard.press("b")
    page.wait_for_url("**/guidelines/")
    expect(page.get_by_role("insertion")).to_have_text("- facts")
    expect(page.get_by_role("deletion")).to_have_text("- links")
    found = faults(page, page.url)
    page.get_by_role("button", name="I have read the changes").click()
    rest(page)
    press_and_wait(page, "a")

    votes = Vote.objects.order_by("pk")
    assert [vote.assignment.guidelines.version for vote in votes] == [1, 1, 2]
    assert found == []
