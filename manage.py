#!/usr/bin/env python3
"""Run one of Evenhand's commands: `python manage.py NAME …`."""

from evalsite.cli import main

if __name__ == "__main__":
    main()
