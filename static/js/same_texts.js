// [data-annotate]: the next question may be about the same texts. They then stay where the annotator has scrolled them.

const passages = () => [...document.querySelectorAll("[data-annotate] .passage")];

let before = [];

document.addEventListener("answersent", () => {
    before = passages().map((passage) => ({ text: passage.textContent, place: passage.scrollTop }));
});

document.addEventListener("pairshown", () => {
    const now = passages();
    if (now.length !== before.length || now.some((passage, number) => passage.textContent !== before[number].text)) return;
    now.forEach((passage, number) => { passage.scrollTop = before[number].place; });
});
