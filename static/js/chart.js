// Draws the figures of rankings/charts.py with plotly, in the colours of the page, light or dark.

import { layoutOf, pictureLayoutOf, tracesOf } from "./figures.js";

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

// What a custom property comes to, light-dark() resolved as for the page or by the scheme that is given.
function colours(box, scheme = "") {
    const probe = box.appendChild(document.createElement("span"));
    probe.style.colorScheme = scheme;
    const read = (name) => {
        probe.style.color = `var(--${name})`;
        return getComputedStyle(probe).color;
    };
    const named = Object.fromEntries(["ink", "ink-soft", "line", "surface", "accent", "people"].map((name) => [name, read(name)]));
    const series = [1, 2, 3, 4, 5, 6, 7, 8].map((number) => read(`series-${number}`));
    probe.remove();
    return { ...named, series };
}

const fontOf = () => getComputedStyle(document.body).fontFamily;

// As papers show it: wide and light, whatever the page is.
function pictureOf(box, chart) {
    const palette = colours(box, "light");
    return { data: tracesOf(chart, palette, { narrow: false }), layout: pictureLayoutOf(chart, palette, fontOf()) };
}

// Of the page's address, so that pictures of two runs have two names.
const nameOf = (chart) => [...new Set([...location.pathname.split("/").filter(Boolean), chart.kind])].join("-");

function addDownloads(box, Plotly, chart) {
    const buttons = document.createElement("p");
    buttons.className = "actions";
    for (const format of SVG_AND_PNG) {
        const button = document.createElement("button");
        button.className = "button quiet";
        button.type = "button";
        button.textContent = `Chart as ${format.toUpperCase()}`;
        button.addEventListener("click", () => {
            const picture = pictureOf(box, chart);
            const size = { width: 1000, height: picture.layout.height, scale: format === "png" ? 2 : 1 };
            return Plotly.downloadImage(picture, { format, filename: nameOf(chart), ...size });
        });
        buttons.append(button);
    }
    box.after(buttons);
}

export async function draw(box) {
    const chart = JSON.parse(document.getElementById(box.dataset.chart).textContent);
    const Plotly = await plotly(box.dataset);
    const paint = () => {
        const palette = colours(box);
        const narrow = box.clientWidth < 640;
        const layout = layoutOf(chart, palette, { narrow, font: fontOf() });
        return Plotly.react(box, tracesOf(chart, palette, { narrow }), layout, { displayModeBar: false, responsive: true });
    };
    await paint();
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", paint);
    new ResizeObserver(paint).observe(box.parentElement);
    addDownloads(box, Plotly, chart);
}
