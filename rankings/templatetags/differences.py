"""Template filters for differences and p-values."""

from django import template

from rankings.compare.difference_text import p_value, points, points_interval

register = template.Library()

for write in (points, points_interval, p_value):
    register.filter(write)
