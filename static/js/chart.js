// <figure data-chart="id">: drawn with plotly from the JSON of that id, a figure of rankings/charts. Here it only gets
// the colours and the font of the page, light or dark, and the layout that fits its width.

const CHART = "figure[data-chart]";
const NARROW = 640; // pixels
const COLOUR = /^var\(--[\w-]+\)$/;
const CONFIG = { displayModeBar: false, responsive: true };
const SVG_AND_PNG = ["svg", "png"];

// plotly makes <style> elements, which the policy forbids, unless these ids are taken: the first by a sheet that it then
// adds its rules to, the second (of its maps, which we do not draw) by anything.
const RULES = "plotly.js-style-global";
const MAPS = "9f215cf04c5486422605d13261cb87401f4e7763b6296af81e98efbc0130da53";

const arrived = (element) => new Promise((resolve, reject) => {
    element.onload = resolve;
    element.onerror = () => reject(new Error(`${element.id || "plotly"} did not load`));
    document.head.append(element);
});

const element = (name, properties) => Object.assign(document.createElement(name), properties);

async function fetchLibrary({ plotly, sheet }) {
    document.head.append(element("meta", { id: MAPS }));
    await arrived(element("link", { id: RULES, rel: "stylesheet", href: sheet }));
    await arrived(element("script", { src: plotly }));
    return window.Plotly;
}

// plotly is 5 MB: fetched when there is something to draw, and once.
let library;
const plotly = (addresses) => (library ??= fetchLibrary(addresses));

// The figure, each custom property replaced by its colour for the scheme of the page or the given one.
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

// The layout with these changes, made in its objects too.
function changed(layout, changes) {
    const merged = Object.entries(changes).map(([key, value]) => [key, isObject(value) ? changed(layout[key] ?? {}, value) : value]);
    return { ...layout, ...Object.fromEntries(merged) };
}

function fitted(box) {
    const { data, layout } = coloured(box);
    return { data, layout: box.clientWidth < NARROW ? changed(layout, layout.meta.narrow) : layout };
}

// As papers show it: wide and light, whatever the page is.
function picture(box) {
    const { data, layout } = coloured(box, "light");
    return { data, layout: changed(layout, layout.meta.picture) };
}

// From the page's address, so that pictures of two runs have two names.
const fileName = ({ meta }) => [...new Set([...location.pathname.split("/").filter(Boolean), meta.name])].join("-");

function downloadButton(box, Plotly, format) {
    const button = element("button", { className: "button quiet", type: "button", textContent: `Chart as ${format.toUpperCase()}` });
    button.addEventListener("click", () => {
        const chart = picture(box);
        const size = { width: 1000, height: chart.layout.height, scale: format === "png" ? 2 : 1 };
        return Plotly.downloadImage(chart, { format, filename: fileName(chart.layout), ...size });
    });
    return button;
}

async function draw(box) {
    const Plotly = await plotly(box.dataset);
    const paint = () => {
        const { data, layout } = fitted(box);
        return Plotly.react(box, data, layout, CONFIG);
    };
    await paint();
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", paint);
    new ResizeObserver(paint).observe(box.parentElement);
    const buttons = element("p", { className: "actions" });
    buttons.append(...SVG_AND_PNG.map((format) => downloadButton(box, Plotly, format)));
    box.after(buttons);
}

htmx.onLoad((part) => (part.matches(CHART) ? [part] : part.querySelectorAll(CHART)).forEach(draw));
