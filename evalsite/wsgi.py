"""The WSGI application of the web process."""

import os

from django.core.wsgi import get_wsgi_application

from evalsite.memory import use_memory_well

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "evalsite.settings")
use_memory_well()
application = get_wsgi_application()
