// <input data-stopwatch>: milliseconds for which the pair was visible and that were not reported yet, set when its form is
// sent. The clock pauses while the page is hidden, stops with the answer, and restarts at each "pairshown".
// [data-time-url]: receives the time when the page is hidden or left, so that it survives a reload.

let visible = 0, since = null, stopped = false;

const running = () => (since === null ? 0 : performance.now() - since);

function update() {
    visible += running();
    since = document.hidden || stopped ? null : performance.now();
}

function restart() {
    [visible, since, stopped] = [0, null, false];
    update();
}

function stop() {
    [visible, since, stopped] = [0, null, true];
}

function report() {
    update();
    const box = document.querySelector("[data-time-url]"), form = box?.querySelector("form:has([data-stopwatch])");
    if (!form || visible < 1 || !navigator.onLine) return;
    const fields = new FormData();
    for (const name of ["csrfmiddlewaretoken", "pair"]) fields.set(name, form.elements[name].value);
    fields.set("milliseconds", Math.round(visible));
    if (navigator.sendBeacon(box.dataset.timeUrl, fields)) visible = 0;
}

restart();
document.addEventListener("visibilitychange", () => (document.hidden ? report() : update()));
addEventListener("pagehide", report);
document.addEventListener("pairshown", restart);
document.addEventListener("answersent", stop);
document.addEventListener("submit", (event) => {
    for (const input of event.target.querySelectorAll("[data-stopwatch]")) input.value = Math.round(visible + running());
}, { capture: true });
