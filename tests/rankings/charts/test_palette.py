"""The palette of the charts, and its shades in the style sheets."""

import re
from itertools import pairwise
from pathlib import Path

import pytest

from rankings.charts import palette

CSS = Path(__file__).resolve().parents[3] / "static" / "css"


def test_palette_has_a_light_and_a_dark_shade_of_each_colour():
    sheets = (CSS / "site.css").read_text() + (CSS / "chart.css").read_text()
    shades = set(re.findall(r"(--[\w-]+): light-dark\(", sheets))

    colours = {
        palette.INK,
        palette.SOFT,
        palette.LINE,
        palette.SURFACE,
        palette.SUNKEN,
        palette.PEOPLE,
        *palette.SERIES,
    }
    colours |= {colour for _, colour in palette.CELL_SHADES + palette.SHADES_AROUND_HALF}

    assert {f"var({name})" for name in shades} >= colours


def channels(colour, scheme):
    """Return red, green and blue of a custom property, from 0 to 1. scheme: 0 for light, 1 for dark."""
    sheets = (CSS / "site.css").read_text() + (CSS / "chart.css").read_text()
    [pair] = re.findall(rf"{colour[4:-1]}: light-dark\(#(\w{{6}}), #(\w{{6}})\)", sheets)
    return [int(pair[scheme][at : at + 2], 16) / 255 for at in (0, 2, 4)]


def luminance(colour):
    linear = [value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in colour]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    """Return the contrast of two colours as WCAG 2 defines it."""
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize("shades", [palette.CELL_SHADES, palette.SHADES_AROUND_HALF])
def test_numbers_can_be_read_on_every_shade_of_a_cell(shades, scheme):
    ink = channels(palette.INK, scheme)
    for (_, one), (_, other) in pairwise(shades):
        ends = channels(one, scheme), channels(other, scheme)
        for step in range(21):
            shade = [low + (high - low) * step / 20 for low, high in zip(*ends, strict=True)]
            assert contrast(ink, shade) >= 4.5


def test_one_half_has_no_colour_between_two_colours():
    (_, below), (place, middle), (_, above) = palette.SHADES_AROUND_HALF

    assert (place, middle) == (0.5, palette.SURFACE)
    assert channels(below, 0)[0] > channels(below, 0)[2]  # orange
    assert channels(above, 0)[0] < channels(above, 0)[2]  # blue


def test_palette_begins_again_after_its_last_colour():
    assert palette.line_colour(len(palette.SERIES)) == palette.line_colour(0)
    assert palette.line_symbol(len(palette.SYMBOLS)) == palette.line_symbol(0)
