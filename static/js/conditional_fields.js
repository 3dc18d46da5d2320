// <input data-shown-when="selection" data-shown-for="random symmetric">: its field is shown only while `selection` is one
// of these values, or while one of several chosen values is. Without JavaScript it is always shown, and the server checks it.

for (const input of document.querySelectorAll("[data-shown-when]")) {
    const { shownWhen, shownFor } = input.dataset;
    const update = () => {
        const chosen = new FormData(input.form).getAll(shownWhen);
        const shown = chosen.some((value) => shownFor.split(" ").includes(value));
        input.disabled = !shown;
        input.closest(".field").hidden = !shown;
    };
    input.form.addEventListener("change", update);
    addEventListener("pageshow", update); // a browser that goes back restores the choices after scripts have run
    update();
}
