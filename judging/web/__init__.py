"""Shared parts of pages and API views: access, paging, downloads, errors."""
