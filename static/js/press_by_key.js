// [data-keys="a ArrowLeft"]: pressed by any of these keys, except while the user types, holds a modifier, or a dialog is open.
// With a field in it, such as a radio group, the keys move the focus to that field instead.
// Keys that the page uses otherwise press nothing: arrows scroll a text that is focused or was clicked; arrows and digits
// choose a radio button of the group that has the focus.
// While a details[data-own-keys] is open, only keys of elements in it count. Escape closes it, and leaves a text field.
// The keys of votes are chosen in judging/services/accounts/vote_keys.py.

let clicked = null; // browsers let arrows scroll the box that was clicked last

const isField = (element) => element.matches("input:not([type=radio]), select, textarea, [contenteditable]");
const isArrow = (key) => key.startsWith("Arrow");
const keyOf = (event) => (event.key.length === 1 ? event.key.toLowerCase() : event.key);

// Shift writes some signs, such as "?", but no letter or arrow that is a key.
const isModified = ({ ctrlKey, altKey, metaKey, shiftKey, key }) =>
    ctrlKey || altKey || metaKey || (shiftKey && (key.length > 1 || key.toLowerCase() !== key.toUpperCase()));

function scrolls(element, key) {
    const { overflowX, overflowY } = getComputedStyle(element), isSideways = /Left|Right/.test(key);
    const room = isSideways ? element.scrollWidth - element.clientWidth : element.scrollHeight - element.clientHeight;
    return room > 1 && /auto|scroll/.test(isSideways ? overflowX : overflowY);
}

// True if an arrow scrolls a box around the element. At its end, one more press must not answer either.
function scrollsAround(element, key) {
    for (let box = element; box; box = box.parentElement) if (scrolls(box, key)) return true;
    return false;
}

const isUsed = ({ target, key }) =>
    isField(target) || (target.matches("[type=radio]") && (isArrow(key) || /^\d$/.test(key))) ||
    (isArrow(key) && [target, clicked].some((place) => scrollsAround(place, key)));

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

document.addEventListener("pointerdown", ({ target }) => { clicked = target; });

document.addEventListener("keydown", (event) => {
    if (event.repeat || event.isComposing || isModified(event)) return;
    const own = document.querySelector("details[data-own-keys][open]");
    if (event.key === "Escape" && own) close(own);
    if (document.querySelector("dialog[open]")) return;
    if (event.key === "Escape" && isField(event.target)) event.target.blur();
    if (event.target.matches("[type=radio]")) chooseLevel(event);
    const element = isUsed(event) ? null : elementFor(keyOf(event), own ?? document);
    if (!element) return;
    event.preventDefault();
    press(element);
});
