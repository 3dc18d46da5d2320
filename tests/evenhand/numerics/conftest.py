"""Property tests are judged by what they find, not by how long a busy machine takes for one example."""

from hypothesis import settings

settings.register_profile("numerics", deadline=None, max_examples=50)
settings.load_profile("numerics")
