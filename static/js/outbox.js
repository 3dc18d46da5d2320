// Answers that the server has not received yet: votes, skips, undos and changes. They are stored in this browser, for the
// rater that <… data-rater="name"> names, without the CSRF token.

const storageKey = () => `evenhand-unsent ${document.querySelector("[data-rater]").dataset.rater}`;

export const unsentAnswers = () => JSON.parse(localStorage.getItem(storageKey()) ?? "[]");

function store(answers) {
    if (answers.length) localStorage.setItem(storageKey(), JSON.stringify(answers));
    else localStorage.removeItem(storageKey());
}

// Stores the fields of a form and returns the answer.
export function storeAnswer(form, fields) {
    const kept = new URLSearchParams(fields);
    kept.delete("csrfmiddlewaretoken");
    const { pathname, search } = new URL(form.action);
    const answer = { id: `${Date.now()} ${Math.random()}`, action: pathname + search, fields: kept.toString() };
    store([...unsentAnswers(), answer]);
    return answer;
}

export const deleteAnswer = ({ id }) => store(unsentAnswers().filter((answer) => answer.id !== id));

// False once a tab of this browser has sent the answer.
export const isUnsent = ({ id }) => unsentAnswers().some((answer) => answer.id === id);
