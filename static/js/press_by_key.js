// [data-keys="a j"]: pressed by any of these keys, except while the user types, holds a modifier, or a dialog is open.
// With a field in it, such as a radio group, the keys move the focus to that field instead.
// Arrows are no keys: they scroll. A digit chooses a radio button of the group that has the focus, and presses nothing else.
// While a details[data-own-keys] is open, only keys of elements in it count. Escape closes it, and leaves a text field.
// The keys of votes are chosen in judging/services/accounts/vote_keys.py.

const isField = (element) => element.matches("input:not([type=radio]), select, textarea, [contenteditable]");

// Shift writes some signs, such as "?", but no letter that is a key.
const isModified = ({ ctrlKey, altKey, metaKey, shiftKey, key }) =>
    ctrlKey || altKey || metaKey || (shiftKey && key.toLowerCase() !== key.toUpperCase());

const isUsed = ({ target, key }) => isField(target) || (target.matches("[type=radio]") && /^\d$/.test(key));

const isReachable = (element) => element.matches("summary") || !element.closest("details:not([open])");

const elementFor = (key, box) =>
    [...box.querySelectorAll("[data-keys]")].find((element) => element.dataset.keys.split(" ").includes(key) && isReachable(element));

function chooseLevel({ target, key }) {
    const level = [...target.form.elements[target.name]].find((radio) => radio.value === key);
    level?.focus();
    level?.click();
}

function close(details) {
    details.open = false;
    details.querySelector("summary").focus();
}

function press(element) {
    const field = element.querySelector(":checked, textarea");
    if (field) return field.focus();
    element.click();
    const opened = element.closest("details[data-own-keys][open]");
    if (element.matches("summary") && opened) opened.querySelector("button")?.focus();
}

document.addEventListener("keydown", (event) => {
    if (event.repeat || event.isComposing || isModified(event)) return;
    const own = document.querySelector("details[data-own-keys][open]");
    if (event.key === "Escape" && own) close(own);
    if (document.querySelector("dialog[open]")) return;
    if (event.key === "Escape" && isField(event.target)) event.target.blur();
    if (event.target.matches("[type=radio]")) chooseLevel(event);
    const element = isUsed(event) ? null : elementFor(event.key.toLowerCase(), own ?? document);
    if (!element) return;
    event.preventDefault();
    press(element);
});
