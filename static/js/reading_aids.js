// #differences: a form that marks the words in which the texts differ; htmx replaces [data-compared] and the form.
// [data-scroll-together]: a switch, remembered in this browser. While it is on, both texts scroll to the same share of
// their length, and [data-scrolled-together] says so with the vote.

const STORED = "evenhand-scroll-together", TEXTS = ".texts .passage";
const LOST = "The differences cannot be loaded: the server cannot be reached. Try again.";

let positions = [];
const expected = new WeakMap(); // the position to which this script scrolled a text

const texts = () => [...document.querySelectorAll(TEXTS)];
const isOn = () => localStorage.getItem(STORED) === "on";
const room = (text) => text.scrollHeight - text.clientHeight;
const pairOf = (page) => page.querySelector("#differences [name=pair]")?.value;

function say(text) {
    document.querySelector("[data-vote-status]").textContent = text;
}

function showSwitch() {
    const button = document.querySelector("[data-scroll-together]");
    if (!button) return;
    button.hidden = false;
    button.setAttribute("aria-pressed", String(isOn()));
}

function follow(text) {
    const other = texts().find((one) => one !== text);
    if (Math.abs(text.scrollTop - (expected.get(text) ?? -2)) <= 1) return;
    if (room(text) < 1 || room(other) < 1) return;
    other.scrollTop = (text.scrollTop / room(text)) * room(other);
    expected.set(other, other.scrollTop);
    expected.delete(text);
    document.querySelector("[data-scrolled-together]").value = "on";
}

document.addEventListener("scroll", ({ target }) => {
    if (isOn() && target instanceof Element && target.matches(TEXTS)) follow(target);
}, { capture: true, passive: true });

document.addEventListener("click", (event) => {
    if (!event.target.closest("[data-scroll-together]")) return;
    if (isOn()) localStorage.removeItem(STORED);
    else localStorage.setItem(STORED, "on");
    showSwitch();
});

document.addEventListener("htmx:beforeSwap", (event) => {
    if (event.detail.requestConfig.elt.id !== "differences") return;
    const page = new DOMParser().parseFromString(event.detail.serverResponse, "text/html");
    positions = texts().map((text) => text.scrollTop);
    if (pairOf(page) === pairOf(document)) return;
    event.detail.shouldSwap = false; // the pair was released: never show texts of another pair above this one's buttons
    location.reload();
});

document.addEventListener("htmx:afterSwap", (event) => {
    if (event.detail.requestConfig.elt.id !== "differences") return;
    texts().forEach((text, place) => { text.scrollTop = positions[place]; });
    say(document.querySelector("[data-difference-counts]")?.textContent ?? "Differences are hidden.");
});

document.addEventListener("htmx:sendError", (event) => {
    if (event.detail.requestConfig.elt.id === "differences") say(LOST);
});

document.addEventListener("pairshown", showSwitch);
showSwitch();
