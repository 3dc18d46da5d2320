"""The warning about a mean that rests on few observations."""

ENOUGH_OBSERVATIONS = 10


def few_observations(n: int | None, noun: str) -> str:
    """Return the warning about a mean over few observations, for example "rests on 2 contexts"; "" for enough."""
    if n is None or n >= ENOUGH_OBSERVATIONS:
        return ""
    return f"rests on {n} {noun}{'' if n == 1 else 's'}"
