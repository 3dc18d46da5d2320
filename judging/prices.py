"""What something costs, as people read it."""


def price(value: float) -> str:
    """1234.5 as "1,234.50", 0.00243 as "0.0024"."""
    return f"{value:,.2f}" if value >= 1 else f"{value:.2g}"
