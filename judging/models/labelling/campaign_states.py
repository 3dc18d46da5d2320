"""The kinds, formats and states of a campaign, and which state may follow which."""

from collections.abc import Mapping, Sequence

from django.db import models


class TextFormat(models.TextChoices):
    """How annotators see contexts and candidates."""

    PLAIN = "plain", "Plain text, as written"
    MARKDOWN = "markdown", "Markdown, with headings, lists, tables and code"


class CampaignKind(models.TextChoices):
    """The task of annotators."""

    PAIRS = "pairs", "Compare two texts"
    RATINGS = "ratings", "Rate one text at a time"


class CampaignState(models.TextChoices):
    """A state of a campaign. Annotators answer pairs only while it is open."""

    DRAFT = "draft", "Draft"
    OPEN = "open", "Open"
    PAUSED = "paused", "Paused"
    CLOSED = "closed", "Closed"
    ARCHIVED = "archived", "Archived"


NEXT_STATES: Mapping[str, Sequence[CampaignState]] = {
    CampaignState.DRAFT: (CampaignState.OPEN,),
    CampaignState.OPEN: (CampaignState.PAUSED, CampaignState.CLOSED),
    CampaignState.PAUSED: (CampaignState.OPEN, CampaignState.CLOSED),
    CampaignState.CLOSED: (CampaignState.OPEN, CampaignState.ARCHIVED),
    CampaignState.ARCHIVED: (CampaignState.CLOSED,),
}
"""State -> the states that researchers may give the campaign next."""
