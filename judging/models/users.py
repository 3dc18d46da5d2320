"""Users with their roles, which their groups give: researcher, annotator or admin; and their tokens for programs."""

import secrets

from django.contrib.auth.models import AbstractUser
from django.db import models
from knox.models import AbstractAuthToken


class ApiToken(AbstractAuthToken):
    """A token of a person. Only its hash is stored, and its first characters, by which people know it."""

    user = models.ForeignKey("judging.User", related_name="+", on_delete=models.CASCADE)
    objects = models.Manager["ApiToken"]()

    name = models.CharField(max_length=100, help_text="Where the token is used, in the person's words.")
    scopes = models.JSONField(default=list, help_text="What it may do; empty for all that the person may.")
    last_used = models.DateTimeField(null=True, help_text="Time of the last request, to five minutes.")

    def __str__(self) -> str:
        return f"{self.name} ({self.token_key}…)"


RESEARCHER, ANNOTATOR, ADMIN = "researcher", "annotator", "admin"
ROLES = (RESEARCHER, ANNOTATOR, ADMIN)
RATER_PREFIX = "annotator-"


def new_rater_code() -> str:
    """Return a random rater code, unique here and in every installation that imports the votes."""
    return secrets.token_hex(4)


class User(AbstractUser):
    """A person with an account."""

    rater_code = models.CharField(max_length=12, unique=True, editable=False, default=new_rater_code)
    single_keys = models.BooleanField(default=True, help_text="True if one key is enough to vote on a pair.")
    vote_keys = models.JSONField(
        default=dict,
        blank=True,
        help_text="Keys of the voting page by action; actions with the usual keys are left out.",
    )
    last_seen = models.DateTimeField(
        null=True, blank=True, help_text="Time of the last request, to five minutes; empty before the first one."
    )
    deleted_at = models.DateTimeField(
        null=True, blank=True, help_text="When the person deleted the account. The row keeps only the pseudonym."
    )

    @property
    def roles(self) -> frozenset[str]:
        """The user's roles; a superuser is an admin."""
        if not hasattr(self, "_roles"):
            names = set(self.groups.filter(name__in=ROLES).values_list("name", flat=True)) if self.pk else set()
            self._roles = frozenset(names | ({ADMIN} if self.is_superuser else set()))
        return self._roles

    def forget_roles(self) -> None:
        """Read the roles from the database again when they are needed next."""
        self.__dict__.pop("_roles", None)

    @property
    def is_admin(self) -> bool:
        return self.is_active and ADMIN in self.roles

    @property
    def is_researcher(self) -> bool:
        """True if the user may see datasets and start runs; admins may too."""
        return self.is_active and bool(self.roles & {RESEARCHER, ADMIN})

    @property
    def is_annotator(self) -> bool:
        return self.is_active and ANNOTATOR in self.roles

    @property
    def rater_name(self) -> str:
        """The pseudonym under which this user's votes are reported; unique everywhere."""
        return f"{RATER_PREFIX}{self.rater_code}"
