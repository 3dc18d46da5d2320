"""The HTTP API of judging: the same rows, rights and services as the pages."""
