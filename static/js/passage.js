// [data-passage]: a text that readers enlarge, by its corner or by [data-enlarge]. The height is remembered in this browser.

const STORED = "evenhand-passage-height";

const wholeHeight = (passage) => passage.scrollHeight + passage.offsetHeight - passage.clientHeight;

function resize(passage, height) {
    passage.style.blockSize = height === "whole" ? "auto" : height;
    passage.style.maxBlockSize = height ? "none" : "";
    document.querySelector("[data-enlarge]")?.setAttribute("aria-pressed", String(height === "whole"));
}

function remember(height) {
    if (height) localStorage.setItem(STORED, height);
    else localStorage.removeItem(STORED);
}

function prepare() {
    const passage = document.querySelector("[data-passage]"), button = document.querySelector("[data-enlarge]");
    if (!passage) return;
    const height = localStorage.getItem(STORED) ?? "";
    button.hidden = !height && wholeHeight(passage) <= passage.offsetHeight;
    resize(passage, height);
    passage.addEventListener("pointerup", () => {
        if (passage.style.blockSize.endsWith("px")) remember(passage.style.blockSize); // set by its corner
        if (passage.style.blockSize) passage.style.maxBlockSize = "none";
    });
}

document.addEventListener("click", (event) => {
    if (!event.target.closest("[data-enlarge]")) return;
    const passage = document.querySelector("[data-passage]");
    const height = localStorage.getItem(STORED) === "whole" ? "" : "whole";
    remember(height);
    resize(passage, height);
});
document.addEventListener("pairshown", prepare);
prepare();
