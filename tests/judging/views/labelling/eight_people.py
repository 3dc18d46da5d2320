"""The campaign of eight made-up people, what their manager reads of it, and the same figures by own code."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from evenhand.formats.recorded.known_pairs import KnownPair
from judging.models import Campaign, Candidate
from judging.services.campaign_pairs.gold_pairs import add_gold_pairs
from judging.services.campaign_pairs.training import set_training_pairs
from judging.services.invitations.consent import set_consent_text
from judging.services.invitations.invitation_setup import create_invitation
from tests.campaigns import small_campaign
from tests.factories import make_user
from tests.judging.views.labelling.form_sessions import Texts
from tests.judging.views.labelling.own_figures import (
    figures_of_campaign,
    figures_of_people,
    pay_of_people,
    read_votes,
    work_of_people,
)

ORDINARY, GOLD, REPEATS, TRAINING = 22, 10, 2, 2
EVERYTHING = ORDINARY + GOLD + REPEATS
CODE = "C1X9QK"


def article_of(text: str) -> int:
    return int(text.rstrip(".").rpartition(" ")[2])


def better(texts: Texts) -> str:
    return "first" if texts[0].startswith("Good") else "second"


def worse(texts: Texts) -> str:
    return "second" if better(texts) == "first" else "first"


def careful(errors: int) -> Callable[[Texts], str]:
    """Somebody who is wrong about every twelfth article, from this one on, whenever it comes."""
    return lambda texts: (worse if article_of(texts[0]) % 12 == errors else better)(texts)


def by_chance(texts: Texts) -> str:
    """Somebody who reads nothing, and is right about every second article."""
    return (better if article_of(texts[0]) % 2 else worse)(texts)


def campaign_of_eight() -> Campaign:
    """Each pair has a good and a poor text, and a vote of each of eight people. Gold pairs, repeats, training."""
    campaign = small_campaign(
        pairs=ORDINARY + GOLD + TRAINING,
        votes_per_pair=8,
        guidelines="Look for order.",
        gold_share=GOLD / ORDINARY,
        repeat_share=REPEATS / ORDINARY,
        allow_cannot_judge=True,
        most_skips=0.2,
        most_cannot_judge=0.25,
        created_by=make_user("rita", "researcher"),
    )
    for one in Candidate.objects.select_related("context"):
        one.text = f"{'Good' if is_good(one) else 'Poor'} text {one.context.position}."
        one.save(update_fields=["text"])
    set_training_pairs(campaign, [known_pair(place) for place in range(TRAINING)])
    add_gold_pairs(campaign, [known_pair(TRAINING + place) for place in range(GOLD)])
    Campaign.objects.update(training_pass_mark=1.0)
    set_consent_text(campaign, text="We store votes.", created_by=None)
    create_invitation(campaign, admission="platform", created_by=None, completion_code=CODE)
    return campaign


def is_good(candidate: Candidate) -> bool:
    return (candidate.key == "a") == (candidate.context.position % 2 == 0)


def known_pair(place: int) -> KnownPair:
    return KnownPair(f"c{place}", "a", "b", "first" if place % 2 == 0 else "second")


def exclude(manager: Client, campaign: Campaign, rater: str) -> None:
    sent = {"rater": rater, "reason": "careless", "campaign": campaign.name}
    assert manager.post(reverse("rater-exclude", args=[campaign.dataset_id]), sent).status_code == 302


def raters_by_name(manager: Client, campaign: Campaign) -> dict[str, str]:
    rows = manager.post(reverse("api-campaign-pay", args=[campaign.pk])).json()
    return {row["person"]: row["rater"] for row in rows}


def standings(manager: Client, campaign: Campaign, raters: dict[str, str]) -> dict[str, str]:
    rows = manager.get(reverse("api-campaign-progress", args=[campaign.pk])).json()["annotators"]
    by_rater = {row["rater"]: row["standing"] for row in rows}
    return {name: by_rater[rater] for name, rater in raters.items()}


def quality(manager: Client, campaign: Campaign) -> dict:
    [report] = manager.get(reverse("api-dataset-quality", args=[campaign.dataset_id])).json()
    return report


def downloaded(manager: Client, campaign: Campaign) -> list[dict[str, str]]:
    return read_votes(manager.get(reverse("campaign-download", args=[campaign.pk])).getvalue().decode())


def stored_votes(manager: Client, campaign: Campaign) -> list[tuple[str, ...]]:
    """Rater, texts as shown, and choice of each vote in the download."""
    texts = {(one.context.key, one.key): one.text for one in Candidate.objects.select_related("context")}
    return sorted(
        (row["rater"], *(texts[row["context"], row[side]] for side in ("first", "second")), row["choice"])
        for row in downloaded(manager, campaign)
    )


def compare_figures(manager: Client, campaign: Campaign) -> int:
    """Compare figures of the campaign and of each person with those of own code, and return their number."""
    rows = downloaded(manager, campaign)
    progress = manager.get(reverse("api-campaign-progress", args=[campaign.pk])).json()
    paid = manager.post(reverse("api-campaign-pay", args=[campaign.pk])).json()
    of_campaign = figures_of_campaign(rows, votes_per_pair=campaign.votes_per_pair)
    compared = [([progress | progress["agreement"] | {"rater": ""}], {"": of_campaign})]
    compared.append((quality(manager, campaign)["raters"], figures_of_people(rows)))
    compared += [(progress["annotators"], work_of_people(rows)), (paid, pay_of_people(rows))]
    return sum(
        compare_row(row, expected[row["rater"]])
        for shown, expected in compared
        for row in shown
        if is_known(row, expected)
    )


def is_known(row: dict, expected: dict) -> bool:
    """True if own code found a vote of the person; others have none."""
    return row["rater"] in expected or row["votes"] != 0


def compare_row(row: dict, expected: dict) -> int:
    for name, value in expected.items():
        field, _, end = name.partition(" ")
        figure = row[field][end or "value"] if isinstance(row[field], dict) else row[field]
        assert figure == (value if value is None else pytest.approx(value)), (row["rater"], name)
    return len(expected)
