// What plotly is told to draw of a run's diagnostics: the reliability diagram, and probability against score difference.

const HEIGHT = 440;

const reliabilityTraces = (chart, palette) => [
    {
        x: [0, 1], y: [0, 1], mode: "lines", hoverinfo: "skip", showlegend: false,
        line: { color: palette["ink-soft"], width: 1, dash: "dash" },
    },
    {
        x: chart.points.map((point) => point.x), y: chart.points.map((point) => point.y), mode: "lines+markers", showlegend: false,
        marker: { color: palette.series[0], size: 9 }, line: { color: palette.series[0], width: 1 },
        error_y: {
            type: "data", symmetric: false, color: palette.series[0], thickness: 2, width: 4,
            array: chart.points.map((point) => (point.high ?? point.y) - point.y),
            arrayminus: chart.points.map((point) => point.y - (point.low ?? point.y)),
        },
        customdata: chart.points.map((point) => point.n),
        hovertemplate: "judge %{x:.3f}, people %{y:.1%}, n = %{customdata}<extra></extra>",
    },
];

// The shade goes by the square root, so that few comparisons are seen beside many.
function jointTraces(chart, palette, narrow) {
    const most = Math.max(...chart.counts.flat());
    const shown = [...new Set([1, Math.round(most / 4), most])].filter((n) => n > 0);
    return [
        {
            type: "heatmap", x: chart.x, y: chart.y, xgap: 1, ygap: 1, hoverongaps: false, showscale: !narrow,
            z: chart.counts.map((row) => row.map((n) => (n ? Math.sqrt(n) : null))), text: chart.counts,
            zmin: 0, zmax: Math.sqrt(most), colorscale: [[0, palette.surface], [1, palette.series[0]]],
            colorbar: { title: { text: "comparisons", side: "right" }, tickvals: shown.map(Math.sqrt), ticktext: shown.map(String), outlinewidth: 0, thickness: 14 },
            hovertemplate: "P(first) near %{x:.3f}, difference near %{y:.2f}: %{text}<extra></extra>",
        },
        {
            x: chart.means.map((mean) => mean.x), y: chart.means.map((mean) => mean.y), mode: "lines+markers", showlegend: false,
            marker: { color: palette.series[1], size: 7 }, line: { color: palette.series[1], width: 2 },
            error_y: { type: "data", array: chart.means.map((mean) => mean.deviation ?? 0), color: palette.series[1], thickness: 1.5, width: 3 },
            hovertemplate: "mean difference %{y:.2f} at P(first) near %{x:.3f}<extra></extra>",
        },
    ];
}

export const TRACES = { reliability: reliabilityTraces, joint: jointTraces };

export const DIAGRAMS = {
    reliability: (chart, axis) => ({
        height: HEIGHT,
        margin: { l: 62, r: 20, t: 16, b: 52 },
        xaxis: { ...axis, range: [-0.02, 1.02], title: { text: chart.x_title } },
        yaxis: { ...axis, range: [-0.04, 1.04], tickformat: ".0%", title: { text: chart.y_title } },
    }),
    joint: (chart, axis) => ({
        height: HEIGHT,
        margin: { l: 62, r: 20, t: 16, b: 52 },
        xaxis: { ...axis, range: [0, 1], title: { text: chart.x_title } },
        yaxis: { ...axis, title: { text: chart.y_title } },
    }),
};
