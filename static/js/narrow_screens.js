// On a narrow screen tabs are one line that scrolls: the current one is kept in view. Folds stay open when htmx replaces them.

const FOLDS = "main .narrow-fold";

function showCurrentTab() {
    for (const tab of document.querySelectorAll(":is(.tabs, .sections) a[aria-current]")) {
        const tabs = tab.parentElement;
        tabs.scrollLeft = tab.offsetLeft - (tabs.clientWidth - tab.offsetWidth) / 2;
    }
}

let open = [];
document.addEventListener("htmx:beforeSwap", () => {
    open = [...document.querySelectorAll(FOLDS)].map((fold) => fold.open);
});
document.addEventListener("htmx:afterSwap", ({ target }) => {
    document.querySelectorAll(FOLDS).forEach((fold, place) => {
        if (open[place]) fold.open = true;
    });
    if (target.querySelector(".tabs")) showCurrentTab(); // other parts, such as progress, leave the tabs where the reader put them
});
showCurrentTab();
