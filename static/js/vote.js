// form[data-advance]: sent without leaving the page. [data-annotate] of the response replaces that of this page.
// form[data-keep]: an answer that the server did not receive is stored in this browser and sent again until it does.

import { deleteUnsent, loadUnsent, storeUnsent } from "./outbox.js";

const SETTLE = 400, SHORTEST_WAIT = 2000, LONGEST_WAIT = 30000; // milliseconds
htmx.config.timeout = 20000; // milliseconds without a response
const OFFLINE = "Not saved yet: the server cannot be reached.", REFUSED = "Not saved: you are signed out, or this page is too old.";

let busy = false, shownAt = performance.now();

const region = () => document.querySelector("[data-annotate]");

function say(text, { alarming = false } = {}) {
    const status = document.querySelector("[data-vote-status]");
    if (!status) return;
    status.textContent = text;
    status.classList.toggle("alarming", alarming);
}

// A second press must not answer the next pair: keys and buttons wait until the pair has been visible for SETTLE.
function settle(box) {
    shownAt = performance.now();
    for (const time of box.querySelectorAll("[data-clock]")) time.textContent = localTime(time.dateTime);
    setTimeout(() => box.setAttribute("data-ready", ""), SETTLE);
}

const localTime = (text) => new Date(text).toLocaleTimeString("en-GB");

function show(page) {
    const fresh = page.querySelector("[data-annotate]");
    const folded = [...region().querySelectorAll("details.given")].map((details) => details.open);
    fresh.querySelectorAll("details.given").forEach((details, place) => { details.open = folded[place] ?? details.open; });
    document.querySelector("ul.messages")?.remove();
    region().replaceWith(fresh);
    const messages = page.querySelector("ul.messages");
    if (messages) fresh.before(messages);
    document.title = page.title;
    settle(fresh);
    fresh.querySelector("h1").focus();
    say([messages, fresh.querySelector(".latest span"), fresh.querySelector("h1")].map((part) => part?.textContent.trim()).join(" "));
    document.dispatchEvent(new Event("pairshown"));
}

// Returns the server's response; null without a network, after a timeout and for status 500 and above.
async function post(form, fields) {
    let answer = null;
    const handler = (_, { xhr }) => { if (xhr.status < 500) answer = xhr; };
    await htmx.ajax("POST", form.action, { source: form, values: Object.fromEntries(fields), handler }).catch(() => {});
    return answer;
}

// Returns the next page, or null if trying again may help. Throws if it does not help.
async function send(form, fields) {
    const answer = await post(form, fields);
    if (!answer) return null;
    const page = new DOMParser().parseFromString(answer.responseText, "text/html");
    if (answer.status >= 400 || !page.querySelector("[data-annotate]")) {
        throw new Error(`${REFUSED} ${form.dataset.keep ? "Reload it: your answer is kept, and then sent." : "Reload it, and do it again."}`);
    }
    return page;
}

const later = (milliseconds) => new Promise((resume) => {
    setTimeout(resume, milliseconds);
    addEventListener("online", resume, { once: true });
});

async function sendUntilReceived(form, fields) {
    for (let wait = SHORTEST_WAIT; ; wait = Math.min(2 * wait, LONGEST_WAIT)) {
        const page = await send(form, fields);
        if (page) return page;
        say(`${OFFLINE} ${form.dataset.keep ? "Your answer is kept in this browser and sent again." : "It is tried again while this page is open."}`, { alarming: true });
        await later(wait);
    }
}

async function advance(form, fields) {
    busy = true;
    form.setAttribute("aria-busy", "true");
    storeUnsent(form, fields);
    try {
        const page = await sendUntilReceived(form, fields);
        deleteUnsent(form);
        show(page);
    } catch (error) {
        say(error.message, { alarming: true });
    } finally {
        busy = false;
        form.removeAttribute("aria-busy");
    }
}

document.addEventListener("submit", (event) => {
    const form = event.target;
    if (!form.matches("form[data-advance]")) return;
    event.preventDefault();
    if (busy || event.timeStamp - shownAt < SETTLE) return;
    advance(form, new URLSearchParams(new FormData(form, event.submitter)));
});

settle(region());
for (const form of document.querySelectorAll("form[data-keep]")) {
    const fields = loadUnsent(form);
    if (fields) advance(form, fields);
}
