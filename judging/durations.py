"""Spans of time as people say them."""


def duration(seconds: float) -> str:
    """Seconds as the two largest units: "3 h 20 min", "2 min 5 s", "8 s"."""
    whole = max(round(seconds), 0)
    minutes, rest = divmod(whole, 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"
