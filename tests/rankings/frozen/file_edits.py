"""Random edits of the file of a frozen report: of its data, of its page, or of both."""

import random
import re
from collections.abc import Callable, Iterator
from typing import Any

from django.utils.html import json_script

from rankings.frozen.report_file import DATA, DATA_ID, data_in


def with_data(html: str, data: object) -> str:
    """Return the file with other data, and with the same page."""
    return DATA.sub(lambda _: json_script(data, DATA_ID), html)


def leaves(data: Any, *without: str) -> Iterator[tuple[Any, Any]]:
    """Yield each list or mapping with the key of each of its values."""
    for key, value in list(data.items() if isinstance(data, dict) else enumerate(data)):
        if isinstance(value, dict | list):
            if key not in without:
                yield from leaves(value, *without)
        elif key != "format":
            yield data, key


def other_character(text: str, rng: random.Random) -> str:
    at = rng.choice([at for at, one in enumerate(text) if one.isalnum()])
    return text[:at] + rng.choice([one for one in "0123456789abcdef" if one != text[at]]) + text[at + 1 :]


def edit_data(edit: Callable[[dict[str, Any], random.Random], None]) -> Callable[[str, random.Random], str]:
    def edited(html: str, rng: random.Random) -> str:
        data = data_in(html)
        edit(data, rng)
        return with_data(html, data)

    return edited


@edit_data
def number_in_data(data: dict[str, Any], rng: random.Random) -> None:
    numbers = [(part, key) for part, key in leaves(data) if type(part[key]) in (int, float)]
    part, key = rng.choice(numbers)
    part[key] += 1 if type(part[key]) is int else rng.choice([0.1, 1e-6, -1e-12])


@edit_data
def text_in_data(data: dict[str, Any], rng: random.Random) -> None:
    texts = [(part, key) for part, key in leaves(data, "versions") if isinstance(part[key], str) and part[key]]
    part, key = rng.choice(texts)
    part[key] = other_character(part[key], rng)


@edit_data
def exchanged_labels(data: dict[str, Any], rng: random.Random) -> None:
    first, second = data["certificate"]["runs"]
    pivot, chart = data["tables"][0]["pivot"], data["charts"][0]["table"]["rows"]
    exchanges: list[Callable[[], None]] = [
        pivot["rows"].reverse,
        pivot["row_names"].reverse,
        lambda: chart[0].update(names=chart[1]["names"]),
        lambda: first.update(judge=second["judge"]),
    ]
    rng.choice(exchanges)()


@edit_data
def removed_from_data(data: dict[str, Any], rng: random.Random) -> None:
    whole = [(data["tables"], 1), (data, "charts"), (data["certificate"], "votes"), (data["tables"][0], "title")]
    part, key = rng.choice([*leaves(data, "versions"), *whole])
    del part[key]


@edit_data
def renamed_in_data(data: dict[str, Any], rng: random.Random) -> None:
    figure = rng.choice(["accuracy_both_orders", "order_agreement"])
    rng.choice([data["tables"][0]["pivot"], data["tables"][0]["choice"]])["figure"] = figure


def visible_text(html: str, rng: random.Random) -> str:
    places = re.compile(r">([^<>]+)<").finditer(html, html.index("<main"), html.index("</main>"))
    first, last = rng.choice([one.span(1) for one in places if re.search(r"[a-zA-Z0-9]", one.group(1))])
    return html[:first] + other_character(html[first:last], rng) + html[last:]


def inside_a_tag(html: str, rng: random.Random) -> str:
    """Edit a download, a picture, an address, a full hash or a value by which the table is sorted."""
    page = html[: html.index("</main>")]
    first, last = rng.choice([*re.finditer(r'="([^"]*[a-zA-Z0-9][^"]*)"', page)]).span(1)
    return html[:first] + other_character(html[first:last], rng) + html[last:]


def removed_from_page(html: str, rng: random.Random) -> str:
    kinds = [
        r"<tr[ >].*?</tr>",
        r"<p[ >].*?</p>",
        r"<table.*?</table>",
        r"<section.*?</section>",
        r"<li>.*?</li>",
        "\n",
    ]
    found = rng.choice([*re.finditer(rng.choice(kinds), html, re.DOTALL)])
    return html[: found.start()] + html[found.end() :]


def everywhere(html: str, rng: random.Random) -> str:
    """Replace a name, a hash or a time on the page and in the data."""
    data = data_in(html)
    certificate = data["certificate"]
    values = [data["name"], data["frozen_at"], data["frozen_by"], "alpha", "beta", certificate["votes"][0]["sha256"]]
    values += [certificate["datasets"][0]["name"], certificate["runs"][0]["answers_sha256"]]
    value = rng.choice(values)
    return html.replace(value, other_character(value, rng)).replace(value[:12], other_character(value[:12], rng))


def added_to_file(html: str, rng: random.Random) -> str:
    return rng.choice([html + " ", html.replace("\n", "\r\n"), html.replace("</h1>", "</h1><p>Ours wins.</p>")])


EDITS = [number_in_data, text_in_data, exchanged_labels, removed_from_data, renamed_in_data]
EDITS += [visible_text, visible_text, inside_a_tag, removed_from_page, everywhere, added_to_file]
