"""Steering: texts that try to move a judge, and how far such a sentence moves one."""
