// form[data-once]: sent once. A second press while the answer is awaited sends nothing, and starts nothing twice.

const forms = document.querySelectorAll("form[data-once]");

for (const form of forms) {
    form.addEventListener("submit", (event) => {
        if (form.ariaBusy) event.preventDefault();
        form.ariaBusy = "true";
    });
    form.addEventListener("input", () => { form.ariaBusy = null; }); // stopped, and chosen anew
}

// Going back may show the page just as it was left.
addEventListener("pageshow", () => forms.forEach((form) => { form.ariaBusy = null; }));
