"""Keys of the voting page."""

from types import SimpleNamespace

import pytest
from django.template import engines


def render(source: str, *, single_keys: bool, **vote_keys: list[str]) -> str:
    template = engines["django"].from_string("{% load vote_keys %}" + source)
    return template.render({"user": SimpleNamespace(single_keys=single_keys, vote_keys=vote_keys)})


def test_key_attributes_name_the_usual_key_of_the_action():
    html = render('<button{% key_attributes "second" %}>', single_keys=True)

    assert html == '<button data-keys="b" aria-keyshortcuts="B">'


def test_key_hint_is_the_first_key():
    assert render('{% key_hint "tie" %}', single_keys=True) == ' <kbd aria-hidden="true">T</kbd>'


@pytest.mark.parametrize("tag", ["key_attributes", "key_hint"])
def test_buttons_have_no_keys_for_a_user_who_turned_them_off(tag):
    assert render(f'{{% {tag} "first" %}}', single_keys=False) == ""


def test_all_keys_shows_every_key_of_the_action():
    html = render('{% all_keys "first" %}', single_keys=False, first=["a", "ß"])

    assert html == "<kbd>A</kbd> <kbd>ß</kbd>"


def test_own_keys_replace_the_usual_ones_on_buttons_and_in_the_help():
    source = '<button{% key_attributes "first" %}>{% key_hint "first" %}{% all_keys "first" %}'

    assert render(source, single_keys=True, first=["j", "k"]) == (
        '<button data-keys="j k" aria-keyshortcuts="J K"> <kbd aria-hidden="true">J</kbd><kbd>J</kbd> <kbd>K</kbd>'
    )


def test_an_action_without_keys_has_no_hint_and_says_so_in_the_help():
    source = '<button{% key_attributes "tie" %}>{% key_hint "tie" %}{% all_keys "tie" %}'

    assert render(source, single_keys=True, tie=[]) == '<button><span class="soft">no key</span>'
