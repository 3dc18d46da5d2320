"""Administration with roles: Django's admin, open to the group admin."""

from django.contrib.admin.apps import AdminConfig


class EvenhandAdminConfig(AdminConfig):
    default_site = "evalsite.admin.EvenhandAdminSite"
