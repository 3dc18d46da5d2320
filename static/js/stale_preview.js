// form[data-stale-preview]: once a field changes, the preview beside it no longer holds. Its note is shown, and the
// buttons inside it rest until the form is previewed again. Changing everything back makes the preview hold again.

const settings = (form, preview) => JSON.stringify(
    [...new FormData(form)].filter(([name]) => name !== "csrfmiddlewaretoken" && !preview.querySelector(`[name="${CSS.escape(name)}"]`)));

for (const form of document.querySelectorAll("form[data-stale-preview]")) {
    const preview = form.querySelector("[data-preview]");
    if (!preview) continue;
    const previewed = settings(form, preview);
    form.addEventListener("input", () => {
        const isStale = settings(form, preview) !== previewed;
        preview.classList.toggle("is-stale", isStale);
        preview.querySelector("[data-stale-note]").hidden = !isStale;
        preview.querySelectorAll("button").forEach((button) => { button.disabled = isStale; });
    });
}
