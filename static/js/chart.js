// <figure data-chart="id">: drawn with plotly from the JSON with that id, made by rankings/charts. This script sets only
// the page's colours and font, light or dark, and the layout that fits the width.

const CHART = "figure[data-chart]";
const PRINTED = { upright: { width: 660, height: 900 }, wide: { width: 980, height: 560 } }; // pixels; print.css lays wide pages on their side
const PANEL_GAP = 32; // pixels between two panels of a page
const LEAST_SHRINKAGE = 0.4; // of the type in charts that are higher than a page
const LEAST_TYPE = 8; // pixels of a number in a cell; smaller ones are left out
const COLOUR = /^var\(--[\w-]+\)$/;
const CONFIG = { displayModeBar: false, responsive: true };

// plotly adds <style> elements, which the content policy forbids, unless elements with these ids exist: the first a
// style sheet for its rules, the second (for maps, which we do not draw) any element.
const RULES = "plotly.js-style-global";
const MAPS = "9f215cf04c5486422605d13261cb87401f4e7763b6296af81e98efbc0130da53";

const arrived = (element) => new Promise((resolve, reject) => {
    element.onload = resolve;
    element.onerror = () => reject(new Error(`${element.id || "plotly"} did not load`));
    document.head.append(element);
});

const element = (name, properties) => Object.assign(document.createElement(name), properties);

// The policy forbids style attributes, which plotly writes for heat maps. It allows the same rules by the style object.
function writeStyleAttributesAsRules() {
    const { setAttribute } = Element.prototype;
    Element.prototype.setAttribute = function (name, value) {
        if (name === "style") this.style.cssText = value;
        else setAttribute.call(this, name, value);
    };
}

async function fetchLibrary({ plotly, sheet }) {
    writeStyleAttributesAsRules();
    document.head.append(element("meta", { id: MAPS }));
    await arrived(element("link", { id: RULES, rel: "stylesheet", href: sheet }));
    await arrived(element("script", { src: plotly }));
    return window.Plotly;
}

// plotly has 5 MB: fetched once, for the first chart.
let library;
const plotly = (addresses) => (library ??= fetchLibrary(addresses));

// Returns the chart with each CSS custom property replaced by its colour in the given or the page's scheme.
function coloured(box, scheme = "") {
    const probe = box.appendChild(element("span", {}));
    probe.style.colorScheme = scheme;
    const colour = (property) => {
        probe.style.color = property;
        return getComputedStyle(probe).color;
    };
    const text = document.getElementById(box.dataset.chart).textContent;
    const chart = JSON.parse(text, (_, value) => (COLOUR.test(value) ? colour(value) : value));
    probe.remove();
    chart.layout.font.family = getComputedStyle(document.body).fontFamily;
    return chart;
}

const isObject = (value) => value?.constructor === Object;

// Returns the layout with changes merged into it, nested objects too.
function mergeLayout(layout, changes) {
    const merged = Object.entries(changes).map(([key, value]) => [key, isObject(value) ? mergeLayout(layout[key] ?? {}, value) : value]);
    return { ...layout, ...Object.fromEntries(merged) };
}

function fitted(box) {
    const { data, layout } = coloured(box);
    const isNarrow = box.clientWidth < layout.meta.narrow_below;
    return { data, layout: isNarrow ? mergeLayout(layout, layout.meta.narrow) : layout, fit: isNarrow ? "narrow" : "wide" };
}

// Returns the type sizes of a chart that is shrunk to a share of its height.
function smallerType({ font, xaxis, yaxis }, share) {
    const factor = Math.max(share, LEAST_SHRINKAGE);
    const ticks = (axis) => ({ tickfont: { ...axis.tickfont, size: (axis.tickfont?.size ?? font.size) * factor } });
    return { font: { size: font.size * factor }, xaxis: ticks(xaxis), yaxis: ticks(yaxis) };
}

// Returns the chart for a printed page: light, and at most as wide and high as A4 between its margins.
function printed(box) {
    const { data, layout } = coloured(box, "light");
    const paper = box.closest("main.wide") ? PRINTED.wide : PRINTED.upright;
    const width = box.closest(".panels.several") ? (paper.width - PANEL_GAP) / 2 : paper.width;
    const fitted = width < layout.meta.narrow_below ? mergeLayout(layout, layout.meta.narrow) : layout;
    const smaller = fitted.height > paper.height ? { height: paper.height, ...smallerType(fitted, paper.height / fitted.height) } : {};
    return { data, layout: mergeLayout(fitted, { autosize: false, width, ...smaller }), fit: "paper" };
}

// plotly makes the numbers in cells as small as the cells.
function hideSmallNumbers(box) {
    for (const number of box.querySelectorAll(".heatmap-label text")) {
        number.style.display = parseFloat(getComputedStyle(number).fontSize) < LEAST_TYPE ? "none" : "";
    }
}

async function draw(box) {
    const Plotly = await plotly(box.dataset);
    let drawn;
    // plotly keeps margins that the old layout needed, so a chart with another layout is drawn from nothing.
    const show = async ({ data, layout, fit }, config) => {
        if (drawn === fit) return Plotly.react(box, data, layout, config);
        drawn = fit;
        await Plotly.newPlot(box, data, layout, config);
        hideSmallNumbers(box);
        box.on("plotly_afterplot", () => hideSmallNumbers(box));
    };
    const paint = () => box.isConnected && show(fitted(box), CONFIG); // a chart that has left the page has no data
    let printing = false;
    await paint();
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", paint);
    new ResizeObserver(() => !printing && paint()).observe(box.parentElement);
    addEventListener("beforeprint", () => {
        printing = true;
        return show(printed(box), { ...CONFIG, responsive: false });
    });
    addEventListener("afterprint", () => {
        printing = false;
        return paint();
    });
}

htmx.onLoad((part) => (part.matches(CHART) ? [part] : part.querySelectorAll(CHART)).forEach(draw));
