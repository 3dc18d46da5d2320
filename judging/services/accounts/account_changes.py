"""Creating and changing accounts, and links to choose a password. The site always keeps an active admin."""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Annotated

from axes.utils import reset
from django.contrib.auth.models import Group
from django.contrib.auth.password_validation import validate_password
from django.contrib.auth.tokens import PasswordResetTokenGenerator
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet
from django.urls import reverse
from django.utils.http import int_to_base36

from evenhand.options import Option, require_values
from evenhand.refusals import Refusals, Refused
from judging.models import ADMIN, ROLES, User
from judging.models.activity_and_looks import Act
from judging.services.activity import noted


def active_admins() -> QuerySet[User]:
    return User.objects.filter(Q(groups__name=ADMIN) | Q(is_superuser=True), is_active=True)


NAME_CHARACTERS = "use letters, digits and @ . + - _ only, without spaces"
"""The rule of Django's validator of account names, in plain words."""
LONGEST_NAME, LONGEST_ADDRESS = 150, 254


WITHOUT_ROLE = "No role chosen: this person cannot do anything yet."
ROLES_FROM_NOW_ON = Option("Its roles from now on.", choices={role: role for role in ROLES}, argument="role")


@noted(Act.CREATE, returned=True)
def create_account(
    *,
    name: Annotated[
        str,
        Option(
            "For signing in: letters, digits and @ . + - _ only. Reports never show it.", "Name", longest=LONGEST_NAME
        ),
    ],
    email: Annotated[str, Option("For mails, and for sign-in by a provider.", "E-mail", longest=LONGEST_ADDRESS)] = "",
    roles: Annotated[Collection[str], ROLES_FROM_NOW_ON] = (),
    password: Annotated[
        str | None, Option("Empty: you get a link to send, where the person chooses a password.", "Password")
    ] = None,
) -> User:
    """Create an account. Without a password, the person chooses one by a link.

    Raises Refused with every problem of the name, the roles, the e-mail address and the password.
    """
    account = User(username=name.strip(), email=email.strip())
    refusals = Refusals()
    refusals.of(lambda: _require_valid(account))
    refusals.of(lambda: require_values(create_account, roles=roles))
    if password is not None:
        refusals.of(lambda: _require_good_password(password, account))
    refusals.raise_if_any()
    account.set_password(password)
    try:
        with transaction.atomic():
            account.save(force_insert=True)
    except IntegrityError:  # another account took the name at the same moment
        _require_valid(account)
        raise
    account.groups.set(Group.objects.filter(name__in=roles))
    return account


@noted(Act.CHANGE, what="roles")
def set_roles(account: User, *, roles: Annotated[Collection[str], ROLES_FROM_NOW_ON] = ()) -> None:
    """Replace the roles of an account. Raises Refused for an unknown role and for the last active admin."""
    require_values(create_account, roles=roles)
    _require_not_deleted(account)
    with keeping_an_admin(account):
        account.groups.set(Group.objects.filter(name__in=roles))
        account.is_superuser = account.is_superuser and ADMIN in roles
        account.save(update_fields=["is_superuser"])
        account.forget_roles()


@noted(Act.CHANGE, what="deactivated")
def deactivate_account(account: User) -> None:
    """End an account: its sessions and its token are refused at once. Raises Refused for the last active admin."""
    with keeping_an_admin(account):
        account.is_active = False
        account.save(update_fields=["is_active"])


@noted(Act.RESTORE)
def restore_account(account: User) -> None:
    """Make a deactivated account active again. Raises Refused if the person deleted it."""
    _require_not_deleted(account)
    account.is_active = True
    account.save(update_fields=["is_active"])


@transaction.atomic
def change_account(
    account: User,
    *,
    roles: Annotated[Collection[str] | None, ROLES_FROM_NOW_ON] = None,
    active: Annotated[bool | None, Option("False ends its sessions and its token at once.")] = None,
) -> None:
    """Change roles and state together; None leaves them. Raises Refused as the single changes do."""
    if roles is not None:
        set_roles(account, roles=roles)
    if active is not None:
        (restore_account if active else deactivate_account)(account)


@noted(Act.CHANGE, what="sign-in unlocked")
def unlock_sign_in(account: User) -> None:
    """Forget the failed attempts that lock the sign-in of an account."""
    reset(username=account.get_username())


@contextmanager
def keeping_an_admin(account: User) -> Iterator[None]:
    """Undo the changes made inside and raise Refused if they take away the last active admin."""
    with transaction.atomic():
        Group.objects.select_for_update().get(name=ADMIN)  # two admins cannot demote each other at once
        had_admin = active_admins().exists()
        yield
        if had_admin and not active_admins().exists():
            raise Refused(
                f'account: "{account.get_username()}" is the last active admin; make somebody else an admin first'
            )


def _require_valid(account: User) -> None:
    try:
        account.full_clean(exclude=["password"])
    except ValidationError as error:
        raise Refused(
            *(_problem_of(field, one) for field, problems in error.error_dict.items() for one in problems)
        ) from error


def _problem_of(field: str, error: ValidationError) -> str:
    """Return a problem of a field of an account, in the words of its form."""
    if field == "username" and error.code == "invalid":
        return f"name: {NAME_CHARACTERS}"
    return f"{'name' if field == 'username' else field}: {' '.join(error.messages)}"


def _require_good_password(password: str, account: User) -> None:
    try:
        validate_password(password, account)
    except ValidationError as error:
        raise Refused(*(f"password: {one}" for one in error.messages)) from error


def _require_not_deleted(account: User) -> None:
    if account.deleted_at:
        raise Refused(f'account: "{account.get_username()}" was deleted and cannot be changed')


class LinkTokens(PasswordResetTokenGenerator):
    """The secrets in links. Those of an account that is not active open nothing."""

    def check_token(self, user: User | None, token: str | None) -> bool:
        return user is not None and user.is_active and super().check_token(user, token)


@noted(Act.CHANGE, what="password link")
def password_link(account: User) -> str:
    """Return the path of a page where the person chooses a password. It works once, for seven days.

    Raises Refused for an account that is not active.
    """
    if not account.is_active:
        raise Refused(f'account: "{account.get_username()}" is not active; restore it first')
    return path_of_link(int_to_base36(account.pk), LinkTokens().make_token(account))


def path_of_link(account: str, token: str) -> str:
    """Return the path of the page. account: its number, to base 36."""
    return reverse("account_reset_password_from_key", args=[account, token])
