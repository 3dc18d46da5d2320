// Controls above figures: a change writes into the address only what differs from the usual, which is what a control holds
// where the address does not name it. Two runs to compare are always named, because other runs may be the usual ones later. Menus close by Escape and by a click elsewhere. Long lists of boxes get "All" and "None".

const MANY_BOXES = 5;
const ALWAYS_NAMED = ["one", "other"];
const usual = new Map();

const valuesOf = (form, name) => new FormData(form).getAll(name).join("\n");

for (const form of document.querySelectorAll("form.controls")) {
    const named = new URLSearchParams(location.search);
    for (const { name } of form.elements) if (name && !named.has(name) && !ALWAYS_NAMED.includes(name)) usual.set(name, valuesOf(form, name));
}
document.addEventListener("htmx:configRequest", ({ detail, target }) => {
    if (!target.matches("form.controls")) return;
    for (const [name, values] of usual) if (valuesOf(target, name) === values) delete detail.parameters[name];
});

document.addEventListener("keydown", (event) => {
    const menu = [...document.querySelectorAll("details.menu[open]")].at(-1);
    if (event.key !== "Escape" || !menu || document.querySelector("dialog[open]")) return;
    menu.open = false;
    menu.querySelector("summary").focus();
});
document.addEventListener("click", ({ target }) => {
    for (const menu of document.querySelectorAll("details.menu[open]")) if (!menu.contains(target)) menu.open = false;
});

function button(title, boxes, isChecked) {
    const one = Object.assign(document.createElement("button"), { type: "button", className: "button quiet small", textContent: title });
    one.addEventListener("click", () => {
        for (const box of boxes) box.checked = isChecked;
        boxes[0].dispatchEvent(new Event("change", { bubbles: true }));
    });
    return one;
}
for (const list of document.querySelectorAll("details.menu fieldset")) {
    const boxes = [...list.querySelectorAll("input[type=checkbox]")];
    if (boxes.length >= MANY_BOXES) list.querySelector("legend").after(button("All", boxes, true), " ", button("None", boxes, false));
}
