"""The time of the pages of results, cold and warm, for datasets of several shapes."""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy is imported, as in the web process
