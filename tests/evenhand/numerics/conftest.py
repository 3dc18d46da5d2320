"""Property tests are judged by what they find, not by how long a busy machine takes for one example."""

from hypothesis import HealthCheck, settings

settings.register_profile("numerics", deadline=None, max_examples=50, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("numerics")
