// <table data-sort-table>: a click on a heading sorts its rows here, as the link of the heading would on the server.
// Rows stay within their tbody, people stay first, and missing figures stay last.

const OPPOSITE = { ascending: "descending", descending: "ascending" };
const collator = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

// Returns the value of a row in the column of a link: a number, a text, or "" for a missing figure.
function valueOf(row, link) {
    if (link.dataset.place !== undefined) return row.cells[0].dataset.values.split("\t")[link.dataset.place] ?? "";
    const text = row.querySelector(`td[data-column="${CSS.escape(link.dataset.sort)}"]`)?.dataset.value ?? "";
    return text === "" ? "" : Number(text);
}

function compareValues(one, other, direction) {
    if (one === "" || other === "") return (one === "") - (other === "");
    const order = typeof one === "number" ? one - other : collator.compare(one, other);
    return direction === "descending" ? -order : order;
}

function sortBody(body, link, direction) {
    const isFixed = (row) => row.matches(".people, .section");
    const rows = [...body.rows].filter((row) => !isFixed(row)).map((row) => ({ row, value: valueOf(row, link) }));
    rows.sort((one, other) => compareValues(one.value, other.value, direction));
    body.append(...rows.map(({ row }) => row));
}

// The heading and the first figure of a card show the column that sorts.
function mark(table, link, direction) {
    table.querySelectorAll("thead th[aria-sort]").forEach((heading) => heading.removeAttribute("aria-sort"));
    table.querySelectorAll("thead a[data-direction]").forEach((other) => delete other.dataset.direction);
    link.closest("th").setAttribute("aria-sort", direction);
    link.dataset.direction = direction;
    table.querySelectorAll("td[data-column]").forEach((cell) =>
        cell.classList.toggle("headline", cell.dataset.column === link.dataset.sort));
}

// The address, the links for sorting, the form's choice and the downloads keep the order.
function remember(table, sort) {
    const address = new URL(location.href);
    address.searchParams.set("sort", sort);
    history.replaceState(history.state, "", address);
    document.querySelectorAll("[data-follows-address] a[href*='?']").forEach((link) => (link.search = address.search));
    document.querySelectorAll("input[name='sort'], select[name='sort']").forEach((field) => (field.value = sort));
}

const usual = (link) => ("place" in link.dataset || "lowestFirst" in link.dataset ? "ascending" : "descending");

document.addEventListener("click", (event) => {
    const link = event.target.closest("table[data-sort-table] thead a[data-sort]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const table = link.closest("table");
    const direction = link.dataset.direction ? OPPOSITE[link.dataset.direction] : usual(link);
    [...table.tBodies].forEach((body) => sortBody(body, link, direction));
    mark(table, link, direction);
    if (link.getAttribute("href").startsWith("#")) return; // in a saved file, no server reads the address
    remember(table, (direction === usual(link) ? "" : "-") + link.dataset.sort);
});
