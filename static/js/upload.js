// <form data-upload>: reports too large files before they are sent. The server checks them too.

const megabytes = (bytes) => `${(bytes / 2 ** 20).toFixed(1)} MB`;

for (const form of document.querySelectorAll("form[data-upload]")) {
    const input = form.querySelector("input[type=file][data-limit]");
    const check = () => {
        const size = [...input.files].reduce((sum, file) => sum + file.size, 0);
        const limit = Number(input.dataset.limit);
        const problem = size > limit ? `The files have ${megabytes(size)}; at most ${megabytes(limit)} are accepted.` : "";
        input.setCustomValidity(problem);
        if (problem) input.reportValidity();
    };
    input.addEventListener("change", check);
}
