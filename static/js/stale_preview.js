// form[data-stale-preview]: once a field changes, the preview next to it no longer holds. Its note is shown, and its
// buttons are disabled until the form is previewed again or has its earlier values.

const settings = (form, preview) => JSON.stringify(
    [...new FormData(form)].filter(([name]) => name !== "csrfmiddlewaretoken" && !preview.querySelector(`[name="${CSS.escape(name)}"]`)));

for (const form of document.querySelectorAll("form[data-stale-preview]")) {
    const preview = form.querySelector("[data-preview]");
    if (!preview) continue;
    const previewed = settings(form, preview);
    const check = () => {
        const isStale = settings(form, preview) !== previewed;
        preview.classList.toggle("is-stale", isStale);
        preview.querySelector("[data-stale-note]").hidden = !isStale;
        preview.querySelectorAll("button").forEach((button) => { button.disabled = isStale; });
    };
    ["input", "change"].forEach((event) => form.addEventListener(event, check));
    addEventListener("pageshow", check); // the browser's back button may restore other values
}
