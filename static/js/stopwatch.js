// <input data-stopwatch>: filled, when its form is sent, with the milliseconds for which the pair could be seen.
// The clock stands still while the page is hidden, and starts again at each "pairshown".

let seen = 0, since = null;

const running = () => (since === null ? 0 : performance.now() - since);

function look() {
    seen += running();
    since = document.hidden ? null : performance.now();
}

function restart() {
    seen = 0;
    since = null;
    look();
}

restart();
document.addEventListener("visibilitychange", look);
document.addEventListener("pairshown", restart);
document.addEventListener("submit", (event) => {
    for (const input of event.target.querySelectorAll("[data-stopwatch]")) input.value = Math.round(seen + running());
}, { capture: true });
