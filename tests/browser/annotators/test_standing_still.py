"""Nothing on the voting page moves from pair to pair: after a vote, a skip, and when it is time for a break."""

import pytest

from judging.models import Candidate, Context
from judging.services.campaigns.next_pair import next_pair
from judging.services.campaigns.progress import working_session
from judging.services.campaigns.skips_and_undo import skip_pair
from tests.browser.voting import DESKTOP, PHONE, act_and_wait, open_pair, rest

PARTS = ("h1", ".so-far", ".tools", ".given", "#text-1", ".vote-bar")


def places(page):
    """The top and the height of each part of the page."""
    boxes = [page.locator(part).first.bounding_box() for part in PARTS]
    return [(part, round(box["y"]), round(box["height"])) for part, box in zip(PARTS, boxes, strict=True)]


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_nothing_moves_from_pair_to_pair(page, campaign, ann, size, monkeypatch):
    monkeypatch.setattr(working_session, "BREAK_AFTER", 3)
    page.set_viewport_size(size)
    Candidate.objects.update(text="It reads as one text. " * 400)
    open_pair(page, campaign)
    before, hints = places(page), page.locator(".break-hint")

    for step in range(4):
        if step == 1:
            skip_pair(next_pair(campaign, annotator=ann), reason="other")
            page.reload()
            rest(page)
        else:
            act_and_wait(page, lambda: page.get_by_role("button", name="Summary 1").click())
        assert places(page) == before

    assert hints.count() == 1
    if size == DESKTOP:
        texts = page.locator(".texts").bounding_box()
        assert texts["y"] + texts["height"] <= page.locator(".vote-bar").bounding_box()["y"]


def test_texts_begin_at_one_height_below_contexts_of_any_length(page, campaign):
    tops = set()
    for number in (1, 4, 60):
        Context.objects.update(text="The council voted on Tuesday. " * number)
        open_pair(page, campaign)
        tops.add(page.locator("#text-1").bounding_box()["y"])

    assert len(tops) == 1
