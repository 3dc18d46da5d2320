// [data-keys="a 1 ArrowLeft"]: pressed by any of these keys, except while somebody types or a dialog is open.

const typing = (target) => target.closest("input, select, textarea, [contenteditable]") !== null;

const keyOf = (event) => (event.key.length === 1 ? event.key.toLowerCase() : event.key);

const named = (key) =>
    [...document.querySelectorAll("[data-keys]")].find((element) => element.dataset.keys.split(" ").includes(key));

// A key that opens something leads into it.
const enter = (details) => details?.open && details.querySelector("select")?.focus();

function leave(details) {
    details.open = false;
    details.querySelector("summary").focus();
}

document.addEventListener("keydown", (event) => {
    if (event.repeat || event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return;
    const around = event.target.closest("details:has(select)");
    if (event.key === "Escape" && around) leave(around);
    if (typing(event.target) || document.querySelector("dialog[open]")) return;
    const element = named(keyOf(event));
    if (!element) return;
    event.preventDefault();
    element.click();
    enter(element.closest("details"));
});
