"""Frozen reports of studies: one HTML file with tables, methods and a certificate, and its verification."""
