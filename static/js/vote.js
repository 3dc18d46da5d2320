// form[data-advance]: an answer. It is sent without leaving the page, and kept in this browser until the server has it.
// [data-annotate] of the response replaces that of this page. Answers kept from earlier pages are sent first.

import { deleteAnswer, storeAnswer, unsentAnswers } from "./outbox.js";
import { sendUntilReceived } from "./sending.js";

const SETTLE = 400; // milliseconds
const OFFLINE = "Not saved yet: the server cannot be reached. Your answer is kept in this browser and sent again.";
const SIGNED_OUT = "Not saved yet: you are signed out. Your answer is kept in this browser, and sent after you sign in.";
const TOO_OLD = "Not saved: this page is too old. Reload it: your answer is kept, and then sent.";
const LOCKED = 423; // status of an answer to a campaign that takes no votes now
const WAITING = "Your answer is kept in this browser, and sent when you come back to an open campaign.";
const GONE = "Not saved: this campaign no longer exists.";

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
    htmx.process(fresh);
    const messages = page.querySelector("ul.messages");
    messages?.removeAttribute("role"); // the status of votes says them
    if (messages) fresh.before(messages);
    document.title = page.title;
    settle(fresh);
    fresh.querySelector("h1").focus(); // screen readers then read the heading
    say([messages, fresh.querySelector(".latest span")].map((part) => part?.textContent.trim()).join(" "));
    document.dispatchEvent(new Event("pairshown"));
}

const campaignOf = (path) => path.split("/").slice(0, 3).join("/");

// The address of the page in a response. The server sends the next pair without leading to its address.
const addressOf = (response) => new URL(response.getResponseHeader("Content-Location") ?? response.responseURL, location);

// Shows the page that follows an answer, or why the answer was refused.
function follow(answer, response, page) {
    const here = addressOf(response).pathname === location.pathname || response.status >= 400;
    const messages = page.querySelector("ul.messages");
    if (campaignOf(answer.action) !== campaignOf(location.pathname)) say("An answer in another campaign was sent. Look under Your votes there.");
    else if (here) show(page);
    else if (messages) say(messages.textContent.trim(), { alarming: true });
    else location.assign(addressOf(response));
}

// Keeps an answer to a campaign that is paused or closed. Answers to other campaigns go on. Pages without a form stay.
function wait(answer, page) {
    if (campaignOf(answer.action) !== campaignOf(location.pathname)) return;
    page.querySelector("[data-without-script]")?.remove(); // this script sends the answer again
    const reason = page.querySelector("h1").textContent;
    if (region().querySelector("form[data-advance]")) show(page);
    say(`${reason} ${WAITING}`, { alarming: true });
}

// True if the campaign asks for something else first, such as consent to a new text. The server has received the answer.
const leadsElsewhere = (answer, response, page) =>
    response.status < 400 && !page.querySelector("[data-annotate]") &&
    campaignOf(addressOf(response).pathname) === campaignOf(answer.action);

function leave(answer, response) {
    deleteAnswer(answer);
    if (campaignOf(answer.action) === campaignOf(location.pathname)) location.assign(addressOf(response));
}

// Leads to sign-in and from there back to this page, which sends the answer: the server has not received it.
function askToSignIn(response) {
    location.assign(response.getResponseHeader("HX-Redirect"));
    throw new Error(SIGNED_OUT);
}

async function deliver(answer) {
    const response = await sendUntilReceived(answer, { onFailure: () => say(OFFLINE, { alarming: true }) });
    if (!response) return location.reload();
    if (response.getResponseHeader("HX-Redirect")) return askToSignIn(response);
    const page = new DOMParser().parseFromString(response.responseText, "text/html");
    if (leadsElsewhere(answer, response, page)) return leave(answer, response);
    if (!page.querySelector("[data-annotate]") && response.status !== 404) throw new Error(TOO_OLD);
    if (response.status === LOCKED) return wait(answer, page);
    deleteAnswer(answer);
    if (response.status === 404) throw new Error(GONE);
    follow(answer, response, page);
}

async function deliverAll(answers) {
    if (!answers.length) return;
    busy = true;
    region().setAttribute("aria-busy", "true");
    try {
        for (const answer of answers) await deliver(answer);
    } catch (error) {
        say(error.message, { alarming: true });
    } finally {
        busy = false;
        region().removeAttribute("aria-busy");
    }
}

document.addEventListener("submit", (event) => {
    const form = event.target;
    if (!form.matches("form[data-advance]")) return;
    event.preventDefault();
    if (busy || event.timeStamp - shownAt < SETTLE) return;
    const answer = storeAnswer(form, new URLSearchParams(new FormData(form, event.submitter)));
    document.dispatchEvent(new Event("answersent"));
    deliverAll([answer]);
});

settle(region());
deliverAll(unsentAnswers());
