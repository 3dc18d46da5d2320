"""Spans of time in templates."""

from django import template

from judging import durations

register = template.Library()
register.filter(durations.duration)
