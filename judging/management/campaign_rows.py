"""Campaigns in commands: their rows, and the file of their guidelines."""

from pathlib import Path
from typing import Any

from judging.management.command_files import read_text
from judging.models import Campaign


def read_guidelines(path: Path) -> str:
    return read_text(path, option="guidelines", if_empty="write at least one sentence")


def campaign_row(campaign: Campaign) -> dict[str, Any]:
    """Return a campaign's state and numbers. campaign: annotated by `with_progress()`. Times are in ISO 8601, UTC."""
    return {
        "id": campaign.pk,
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
