// section[data-preview] in a form: shows its [data-stale] note while the form differs from the settings that were
// previewed. Without JavaScript the note stays hidden, and the server previews changed settings before it starts them.

for (const preview of document.querySelectorAll("form [data-preview]")) {
    const form = preview.closest("form");
    const settings = () => new URLSearchParams(new FormData(form)).toString();
    const previewed = settings();
    const update = () => {
        const stale = settings() !== previewed;
        preview.classList.toggle("stale", stale);
        preview.querySelector("[data-stale]").hidden = !stale;
    };
    form.addEventListener("input", update);
    form.addEventListener("change", update); // conditional_fields.js has hidden fields by then
    addEventListener("pageshow", update); // a browser that goes back restores the choices after scripts have run
}
