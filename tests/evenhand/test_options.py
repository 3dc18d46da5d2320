"""Options of an operation, read from its signature."""

from typing import Annotated, Literal

import pytest

from evenhand.options import Option, options_of, read_options
from evenhand.refusals import Refused


def operation(
    rows,
    *,
    bound: Annotated[tuple[float, ...], Option("Share of pairs.", "Bounds", above=0, below=0.5, most=3)] = (0.1, 0.05),
    draws: Annotated[int, Option("Replays.", low=1, high=50)] = 3,
    limit: Annotated[int | None, Option("Most comparisons.", low=1)] = None,
    order: Literal["both", "given"] = "both",
    rule: Annotated[str, Option("How members are combined.", choices={"mean": "Mean", "majority": "Most"})] = "mean",
    debias: bool = False,
    without: tuple[str, ...] = (),
):
    """Do nothing."""


def read(**values):
    return read_options(options_of(operation), values)


def problems(**values):
    with pytest.raises(Refused) as refused:
        read(**values)
    return list(refused.value.problems)


def test_options_are_the_keyword_only_parameters_in_order_with_type_default_and_words():
    names = [option.name for option in options_of(operation)]
    bound, draws, *_ = options_of(operation)

    assert names == ["bound", "draws", "limit", "order", "rule", "debias", "without"]
    assert (bound.kind, bound.takes_several, bound.default) == (float, True, (0.1, 0.05))
    assert (draws.kind, draws.takes_several, draws.help, draws.high) == (int, False, "Replays.", 50)


@pytest.mark.parametrize("nothing", [None, "", [], ()])
def test_absent_and_empty_values_have_their_default(nothing):
    usual = {
        "bound": (0.1, 0.05),
        "draws": 3,
        "limit": None,
        "order": "both",
        "rule": "mean",
        "debias": False,
        "without": (),
    }

    assert read() == usual
    assert read(bound=nothing, draws=nothing, without=nothing) == usual


@pytest.mark.parametrize("value", ["0.2, 0.1", ["0.2", "0.1"], [0.2, 0.1], (0.2, "0.1"), ["0.2,0.1", "0.2"]])
def test_several_numbers_are_read_from_text_and_lists_each_once(value):
    assert read(bound=value)["bound"] == (0.2, 0.1)


def test_several_names_are_lines_and_keep_their_commas():
    assert read(without="GPT-4, turbo\nother\n")["without"] == ("GPT-4, turbo", "other")


@pytest.mark.parametrize(("value", "expected"), [(False, False), ("off", False), ("true", True), (1, True)])
def test_a_box_is_true_or_false(value, expected):
    assert read(debias=value)["debias"] is expected


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        ({"draws": 0}, "draws: 0 — give a whole number from 1 to 50"),
        ({"draws": "many"}, 'draws: "many" — give a whole number from 1 to 50'),
        ({"draws": 2.5}, 'draws: "2.5" — give a whole number from 1 to 50'),
        ({"limit": 2**63}, f"limit: {2**63} — give a whole number of at most 9,223,372,036,854,775,807"),
        ({"draws": [3, 4]}, "draws: 2 values; give one"),
        ({"bound": "0.1, 0.5"}, "bound: 0.5 — give a number above 0 and below 0.5"),
        ({"bound": "nan"}, "bound: nan — give a number above 0 and below 0.5"),
        ({"bound": [0.1, 0.2, 0.3, 0.4]}, "bound: 4 of them; give at most 3"),
        ({"order": "givn"}, 'order: "givn" is unknown (did you mean "given"?); choose one of: both, given'),
        ({"rule": "best"}, 'rule: "best" is unknown; choose one of: mean, majority'),
        ({"debias": "perhaps"}, 'debias: "perhaps" is neither true nor false'),
        (
            {"drws": 3},
            'drws: unknown (did you mean "draws"?); there are: bound, draws, limit, order, rule, debias, without',
        ),
    ],
)
def test_an_impossible_option_is_refused_with_what_would_work(values, problem):
    assert problems(**values) == [problem]


def test_every_problem_is_reported_at_once():
    assert len(problems(draws=0, rule="best", colour="red")) == 3


def test_an_option_without_default_is_needed():
    def asks(*, alpha: float): ...

    with pytest.raises(Refused, match="alpha: needed"):
        read_options(options_of(asks), {})


def test_switch_whose_values_have_titles_is_read_as_a_switch():
    titled = Option(name="debias", kind=bool, choices={False: "raw", True: "debiased"}, default=False)

    assert [read_options([titled], {"debias": text})["debias"] for text in ("yes", "no", "", True)] == [
        True,
        False,
        False,
        True,
    ]
    with pytest.raises(Refused, match='debias: "debiased" is neither true nor false'):
        read_options([titled], {"debias": "debiased"})
