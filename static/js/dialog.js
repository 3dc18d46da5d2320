// <a data-dialog="id" href="…">: opens the dialog with that id instead of following the link.

document.addEventListener("click", (event) => {
    const link = event.target.closest("[data-dialog]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    document.getElementById(link.dataset.dialog).showModal();
});
