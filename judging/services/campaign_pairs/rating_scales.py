"""The scales of a campaign of ratings: whole numbers from a lowest to a highest one, for each attribute."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, TypeVar

from evenhand.refusals import did_you_mean
from judging.models import Attribute, Campaign

USUAL_LOWEST, USUAL_HIGHEST = 1, 5
MOST_RATINGS = 11
"""The most levels of a scale, such as 0 to 10."""
LONGEST_LABEL = 80
FURTHEST = 1_000
NO_RATINGS_GIVEN: Mapping[str, int] = MappingProxyType({})

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class RatingScale:
    """A scale as asked for. lowest, highest: None for those of the dataset's attribute, else 1 and 5.

    lowest_label, highest_label: the meaning of the two ends, such as "incoherent" and "coherent".
    """

    lowest: int | None = None
    highest: int | None = None
    lowest_label: str = ""
    highest_label: str = ""

    def on(self, attribute: Attribute) -> "RatingScale":
        """Return the scale with the numbers that it has on an attribute."""
        usual = usual_scale(attribute)
        lowest = usual[0] if self.lowest is None else self.lowest
        highest = usual[1] if self.highest is None else self.highest
        return RatingScale(lowest, highest, self.lowest_label.strip(), self.highest_label.strip())


USUAL_SCALE = RatingScale()


def own_scales(campaign: Campaign) -> dict[str, RatingScale]:
    """Return name of an attribute -> its scale; empty for a campaign of pairs."""
    asked = campaign.asked_attributes.all() if campaign.is_of_ratings else ()
    return {
        one.attribute.name: RatingScale(one.lowest, one.highest, one.lowest_label, one.highest_label) for one in asked
    }


def by_name(values: Mapping[str, T], names: Sequence[str]) -> dict[str, T]:
    """Give a value without a name, whose key is "", to each of the names that has none."""
    given = dict(values)
    return dict.fromkeys(names, given.pop("")) | given if "" in given else given


def scales_of(names: Sequence[str], **ends: Mapping[str, Any]) -> dict[str, RatingScale]:
    """Return the scales that these options ask for, by name of the attribute. ends: field of a scale -> its values."""
    fields = {field: by_name(values, names) for field, values in ends.items()}
    asked = dict.fromkeys(name for values in fields.values() for name in values)
    return {
        name: RatingScale(**{field: values[name] for field, values in fields.items() if name in values})
        for name in asked
    }


def scale_options(scales: Mapping[str, RatingScale]) -> dict[str, Any]:
    """Return the options that ask for these scales."""
    fields = ("lowest", "highest", "lowest_label", "highest_label")
    return {field: {name: getattr(scale, field) for name, scale in scales.items()} for field in fields}


def usual_scale(attribute: Attribute) -> tuple[int, int]:
    """Return the declared scale of human scores if it has 2 to 11 whole numbers, else 1 to 5."""
    low, high = attribute.minimum, attribute.maximum
    if low is None or high is None or not (low.is_integer() and high.is_integer()):
        return USUAL_LOWEST, USUAL_HIGHEST
    return (int(low), int(high)) if 1 <= high - low < MOST_RATINGS else (USUAL_LOWEST, USUAL_HIGHEST)


def scale_problems(attributes: Sequence[Attribute], scales: Mapping[str, RatingScale]) -> Iterator[str]:
    """Yield the problems of the scales. Ratings must be possible human scores of the dataset.

    scales: name of an attribute -> its scale; others have the usual one.
    """
    names = [attribute.name for attribute in attributes]
    unknown = (name for name in scales if name not in names)
    problems = dict.fromkeys(
        f'lowest, highest: "{name}" is not an attribute of the campaign{did_you_mean(name, names)}' for name in unknown
    )
    for attribute in attributes:
        asked = scales.get(attribute.name, USUAL_SCALE).on(attribute)
        problems |= dict.fromkeys(_number_problems(asked, attribute))
    yield from problems


def _number_problems(scale: RatingScale, attribute: Attribute) -> Iterator[str]:
    lowest, highest = scale.lowest or 0, scale.highest or 0
    if not -FURTHEST <= lowest < highest <= FURTHEST:
        yield f"lowest, highest: {lowest} to {highest} — give two whole numbers, the lowest rating first"
    elif highest - lowest >= MOST_RATINGS:
        yield f"lowest, highest: {lowest} to {highest} has {highest - lowest + 1} levels — use at most {MOST_RATINGS}"
    low, high = attribute.minimum, attribute.maximum
    if (low is not None and lowest < low) or (high is not None and highest > high):
        declared = f"{'…' if low is None else f'{low:g}'} to {'…' if high is None else f'{high:g}'}"
        asked = f"lowest, highest: {lowest} to {highest}"
        yield f'{asked} — human scores of "{attribute.name}" are from {declared} in the dataset'
