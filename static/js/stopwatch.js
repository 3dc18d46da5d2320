// <input data-stopwatch>: time in milliseconds during which the pair was visible, set when its form is sent.
// The clock pauses while the page is hidden, and restarts at each "pairshown".

let visible = 0, since = null;

const running = () => (since === null ? 0 : performance.now() - since);

function update() {
    visible += running();
    since = document.hidden ? null : performance.now();
}

function restart() {
    visible = 0;
    since = null;
    update();
}

restart();
document.addEventListener("visibilitychange", update);
document.addEventListener("pairshown", restart);
document.addEventListener("submit", (event) => {
    for (const input of event.target.querySelectorAll("[data-stopwatch]")) input.value = Math.round(visible + running());
}, { capture: true });
