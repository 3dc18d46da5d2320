"""The form by which people choose the keys of the voting page."""

from typing import Any

from django import forms

from judging.models import User
from judging.services.accounts.vote_keys import ACTION_NAMES, key_problems, keys_of, named_keys, shown_key

LONGEST_KEYS = 60


class VoteKeysForm(forms.Form):
    """One field for each action, with its keys separated by spaces."""

    def __init__(self, account: User, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - Django's signature
        super().__init__(*args, **kwargs)
        for action, keys in keys_of(account).items():
            self.fields[action] = _keys_field(action, keys)

    def clean(self) -> dict[str, Any]:
        keys = {action: named_keys(text.split()) for action, text in self.cleaned_data.items()}
        for action, problem in key_problems(keys).items():
            self.add_error(action, f"{problem}.")
        return keys


def _keys_field(action: str, keys: tuple[str, ...]) -> forms.CharField:
    name = ACTION_NAMES[action]
    writing = {"autocomplete": "off", "autocapitalize": "off", "spellcheck": "false", "class": "key-field"}
    return forms.CharField(
        label=name[0].upper() + name[1:],
        required=False,
        max_length=LONGEST_KEYS,
        initial=" ".join(shown_key(key) for key in keys),
        widget=forms.TextInput(attrs=writing),
    )
