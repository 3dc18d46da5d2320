// form[data-once]: submitted once. A second press before the server answers is ignored.

const forms = document.querySelectorAll("form[data-once]");

for (const form of forms) {
    form.addEventListener("submit", (event) => {
        if (form.ariaBusy) event.preventDefault();
        form.ariaBusy = "true";
    });
    form.addEventListener("input", () => { form.ariaBusy = null; }); // the user stopped the request and changed a field
}

// The browser's back button may restore the page as it was.
addEventListener("pageshow", () => forms.forEach((form) => { form.ariaBusy = null; }));
