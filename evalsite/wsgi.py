"""The WSGI application of the web process."""

import os
from importlib import import_module

from django.conf import settings
from django.core.wsgi import get_wsgi_application

from evalsite.memory import use_memory_well

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "evalsite.settings")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # idle threads would take the cores from other requests
use_memory_well()
application = get_wsgi_application()
import_module(settings.ROOT_URLCONF)  # else the first reader waits for all imports
