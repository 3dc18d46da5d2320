// <input data-applies-to="selection" data-applies-when="random symmetric">: its field is there only while `selection`, or one
// of several that are chosen, is one of these. Without scripts it is there always, and the server says where it does not apply.

for (const input of document.querySelectorAll("[data-applies-to]")) {
    const { appliesTo, appliesWhen } = input.dataset;
    const show = () => {
        const chosen = new FormData(input.form).getAll(appliesTo);
        const applies = chosen.some((value) => appliesWhen.split(" ").includes(value));
        input.disabled = !applies;
        input.closest(".field").hidden = !applies;
    };
    input.form.addEventListener("change", show);
    addEventListener("pageshow", show); // a browser that goes back restores the choices after scripts have run
    show();
}
