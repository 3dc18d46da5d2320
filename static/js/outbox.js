// Unsent answers of form[data-keep="rater name"], stored in this browser for this rater, without the CSRF token.

const storageKey = (form) => `evenhand-unsent ${form.dataset.keep} ${new URL(form.action).pathname}`;

export function storeUnsent(form, fields) {
    if (!form.dataset.keep) return;
    const unsent = new URLSearchParams(fields);
    unsent.delete("csrfmiddlewaretoken");
    localStorage.setItem(storageKey(form), unsent.toString());
}

export function deleteUnsent(form) {
    if (form.dataset.keep) localStorage.removeItem(storageKey(form));
}

export function loadUnsent(form) {
    const text = localStorage.getItem(storageKey(form));
    if (text === null) return null;
    const fields = new URLSearchParams(text);
    fields.set("csrfmiddlewaretoken", form.elements.csrfmiddlewaretoken.value);
    return fields;
}
