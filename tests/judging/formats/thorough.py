"""How the property tests run: many examples, the same ones every time, on a machine however slow."""

from hypothesis import HealthCheck, settings

thorough = settings(max_examples=100, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
