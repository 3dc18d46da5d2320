// What a form[data-keep="who"] could not send yet, kept in this browser for this person; without its CSRF token.

const drawer = (form) => `evenhand-unsent ${form.dataset.keep} ${new URL(form.action).pathname}`;

export function keep(form, fields) {
    if (!form.dataset.keep) return;
    const kept = new URLSearchParams(fields);
    kept.delete("csrfmiddlewaretoken");
    localStorage.setItem(drawer(form), kept.toString());
}

export function forget(form) {
    if (form.dataset.keep) localStorage.removeItem(drawer(form));
}

export function kept(form) {
    const text = localStorage.getItem(drawer(form));
    if (text === null) return null;
    const fields = new URLSearchParams(text);
    fields.set("csrfmiddlewaretoken", form.elements.csrfmiddlewaretoken.value);
    return fields;
}
