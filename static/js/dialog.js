// <a data-dialog="id" href="…">: opens the dialog with that id instead of following the link, and focuses the button that closes it.

document.addEventListener("click", (event) => {
    const link = event.target.closest("[data-dialog]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const dialog = document.getElementById(link.dataset.dialog);
    dialog.showModal();
    dialog.querySelector("[method=dialog] button").focus(); // autofocus would complain at each page part that holds a dialog
});
