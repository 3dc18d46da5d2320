"""A campaign as the rows of commands."""

from typing import Any

from judging.models import Campaign


def campaign_row(campaign: Campaign) -> dict[str, Any]:
    """Return a campaign's state and numbers. campaign: annotated by `with_progress()`. Times are in ISO 8601, UTC."""
    return {
        "campaign": campaign.name,
        "kind": campaign.kind,
        "dataset": campaign.dataset.name,
        "attribute": campaign.only_attribute,
        "attributes": [attribute.name for attribute in campaign.attributes_in_order()],
        "state": campaign.state.value,
        "deadline": campaign.deadline and campaign.deadline.isoformat(),
        "pairs": campaign.pair_count,  # type: ignore[attr-defined]  # annotated
        "votes": campaign.votes_done,  # type: ignore[attr-defined]  # annotated
        "votes_planned": campaign.votes_planned,  # type: ignore[attr-defined]  # annotated
    }
