"""The WSGI application of the web process."""

import os

from django.core.wsgi import get_wsgi_application

from evalsite.garbage import collect_rarely

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "evalsite.settings")
collect_rarely()
application = get_wsgi_application()
