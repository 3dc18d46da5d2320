"""Page, API and command say what the questions of a referee lack, with what would give it."""

from contextlib import suppress
from html import unescape

import pytest
from django.core.management import call_command

from tests.rankings.studies import answers, compared, make_dataset, one_context

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("forget_reports")]
CASES = {
    "no votes": ("diagnostics", {}, "the attribute has no votes"),
    "one system": ("separation", {}, "it compares 0 known systems; give 2 to 64, by the column system of the dataset"),
    "one context": ("kinds", {"by": "length"}, "an interval needs at least three contexts"),
    "all ties": (
        "cascade",
        {},
        "people prefer no candidate of a compared pair; collect votes or scores",
    ),
    "no probabilities": ("diagnostics", {}, "every answer is a choice, 0, 1/2 or 1, and no probability"),
    "different pairs": ("cascade", {"then": ""}, "asked other pairs than run"),
    "a figure that does not exist": (
        "gate",
        {"at_least": "acuracy=0.5"},
        'there is no figure "acuracy" (did you mean "accuracy"?)',
    ),
    "a figure without an interval": ("gate", {"at_least": "threshold=0.5"}, "threshold never has an interval"),
}


def judged(*scores):
    """A judge without probabilities on one context, whose two texts name no system."""
    return compared(make_dataset(one_context(*scores)), answers("a b first", "b a second"))


def texts(client, capsys, run, name, options):
    """Return what page, API and command of an analysis say."""
    of, row = ("datasets", run.dataset_id) if name == "separation" else ("runs", run.pk)
    words = [word for option, value in options.items() for word in (f"--{option.replace('_', '-')}", value)]
    words = [options["then"]] if "then" in options else words
    target = ["--dataset", run.dataset.name] if of == "datasets" else [run.pk]
    with suppress(SystemExit):
        call_command(name, *map(str, target), *map(str, words))
    page, api = (client.get(f"{prefix}/{of}/{row}/{name}/", options) for prefix in ("", "/api"))
    shown = capsys.readouterr()
    return unescape(page.content.decode()), str(api.json()), shown.out + shown.err


@pytest.mark.parametrize("case", CASES)
@pytest.mark.usefixtures("researcher")
def test_page_api_and_command_say_what_is_missing(client, capsys, case):
    (name, options, sentence), run = CASES[case], judged(*((2, 1) if case == "one context" else (1, 1)))
    if "then" in options:
        options = {"then": compared(run.dataset, answers("a b 0.7"), judge="other").pk}

    said = texts(client, capsys, run, name, options)

    assert [sentence in one for one in said] == [True, True, True]
