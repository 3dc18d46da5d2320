"""Why annotators skip a pair: the reasons that they choose from."""

from django.db import models


class SkipReason(models.TextChoices):
    BROKEN = "broken", "A text is missing or broken"
    LANGUAGE = "language", "I do not read this language well enough"
    SUBJECT = "subject", "I do not know enough about the subject"
    UNDECIDED = "undecided", "I cannot decide"
    OTHER = "other", "Another reason"
