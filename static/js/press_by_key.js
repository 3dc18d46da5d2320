// [data-keys="a 1 ArrowLeft"]: pressed by any of these keys, except while the user types or a dialog is open.
// Arrows on a radio button choose another one, and press nothing.
// While a details[data-own-keys] is open, only keys of elements in it count. Escape closes it.
// The keys of votes are chosen in judging/templatetags/vote_keys.py.

const isTyping = ({ target, key }) =>
    target.closest("input:not([type=radio]), select, textarea, [contenteditable]") !== null ||
    (target.matches("[type=radio]") && key.startsWith("Arrow"));

const keyOf = (event) => (event.key.length === 1 ? event.key.toLowerCase() : event.key);

const isReachable = (element) => element.matches("summary") || !element.closest("details:not([open])");

const elementFor = (key, box) =>
    [...box.querySelectorAll("[data-keys]")].find((element) => element.dataset.keys.split(" ").includes(key) && isReachable(element));

function close(details) {
    details.open = false;
    details.querySelector("summary").focus();
}

document.addEventListener("keydown", (event) => {
    if (event.repeat || event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return;
    const own = document.querySelector("details[data-own-keys][open]");
    if (event.key === "Escape" && own) close(own);
    if (isTyping(event) || document.querySelector("dialog[open]")) return;
    const element = elementFor(keyOf(event), own ?? document);
    if (!element) return;
    event.preventDefault();
    element.click();
    const opened = element.closest("details[data-own-keys][open]");
    if (element.matches("summary") && opened) opened.querySelector("button")?.focus();
});
