"""Numbers, durations and prices as text for people."""


def counted(number: int, noun: str) -> str:
    """Format 1 and "run" as "1 run", and 1200 and "run" as "1,200 runs"."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def format_duration(seconds: float) -> str:
    """Format seconds by their two largest units: "3 h 20 min", "2 min 5 s", "8 s"."""
    whole = max(round(seconds), 0)
    minutes, rest = divmod(whole, 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def format_limit(size: int) -> str:
    """Format a limit in bytes, rounded down: "1 GB", "1.53 GB", "25 MB", "500 bytes".

    As in the settings, a megabyte is 1,048,576 bytes, and a gigabyte 1,000 of them.
    """
    for unit, name in ((1_000 * 2**20, "GB"), (2**20, "MB")):
        if size >= unit:
            return f"{size * 100 // unit / 100:,g} {name}"
    return counted(size, "byte")


def format_price(value: float) -> str:
    """Format 1234.5 as "1,234.50" and 0.00243 as "0.0024"."""
    return f"{value:,.2f}" if value >= 1 else f"{value:.2g}"
