"""Lists of choices whose rare ones are folded away."""

import pytest
from django import forms

from judging.forms.runs import FoldedCheckboxes, FoldedRadios

GROUPS = [("common", [("a", "A"), ("b", "B")]), ("rare", [("c", "C")])]


class Letters(forms.Form):
    letters = forms.MultipleChoiceField(choices=GROUPS, widget=FoldedCheckboxes(shown=1, more="More letters"))


def test_folded_choices_hide_all_groups_but_the_first():
    before, after = str(Letters(initial={"letters": ["a"]})["letters"]).split('<details class="folded">')

    assert 'value="b"' in before
    assert 'value="c"' not in before
    assert "<summary>More letters</summary>" in after
    assert 'value="c"' in after


@pytest.mark.parametrize("chosen", [["c"], ["a", "c"]])
def test_folded_choices_are_open_where_a_rare_one_is_chosen(chosen):
    assert '<details class="folded" open>' in str(Letters({"letters": chosen})["letters"])


def test_a_choice_without_a_group_counts_as_a_group():
    radios = FoldedRadios(shown=2, more="More", choices=[("a", "A"), ("b", "B"), ("c", "C")])

    before, after = radios.render("letter", "a", {"id": "id_letter"}).split("<details")

    assert before.count('type="radio"') == 2
    assert after.count('type="radio"') == 1


def test_choices_that_all_fit_are_not_folded():
    radios = FoldedRadios(shown=2, more="More", choices=[("a", "A"), ("b", "B")])

    assert "<details" not in radios.render("letter", None)
