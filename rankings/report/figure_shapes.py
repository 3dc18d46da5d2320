"""Figures as fields of reports: what is written after their value."""

from typing import Annotated

from evenhand.numerics import Figure
from evenhand.report_json import Carries

PlainFigure = Annotated[Figure, Carries()]
CountedFigure = Annotated[Figure, Carries(("n",))]
IntervalFigure = Annotated[Figure, Carries(("low", "high", "n"))]
