// <div data-poll-url="…">: refreshed without reloading until what the server sends holds data-poll-done.
// Asks often while things change, more rarely while they do not, and not at all while the page is hidden.

const SHORTEST = 1000, LONGEST = 15000; // milliseconds

const pause = (milliseconds) => new Promise((resume) => setTimeout(resume, milliseconds));

const visible = () => new Promise((resume) => {
    const look = () => {
        if (document.hidden) return;
        document.removeEventListener("visibilitychange", look);
        resume();
    };
    document.addEventListener("visibilitychange", look);
    look();
});

const done = (box) => box.querySelector("[data-poll-done]") !== null;

async function refresh(box) {
    const response = await fetch(box.dataset.pollUrl, { redirect: "error" });
    if (!response.ok) throw new Error(`status ${response.status}`);
    const fresh = await response.text();
    const changed = fresh.replace(/csrfmiddlewaretoken" value="[^"]*"/g, "") !== box.lastText;
    if (changed && !box.contains(document.activeElement)) box.innerHTML = fresh;
    else if (changed) replaceBesideFocus(box, fresh);
    box.lastText = fresh.replace(/csrfmiddlewaretoken" value="[^"]*"/g, "");
    return changed;
}

// Whoever stands on a button keeps standing on it: the new one that reads the same.
function replaceBesideFocus(box, fresh) {
    const label = document.activeElement.textContent;
    box.innerHTML = fresh;
    [...box.querySelectorAll("a, button")].find((element) => element.textContent === label)?.focus();
}

async function poll(box) {
    let wait = SHORTEST;
    while (!done(box)) {
        await pause(wait);
        await visible();
        const changed = await refresh(box).catch(() => false);
        wait = changed ? SHORTEST : Math.min(wait * 1.5, LONGEST);
    }
}

for (const box of document.querySelectorAll("[data-poll-url]")) poll(box);
