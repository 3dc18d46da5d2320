"""The palette of the charts, and its shades in the style sheets."""

import re
from pathlib import Path

from rankings.charts import palette

CSS = Path(__file__).resolve().parents[3] / "static" / "css"


def test_palette_has_a_light_and_a_dark_shade_of_each_colour():
    sheets = (CSS / "site.css").read_text() + (CSS / "chart.css").read_text()
    shades = set(re.findall(r"(--[\w-]+): light-dark\(", sheets))

    colours = {palette.INK, palette.SOFT, palette.LINE, palette.SURFACE, palette.PEOPLE, *palette.SERIES}

    assert {f"var({name})" for name in shades} >= colours


def test_palette_begins_again_after_its_last_colour():
    assert palette.line_colour(len(palette.SERIES)) == palette.line_colour(0)
    assert palette.line_symbol(len(palette.SYMBOLS)) == palette.line_symbol(0)
