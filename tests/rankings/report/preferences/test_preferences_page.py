"""Preferences apart from quality, as sentences and cards."""

from dataclasses import replace

from evenhand.numerics import Figure
from rankings.report.preferences import preferences_page
from rankings.report.report_row import GapAccuracy, LengthPreference, SelfPreference
from tests.rankings.report.report_figures import make_row

SHARE = Figure(0.62, 0.6, 0.64, 100)
OF_PEOPLE = Figure(0.5, 0.4, 0.6, 80)
NOTHING = Figure.missing("nobody said a word", n=0)


def of_length(**found):
    usual = LengthPreference(SHARE, OF_PEOPLE, SHARE, SHARE, [])
    return make_row(length_preference=replace(usual, **found))


def of_family(**found):
    usual = SelfPreference(SHARE, OF_PEOPLE, "t5", "flan-t5", ["T5"])
    return make_row(self_preference=replace(usual, **found))


def test_length_sentence_sets_people_beside_the_judge():
    assert preferences_page.length_sentence(of_length()) == (
        "It prefers the longer text in 62.0\u202f% of its decisions, people in 50.0\u202f%."
    )


def test_length_sentence_says_why_the_human_preference_is_undefined():
    assert preferences_page.length_sentence(of_length(human=NOTHING)) == (
        "It prefers the longer text in 62.0\u202f% of its decisions; the human preference is undefined: "
        "nobody said a word."
    )


def test_length_sentence_says_why_there_is_no_preference():
    assert preferences_page.length_sentence(of_length(share=NOTHING)) == "Not applicable: nobody said a word."


def test_gaps_are_named_by_their_ends():
    bins = [GapAccuracy(0.0, 0.1, SHARE), GapAccuracy(0.1, 0.25, NOTHING)]

    shown = preferences_page.gaps(of_length(accuracy_by_gap=bins))

    assert [gap.lengths for gap in shown] == ["0 to 10\u202f%", "10 to 25\u202f%"]
    assert [gap.accuracy for gap in shown] == [SHARE, NOTHING]


def test_gaps_without_an_accuracy_say_why_once():
    bins = [GapAccuracy(0.0, 0.1, SHARE)] + [GapAccuracy(0.1, 0.25, NOTHING)] * 2

    assert preferences_page.gap_reasons(of_length(accuracy_by_gap=bins)) == ["nobody said a word"]


def test_self_sentence_names_every_system_of_the_family():
    assert preferences_page.self_sentence(of_family(systems=["T5", "flan-t5-xl"])) == (
        "Guessed from names: “flan-t5” is of the family t5, and so are T5, flan-t5-xl."
    )


def test_self_preference_has_cards_only_where_there_is_a_family():
    titles = [card.title for card in preferences_page.self_cards(of_family())]

    assert titles == ["Prefers its own family", "People prefer it"]
    assert preferences_page.self_cards(of_family(systems=[], share=NOTHING)) == []
