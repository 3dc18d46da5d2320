"""Shared parts of pages and API views: role checks, paging, downloads, errors."""
