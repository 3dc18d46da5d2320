// What plotly is told to draw: pure functions of the figure's data, the palette and the space there is.

import { DIAGRAMS, TRACES } from "./diagrams.js";

const SYMBOLS = ["circle", "square", "diamond", "triangle-up", "x", "cross", "star", "hexagram"];
const LABEL_GAP = 17; // pixels between the middles of two labels
const NOTE_HEIGHT = 26;
const HEIGHT = 420, MARGIN = { l: 62, r: 20, t: 16, b: 52 };

const faded = (colour, share) => colour.replace(/^rgb\((.*)\)$/, `rgba($1, ${share})`);

// Plotly reads tags and entities in what it writes; a name is text.
const plain = (name) => name.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

export function tracesOf(chart, palette, { narrow }) {
    if (chart.kind in TRACES) return TRACES[chart.kind](chart, palette, narrow);
    return chart.kind === "curve" ? curves(chart, palette, narrow) : dots(chart, palette, narrow);
}

// People stand out from every ranking.
const colourOf = (line, palette) => (line.people ? palette.people : palette.series[line.series - 1]);

function curves(chart, palette, narrow) {
    return chart.lines.flatMap((line) => {
        const colour = colourOf(line, palette);
        const band = {
            x: [...line.x, ...[...line.x].reverse()], y: [...line.high, ...[...line.low].reverse()],
            fill: "toself", fillcolor: faded(colour, 0.1), line: { width: 0 }, mode: "lines",
            hoverinfo: "skip", showlegend: false,
        };
        const middle = {
            x: line.x, y: line.y, name: line.name, mode: "lines+markers", showlegend: narrow,
            line: { color: colour, width: line.people ? 4 : 2, dash: line.people ? "solid" : line.dash },
            marker: { color: colour, size: 6, symbol: line.people ? "circle" : SYMBOLS[line.series - 1] + (line.open ? "-open" : "") + (line.dotted ? "-dot" : "") },
            hovertemplate: `${line.name}: %{y:.3f} at %{x}<extra></extra>`,
        };
        return [band, middle];
    });
}

// Long names leave room for the dots, unless two would read the same.
function fitting(names, longest) {
    const tail = Math.round(longest / 3);
    const cut = names.map((name) => (name.length > longest ? `${name.slice(0, longest - tail - 1)}…${name.slice(-tail)}` : name));
    return new Set(cut).size === names.length ? cut : names;
}

function dots(chart, palette, narrow) {
    const names = fitting(chart.dots.map((dot) => (narrow ? dot.short : `${dot.name}, n = ${dot.n.toLocaleString("en")}`)), narrow ? 24 : 68);
    return [{
        x: chart.dots.map((dot) => dot.value), y: names.map(plain), mode: "markers", showlegend: false,
        cliponaxis: false, // a dot at 0 or 100 % is shown whole
        marker: { color: palette.series[0], size: 10 },
        error_x: {
            type: "data", symmetric: false, color: palette.series[0], thickness: 2, width: 5,
            array: chart.dots.map((dot) => (dot.high ?? dot.value) - dot.value),
            arrayminus: chart.dots.map((dot) => dot.value - (dot.low ?? dot.value)),
        },
        hovertemplate: "%{x:.1%}<extra>%{y}</extra>",
    }];
}

export function layoutOf(chart, palette, { narrow, font }) {
    const axis = {
        gridcolor: palette.line, linecolor: palette["ink-soft"], zeroline: false, automargin: true,
        tickfont: { color: palette["ink-soft"] },
    };
    const common = {
        paper_bgcolor: palette.surface, plot_bgcolor: palette.surface, hovermode: "closest",
        font: { family: font, size: 13, color: palette.ink },
    };
    if (chart.kind in DIAGRAMS) return { ...common, ...DIAGRAMS[chart.kind](chart, axis) };
    return chart.kind === "curve" ? curveLayout(chart, palette, narrow, axis, common) : dotLayout(chart, palette, axis, common);
}

