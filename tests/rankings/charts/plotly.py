"""Charts as plotly reads them. It refuses attributes and values that it does not know."""

import plotly.graph_objects


def valid(chart):
    """The chart itself, when plotly accepts it wide and on a phone."""
    plotly.graph_objects.Figure(chart)
    on_a_phone(chart)
    return chart


def on_a_phone(chart):
    return changed(chart, chart["layout"]["meta"]["narrow"])


def changed(chart, changes):
    """The chart with changes of its layout, as plain dicts."""
    return plotly.graph_objects.Figure(chart).update_layout(changes).to_plotly_json()
