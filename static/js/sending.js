// Sends an answer until the server has received it. See vote.js.

import { isUnsent } from "./outbox.js";

const SHORTEST_WAIT = 2000, LONGEST_WAIT = 30000; // milliseconds
htmx.config.timeout = 20000; // milliseconds without a response

// Returns the server's response; null without a network, after a timeout and for status 500 and above.
async function post({ action, fields }) {
    let response = null;
    const values = Object.fromEntries(new URLSearchParams(fields));
    values.csrfmiddlewaretoken = document.querySelector("[name=csrfmiddlewaretoken]").value;
    const handler = (_, { xhr }) => { if (xhr.status < 500) response = xhr; };
    const source = document.querySelector("[data-annotate]");
    await htmx.ajax("POST", action, { source, values, handler }).catch(() => {});
    return response;
}

const later = (milliseconds) => new Promise((resume) => {
    setTimeout(resume, milliseconds);
    addEventListener("online", resume, { once: true });
});

// Returns the server's response; null if another tab has sent the answer meanwhile. A second time, an undo of one tab
// could withdraw a vote that the other tab gave later.
export async function sendUntilReceived(answer, { onFailure }) {
    for (let wait = SHORTEST_WAIT; isUnsent(answer); wait = Math.min(2 * wait, LONGEST_WAIT)) {
        const response = await post(answer);
        if (response) return response;
        onFailure();
        await later(wait);
    }
    return null;
}