// The same for a picture without its page: its note stands below it.
export function pictureLayoutOf(chart, palette, font) {
    const layout = layoutOf(chart, palette, { narrow: false, font });
    return {
        ...layout,
        height: layout.height + NOTE_HEIGHT,
        margin: { ...layout.margin, b: layout.margin.b + NOTE_HEIGHT },
        xaxis: { ...layout.xaxis, title: { ...layout.xaxis.title, standoff: 8 } },
        title: {
            text: chart.note, xref: "container", x: 0, xanchor: "left", yref: "container", y: 0, yanchor: "bottom",
            pad: { l: 12, b: 10 }, font: { size: 12, color: palette["ink-soft"] },
        },
    };
}

function curveLayout(chart, palette, narrow, axis, common) {
    const all = chart.lines.flatMap((line) => [...line.low, ...line.high]);
    const low = Math.min(...all), high = Math.max(...all), room = Math.max((high - low) * 0.06, 0.01);
    const range = [low - room, high + room];
    const longest = Math.max(...chart.lines.map((line) => line.name.length));
    return {
        ...common,
        height: narrow ? HEIGHT + 28 * chart.lines.length : HEIGHT,
        margin: { ...MARGIN, r: narrow ? MARGIN.r : 24 + longest * 7.2 },
        legend: { orientation: "h", y: -0.22 },
        xaxis: { ...axis, ...xSteps(chart), title: { text: chart.x_title } },
        yaxis: { ...axis, range, title: { text: chart.y_title } },
        annotations: narrow ? [] : labels(chart, palette, range),
    };
}

// Comparisons are whole: no tick between two of them.
function xSteps(chart) {
    const all = chart.lines.flatMap((line) => line.x);
    const low = Math.min(...all), high = Math.max(...all), room = Math.max((high - low) * 0.02, 0.5);
    return { range: [low - room, high + room], ...(high - low < 10 ? { dtick: 1 } : {}) };
}

// Names beside the ends of the lines, pushed apart where they would cover each other.
function labels(chart, palette, range) {
    const perPixel = (range[1] - range[0]) / (HEIGHT - MARGIN.t - MARGIN.b);
    const right = Math.max(...chart.lines.flatMap((line) => line.x));
    const ends = chart.lines.map((line) => ({ line, y: line.y.at(-1) })).sort((one, other) => one.y - other.y);
    let floor = -Infinity;
    for (const end of ends) floor = end.y = Math.max(end.y, floor + LABEL_GAP * perPixel);
    let ceiling = range[1];
    for (const end of ends.reverse()) ceiling = end.y = Math.min(end.y, ceiling), ceiling -= LABEL_GAP * perPixel;
    return ends.map(({ line, y }) => ({
        x: right, y, xanchor: "left", xshift: 12, showarrow: false, text: line.name,
        font: { color: colourOf(line, palette) },
    }));
}

function dotLayout(chart, palette, axis, common) {
    const ceiling = chart.ceiling === null ? [] : [chart.ceiling];
    const range = dotRange(chart, ceiling);
    return {
        ...common,
        height: 110 + 42 * chart.dots.length,
        margin: { ...MARGIN, t: 34 },
        xaxis: { ...axis, title: { text: chart.x_title }, tickformat: ".0%", range },
        yaxis: { ...axis, autorange: "reversed", type: "category" },
        shapes: ceiling.map((x) => ({
            type: "line", x0: x, x1: x, yref: "paper", y0: 0, y1: 1, line: { color: palette["ink-soft"], width: 2, dash: "dash" },
        })),
        annotations: ceiling.map((x) => ({
            x, xanchor: 2 * x > range[0] + range[1] ? "right" : "left", yref: "paper", y: 1, yanchor: "bottom", showarrow: false, text: `${chart.ceiling_name} ${(100 * x).toFixed(1)} %`,
        })),
    };
}

function dotRange(chart, ceiling) {
    const all = [0.5, ...ceiling, ...chart.dots.flatMap((dot) => [dot.low ?? dot.value, dot.high ?? dot.value])];
    return [Math.max(Math.min(...all) - 0.03, 0), Math.min(Math.max(...all) + 0.03, 1)];
}
