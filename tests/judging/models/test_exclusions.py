"""Systems and contexts that are left out."""

import pytest

from evenhand.refusals import Refused
from judging.models import NOTHING_LEFT_OUT, Exclusion
from judging.models.exclusions import all_but, exclusion_problems, require_possible
from tests.factories import make_dataset


def test_exclusion_does_not_depend_on_the_order_of_names():
    one, other = Exclusion.of(systems=["M2", "M1", "M2"]), Exclusion.of(systems=["M1", "M2"])

    assert (one, one.spec()) == (other, {"without": {"systems": ["M1", "M2"], "contexts": []}})


def test_exclusion_is_read_back_from_a_spec():
    one = Exclusion.of(systems=["M1"], contexts=["c3"])

    assert Exclusion.in_spec(one.spec()) == one
    assert Exclusion.in_spec({"seed": 1}) == NOTHING_LEFT_OUT


def test_exclusion_of_two_has_the_names_of_both():
    both = Exclusion.of(systems=["M2"], contexts=["c3"]) | Exclusion.of(systems=["M1"])

    assert both == Exclusion(("M1", "M2"), ("c3",))


@pytest.mark.parametrize(
    ("exclusion", "text"),
    [
        (NOTHING_LEFT_OUT, ""),
        (Exclusion(("M1",)), "without system M1"),
        (Exclusion((), ("c1", "c2")), "without contexts c1, c2"),
        (Exclusion(("M1", "M2"), ("c1",)), "without systems M1, M2 and context c1"),
    ],
)
def test_exclusion_is_written_in_words(exclusion, text):
    assert str(exclusion) == text


@pytest.mark.django_db
def test_unknown_names_are_problems_with_a_suggestion():
    dataset = make_dataset(candidates=(2, 2))
    make_dataset("Others", candidates=(5, 5, 5, 5))

    assert exclusion_problems(dataset, Exclusion.of(systems=["system-c", "system-a"], contexts=["c3"])) == [
        'without-system: "Summaries" has no system "system-c" (did you mean "system-b"?); there are: system-a, '
        "system-b",
        'without-context: "Summaries" has no context "c3"; there are: c0, c1',
    ]


@pytest.mark.django_db
def test_exclusion_of_every_candidate_is_refused():
    with pytest.raises(Refused, match='"Summaries" has no candidate without systems system-a, system-b; leave out'):
        require_possible(make_dataset(candidates=(2, 2)), Exclusion.of(systems=["system-a", "system-b"]))


@pytest.mark.django_db
def test_contexts_with_another_value_of_a_field_are_left_out():
    dataset = make_dataset(candidates=(2, 2, 2))
    dataset.contexts.filter(key="c1").update(subset="news", fields={"length__words": "long"})
    dataset.context_fields = ["length__words"]

    assert all_but(dataset, "subset=news") == Exclusion.of(contexts=["c0", "c2"])
    assert all_but(dataset, "length__words=long") == Exclusion.of(contexts=["c0", "c2"])
    assert all_but(dataset, "") == NOTHING_LEFT_OUT


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("only", "problem"),
    [
        ("part=development", r'only: "part=development" — write FIELD=VALUE; "Summaries" has the fields subset$'),
        ("news", 'only: "news" — write FIELD=VALUE'),
        ("subset=new", r'only: no context has the subset "new" \(did you mean "news"\?\); there are: news'),
        ("subset=", "only: no context has the subset"),
    ],
)
def test_a_field_or_a_value_that_no_context_has_is_refused(only, problem):
    dataset = make_dataset(candidates=(2,))
    dataset.contexts.update(subset="news")

    with pytest.raises(Refused, match=problem):
        all_but(dataset, only)
