// <div data-load-url="…">: filled with what that address answers; until then, and without scripts, its link leads there.
// <figure data-chart="id">: drawn from the JSON of that id.

import { draw } from "./chart.js";

const drawAll = (root) => Promise.all([...root.querySelectorAll("figure[data-chart]")].map(draw));

async function load(box) {
    box.setAttribute("aria-busy", "true");
    const link = box.innerHTML;
    box.innerHTML = "<p class='soft'>Computing the curve…</p>";
    try {
        const response = await fetch(box.dataset.loadUrl, { redirect: "error" });
        if (!response.ok) throw new Error(`status ${response.status}`);
        box.innerHTML = await response.text();
        await drawAll(box);
    } catch {
        box.innerHTML = link; // the link leads to the page that says what is wrong
    } finally {
        box.removeAttribute("aria-busy");
    }
}

drawAll(document);
for (const box of document.querySelectorAll("[data-load-url]")) load(box);
