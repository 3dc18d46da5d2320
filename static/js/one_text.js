// [data-text-switch]: on narrow screens, one of the two texts at a time. Each keeps its place on the page. The
// button of a text brings it into view.
// A dot marks a text until its end was on screen. Wide screens and browsers without scripts show both texts.

const WIDE = matchMedia("(min-width: 56rem)"); // as in annotate.css
const IN_VIEW = 0.7; // a text that begins lower than this share of what the bar leaves visible is brought to the top
let pair = null; // { key, shown, places, read } of the pair on screen; other marks of the same pair keep it

function mark(bar) {
    for (const button of bar.querySelectorAll("[data-text]")) {
        const place = Number(button.dataset.text);
        button.setAttribute("aria-pressed", String(place === pair.shown));
        button.querySelector("[data-unread]").hidden = pair.read[place];
    }
}

function show(bar, place) {
    pair.places[pair.shown] = scrollY;
    pair.shown = place;
    document.querySelector("[data-annotate]").dataset.oneText = place;
    mark(bar);
    const top = document.querySelector(".texts").getBoundingClientRect().top + scrollY;
    const kept = pair.places[place] ?? Math.min(scrollY, top);
    const visible = innerHeight - bar.closest(".vote-bar").offsetHeight;
    scrollTo({ top: top < kept + IN_VIEW * visible ? kept : top, behavior: "instant" });
}

function watchEnds(bar) {
    const covered = bar.closest(".vote-bar").offsetHeight;
    const seen = new IntersectionObserver((entries) => {
        for (const { isIntersecting, target } of entries) if (isIntersecting) pair.read[Number(target.dataset.textEnd)] = true;
        mark(bar);
    }, { rootMargin: `0px 0px -${covered}px 0px` });
    for (const end of document.querySelectorAll("[data-text-end]")) seen.observe(end);
}

function prepare() {
    const bar = document.querySelector("[data-text-switch]");
    if (!bar) return;
    const key = bar.closest("form").elements.pair.value;
    if (pair?.key !== key) pair = { key, shown: 0, places: [], read: [false, false] };
    bar.hidden = false;
    document.querySelector("[data-annotate]").dataset.oneText = pair.shown;
    mark(bar);
    watchEnds(bar);
}

document.addEventListener("click", ({ target }) => {
    const button = target.closest("[data-text]");
    if (button && !WIDE.matches) show(button.closest("[data-text-switch]"), Number(button.dataset.text));
});
document.addEventListener("pairshown", prepare);
document.addEventListener("htmx:afterSwap", prepare); // texts with marked differences
prepare();
