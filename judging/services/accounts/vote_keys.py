"""The keys of the voting page: the usual ones, and those that a person chose instead."""

from collections.abc import Iterable, Mapping

from evenhand.refusals import Refused
from judging.models import User

USUAL_KEYS: Mapping[str, tuple[str, ...]] = {
    "first": ("a",),
    "second": ("b",),
    "tie": ("t",),
    "both-bad": ("x",),
    "cannot-judge": ("c",),
    "strength": ("m",),
    "confidence": ("h",),
    "comment": ("n",),
    "skip": ("s",),
    "undo": ("u",),
    "differences": ("d",),
    "scrolling": ("l",),
    "help": ("?",),
}
ACTION_NAMES: Mapping[str, str] = {
    "first": "first text",
    "second": "second text",
    "tie": "tie",
    "both-bad": "both bad",
    "cannot-judge": "cannot judge",
    "strength": "how much better",
    "confidence": "how sure",
    "comment": "comment",
    "skip": "skip",
    "undo": "undo",
    "differences": "differences",
    "scrolling": "scroll together",
    "help": "keys",
}
MOST_KEYS = 5

Keys = Mapping[str, tuple[str, ...]]


def keys_of(account: User) -> dict[str, tuple[str, ...]]:
    """Return the keys of every action. A key that the person chose for one action is no usual key of another."""
    chosen = {key for keys in account.vote_keys.values() for key in keys}
    return {
        action: tuple(account.vote_keys[action])
        if action in account.vote_keys
        else tuple(key for key in usual if key not in chosen)
        for action, usual in USUAL_KEYS.items()
    }


def choose_keys(account: User, keys: Mapping[str, Iterable[str]]) -> None:
    """Store a person's keys. Actions that are not named keep theirs; an action may have no key.

    keys: single characters. Raises Refused for an unknown action, other keys, too many keys, or a key of two actions.
    """
    wanted = keys_of(account) | {action: named_keys(names) for action, names in keys.items()}
    if problems := key_problems(wanted):
        raise Refused(*(f"{action}: {problem}" for action, problem in problems.items()))
    account.vote_keys = {action: list(names) for action, names in wanted.items() if names != USUAL_KEYS[action]}
    account.save(update_fields=["vote_keys"])


def use_usual_keys(account: User) -> None:
    account.vote_keys = {}
    account.save(update_fields=["vote_keys"])


def named_keys(names: Iterable[str]) -> tuple[str, ...]:
    """Return keys as browsers name them, each once: small letters."""
    return tuple(dict.fromkeys(name.lower() for name in names))


def shown_key(key: str) -> str:
    """Return the sign of a key for people: "A"."""
    return key.upper() if len(key.upper()) == 1 else key


def key_problems(keys: Keys) -> dict[str, str]:
    """Return what is wrong with the keys of an action, for each action with a problem."""
    problems = {action: _problem(action, keys) for action in keys}
    return {action: problem for action, problem in problems.items() if problem}


def _problem(action: str, keys: Keys) -> str:
    """Return the first problem of the keys of an action, or ""."""
    if action not in USUAL_KEYS:
        return f"unknown; there are: {', '.join(USUAL_KEYS)}"
    if len(keys[action]) > MOST_KEYS:
        return f"{len(keys[action])} keys; at most {MOST_KEYS}"
    for key in keys[action]:
        if len(key) != 1 or not key.isprintable() or key.isspace() or key in "←→↑↓":
            return f'"{key}" cannot be chosen. Use single characters; arrows scroll'
    return _conflict(action, keys)


def _conflict(action: str, keys: Keys) -> str:
    """Return the first other action with one of the keys of this one, in words; or ""."""
    for other, names in keys.items():
        both = [key for key in keys[action] if other != action and key in names]
        if both:
            return f'"{shown_key(both[0])}" is also a key of "{ACTION_NAMES.get(other, other)}". Give it to one of them'
    return ""
