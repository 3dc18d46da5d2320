"""Charts of a run's diagnostics: the reliability diagram, and p against the difference of human scores."""

from collections.abc import Sequence

from rankings.charts.counts_chart import counts_trace, middles, shades_of_counts
from rankings.charts.dot_chart import interval_bars
from rankings.charts.line_chart import diagonal_trace
from rankings.charts.palette import line_colour
from rankings.charts.plotly_chart import Chart, Trace, figure
from rankings.diagnostics.diagnostics_row import CalibrationBin, DifferencesAtP, ScoreDifferences

HEIGHT = 440


def reliability_chart(bins: Sequence[CalibrationBin], before: Sequence[CalibrationBin] = ()) -> Chart | None:
    """Draw how often people prefer the first against the judge's probability. None when no part has both.

    before: of the judge that is calibrated, drawn dotted.
    """
    parts, earlier = ([part for part in some if part.share_first.value is not None] for some in (bins, before))
    if not parts:
        return None
    total = sum(part.share_first.n or 0 for part in parts)
    layout = {
        "height": HEIGHT,
        "xaxis": {"title": "p, as the judge says", "range": [-0.02, 1.02]},
        "yaxis": {"title": "People prefer the first", "range": [-0.04, 1.04], "tickformat": ".0%"},
    }
    note = f"{total:,} comparisons; bars: 95 % intervals over contexts."
    traces = [diagonal_trace(), reliability_trace(parts)]
    if earlier:
        traces.append(reliability_trace(earlier, place=1, dash="dot"))
        note = f"{note} Dotted: before calibration."
    return figure(traces, layout, name="reliability", note=note)


def reliability_trace(parts: Sequence[CalibrationBin], place: int = 0, dash: str = "solid") -> Trace:
    """Return the line of a judge. place: of its colour."""
    colour = line_colour(place)
    shares = [part.share_first for part in parts]
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "x": [part.mean_p_first.value for part in parts],
        "y": [share.value for share in shares],
        "customdata": [share.n for share in shares],
        "marker": {"color": colour, "size": 9},
        "line": {"color": colour, "width": 1, "dash": dash},
        "error_y": interval_bars(shares, color=colour, thickness=2, width=4),
        "hovertemplate": "judge %{x:.3f}, people %{y:.1%}, n = %{customdata}<extra></extra>",
    }


def joint_chart(joint: ScoreDifferences) -> Chart | None:
    """Draw p and the difference of human scores together, with the mean difference at each p."""
    if not joint.counts:
        return None
    x, y = middles(joint.p_edges), middles(joint.difference_edges)
    total = sum(map(sum, joint.counts))
    layout = {
        "height": HEIGHT,
        "xaxis": {"title": "p, as the judge says", "range": [0, 1]},
        "yaxis": {"title": "Human score, first minus second"},
        "coloraxis": shades_of_counts(max(map(max, joint.counts)), noun="comparisons"),
    }
    return figure(
        [
            counts_trace(x, y, joint.counts, hover="p near %{x:.3f}, difference near %{y:.2f}: %{text}"),
            means_trace(x, joint.by_p_first),
        ],
        layout,
        name="joint",
        note=f"{total:,} comparisons; dots: mean differences; bars: standard deviations.",
        narrow={"coloraxis": {"showscale": False}},
    )


def means_trace(x: Sequence[float], parts: Sequence[DifferencesAtP]) -> Trace:
    """Draw the mean difference at each P(first), with its standard deviation."""
    colour = line_colour(1)
    drawn = [(at, part) for at, part in zip(x, parts, strict=True) if part.mean.value is not None]
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "x": [at for at, _ in drawn],
        "y": [part.mean.value for _, part in drawn],
        "marker": {"color": colour, "size": 7},
        "line": {"color": colour, "width": 2},
        "error_y": {
            "type": "data",
            "array": [part.deviation.value or 0 for _, part in drawn],
            "color": colour,
            "thickness": 1.5,
            "width": 3,
        },
        "hovertemplate": "mean difference %{y:.2f} at p near %{x:.3f}<extra></extra>",
    }
