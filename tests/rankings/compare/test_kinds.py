"""The accuracy of a run by subset, length or a field of the contexts."""

import pytest

from tests.commands import printed, printed_json, refused
from tests.factories import make_user
from tests.rankings.studies import compared, make_dataset, one_context

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("forget_reports")]


def judged(kinds, *, right, name="Study", scores=(2, 1)):
    """A run on one pair of each context. kinds: of each. right: whether the judge prefers the first, as people do."""
    contexts = [
        {**one_context(*scores)[0], "context": f"c{number}", **fields}
        | {"candidates": [{**one, "text": "x" * (10 * number + 1)} for one in one_context(*scores)[0]["candidates"]]}
        for number, fields in enumerate(kinds)
    ]
    dataset = make_dataset(contexts, name=name)
    lines = [f"c{number},overall,a,b,{0.8 if one else 0.2}" for number, one in enumerate(right)]
    return compared(dataset, "\n".join(["context,attribute,first,second,p_first", *lines]) + "\n")


def by_name(report):
    return {one["kind"]: one for one in report["kinds"]}


def test_accuracies_are_those_of_the_reports_subsets_and_the_worse_kind_is_named(capsys):
    kinds = [{"subset": "easy"}] * 20 + [{"subset": "hard"}] * 20 + [{"subset": "fair"}] * 20
    run = judged(kinds, right=[*[True] * 20, *[number % 3 > 0 for number in range(20)], *[True] * 20])

    report = printed_json(capsys, "kinds", run.pk, "--by", "subset")

    rows = {row["subset"]: row for row in printed_json(capsys, "report", "--dataset", "Study")["rows"]}
    assert {kind: one["accuracy"] for kind, one in by_name(report).items()} == {
        kind: row["accuracy"] for kind, row in rows.items() if kind != "all"
    }
    hard = by_name(report)["hard"]
    assert hard["difference"]["value"] == pytest.approx(13 / 20 - 1)
    assert (hard["p_value_holm"] < 0.05, hard["needed"]) == (True, None)
    assert "Worse on subset hard: −35.0 points against the other kinds" in printed(
        capsys, "kinds", run.pk, "--by", "subset"
    )


def test_a_difference_that_is_found_needs_no_more_contexts_and_the_page_says_why(client):
    kinds = [{"subset": "easy"}] * 20 + [{"subset": "hard"}] * 20
    run = judged(kinds, right=[*[True] * 20, *[number % 3 > 0 for number in range(20)]])

    client.force_login(make_user("root", "admin"))

    page = client.get(f"/runs/{run.pk}/kinds/?by=subset").content.decode()

    assert "Contexts needed (the test finds the difference)" in page


def test_numbers_and_lengths_become_thirds_and_a_null_result_names_the_contexts_it_would_need(capsys):
    run = judged([{"fields": {"turn": f"{n}"}} for n in range(30)], right=[n % 4 > 0 for n in range(30)])

    by_turn = printed_json(capsys, "kinds", run.pk, "--by", "turn")
    by_length = printed_json(capsys, "kinds", run.pk, "--by", "length")

    assert [one["contexts"] for one in by_turn["kinds"]] == [10, 10, 10]
    assert [one["kind"] for one in by_length["kinds"]] == ["up to 97.67", "97.67 to 194.3", "over 194.3"]
    figures = ("accuracy", "difference", "p_value", "p_value_holm", "needed")
    assert [[one[name] for name in figures] for one in by_turn["kinds"]] == [
        [one[name] for name in figures] for one in by_length["kinds"]
    ]
    largest = max(by_turn["kinds"], key=lambda one: abs(one["difference"]["value"]))
    text = printed(capsys, "kinds", run.pk, "--by", "turn")
    assert f"To find the gap of turn {largest['kind']}, {largest['needed']:,} contexts would be needed." in text


def test_contexts_without_the_field_are_left_out_and_counted(capsys):
    run = judged([{"subset": "one"}] * 5 + [{"subset": "two"}] * 5 + [{}] * 3, right=[True] * 13)

    report = printed_json(capsys, "kinds", run.pk, "--by", "subset")

    assert (report["unnamed"], [one["contexts"] for one in report["kinds"]]) == (3, [5, 5])
    assert "3 contexts without this field, left out." in printed(capsys, "kinds", run.pk, "--by", "subset")


def test_field_that_makes_no_kinds_is_refused(capsys):
    run = judged([{"fields": {"id": f"x{number}", "same": "s"}} for number in range(51)], right=[True] * 51)
    problems = {
        "language": 'by: contexts have no field "language"; there are: subset, length, id, same',
        "subset": 'by: contexts have no "subset", and kinds need two; choose length, or another field',
        "same": 'by: contexts have 1 "same", and kinds need two; choose length, or another field',
        "id": 'by: contexts have 51 different "id"; choose a field with at most 50',
    }

    assert {by: refused(capsys, "kinds", run.pk, "--by", by)[0] for by in problems} == problems


def test_runs_without_preferences_or_with_one_context_say_what_is_missing(capsys):
    alone = judged([{}], right=[True], name="One")
    tied = judged([{}] * 6, right=[True] * 6, name="Tied", scores=(1, 1))
    unparsed = compared(alone.dataset, "context,attribute,first,second,choice\nc0,overall,b,a,unparsed\n", judge="Mute")

    assert "No kind can be tested: an interval needs at least three contexts." in printed(
        capsys, "kinds", alone.pk, "--by", "length"
    )
    assert "No kind can be tested: no comparison has an answer." in printed(
        capsys, "kinds", unparsed.pk, "--by", "length"
    )
    assert "No kind can be tested: people prefer no candidate of a compared pair; collect votes or scores." in printed(
        capsys, "kinds", tied.pk, "--by", "length"
    )
