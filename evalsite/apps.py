"""The app of the administration site."""

from django.contrib.admin.apps import AdminConfig


class EvenhandAdminConfig(AdminConfig):
    default_site = "evalsite.admin.EvenhandAdminSite"
