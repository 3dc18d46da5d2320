// post(form, fields): what the server answers, as { ok, page }; null where trying again may help.

const PATIENCE = 20000; // milliseconds that a network may say nothing

export async function post(form, fields) {
    const silence = new AbortController();
    setTimeout(() => silence.abort(), PATIENCE);
    try {
        const response = await fetch(form.action, { method: "POST", body: fields, signal: silence.signal });
        const page = new DOMParser().parseFromString(await response.text(), "text/html");
        return response.status < 500 ? { ok: response.ok, page } : null;
    } catch {
        return null;
    }
}
