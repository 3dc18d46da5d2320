// [data-keys="a 1 ArrowLeft"]: pressed by any of these keys, except while the user types or a dialog is open.
// The keys of votes are chosen in judging/templatetags/vote_keys.py.

const isTyping = (target) => target.closest("input, select, textarea, [contenteditable]") !== null;

const keyOf = (event) => (event.key.length === 1 ? event.key.toLowerCase() : event.key);

const elementFor = (key) =>
    [...document.querySelectorAll("[data-keys]")].find((element) => element.dataset.keys.split(" ").includes(key));

// A key that opens <details> moves the focus to its first choice.
const focusChoice = (details) => details?.open && details.querySelector("select")?.focus();

function close(details) {
    details.open = false;
    details.querySelector("summary").focus();
}

document.addEventListener("keydown", (event) => {
    if (event.repeat || event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return;
    const around = event.target.closest("details:has(select)");
    if (event.key === "Escape" && around) close(around);
    if (isTyping(event.target) || document.querySelector("dialog[open]")) return;
    const element = elementFor(keyOf(event));
    if (!element) return;
    event.preventDefault();
    element.click();
    focusChoice(element.closest("details"));
});
