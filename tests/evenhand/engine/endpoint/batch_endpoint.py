"""A real local HTTP server that also takes files of requests, as OpenAI's batches."""

import json
import re

from tests.evenhand.engine.endpoint.misbehaving_server import ServedEndpoint, raw, says, status


class BatchEndpoint(ServedEndpoint):
    """Answers a batch after `polls_needed` questions about it, each line by `answer`.

    leaves_out: the numbers of lines that the next batch ends without, as one that expires. uploads: the files, as lists
    of request bodies. batches: id -> state. refuses: the reason why batches fail; empty for none.
    """

    def __init__(self, *options, polls_needed=1):
        super().__init__(*options)
        self.polls_needed = polls_needed
        self.leaves_out, self.refuses = set(), ""
        self.uploads, self.batches, self.files, self.cancelled = [], {}, {}, []

    def upload(self, content):
        lines = re.search(rb"\r\n\r\n(\{.*?)\r\n--", content, re.DOTALL).group(1).splitlines()
        file_id = f"file-{len(self.files)}"
        self.files[file_id] = [json.loads(line) for line in lines]
        self.uploads.append([line["body"] for line in self.files[file_id]])
        return {"id": file_id, "object": "file", "purpose": "batch"}

    def create(self, body):
        batch_id = f"batch-{len(self.batches)}"
        lines = self.files[body["input_file_id"]]
        counts = {"total": len(lines), "completed": 0, "failed": 0}
        self.batches[batch_id] = {"id": batch_id, "status": "validating", "request_counts": counts} | {
            "metadata": body["metadata"],
            "input_file_id": body["input_file_id"],
            "polls": 0,
        }
        return self.batches[batch_id]

    def poll(self, batch_id):
        batch = self.batches[batch_id]
        batch["polls"] += 1
        if self.refuses:
            return batch | {"status": "failed", "errors": {"data": [{"message": self.refuses}]}}
        if batch["status"] == "validating" and batch["polls"] > self.polls_needed:
            self.finish(batch)
        return batch

    def finish(self, batch):
        left_out, self.leaves_out = self.leaves_out, set()
        lines = [line for n, line in enumerate(self.files[batch["input_file_id"]]) if n not in left_out]
        results = [self.result(line) for line in lines]
        good = [one for one in results if one["response"]["status_code"] == 200]
        bad = [one for one in results if one not in good]
        for name, some in (("output_file_id", good), ("error_file_id", bad)):
            batch[name] = f"{name}-{batch['id']}" if some else None
            self.files[batch[name]] = some
        batch["status"] = "expired" if left_out else "completed"
        batch["request_counts"] |= {"completed": len(good), "failed": len(bad)}

    def cancel(self, batch_id):
        """Return the behaviour for a request to cancel. A batch that has ended refuses."""
        batch = self.batches[batch_id]
        self.cancelled.append(batch_id)
        if batch["status"] != "validating":
            return status(409, f"Cannot cancel a batch with status '{batch['status']}'.")
        self.finish(batch)
        batch["status"] = "cancelled"
        return says(batch)

    def result(self, line):
        """Answer one line; a behaviour instead of a reply is a failed line."""
        answer = self.answer(line["body"])
        code, body = (500, {"error": {"message": "the server had an error"}}) if callable(answer) else (200, answer)
        return {"custom_id": line["custom_id"], "response": {"status_code": code, "body": body}, "error": None}

    def page(self, path):
        """Return the behaviour for a GET request."""
        if path.startswith("/v1/batches?"):
            return says({"data": list(self.batches.values())})
        if path.startswith("/v1/batches/"):
            return says(self.poll(path.split("/")[3]))
        if not path.startswith("/v1/files/"):
            return status(404, "no such path")
        lines = [json.dumps(line) for line in self.files[path.split("/")[3]]]
        return raw("\n".join(reversed(lines)).encode())

    def _handler(endpoint):
        class Handler(super()._handler()):
            def do_POST(self):
                if self.path == "/v1/chat/completions":
                    return super().do_POST()
                content = self.rfile.read(int(self.headers["Content-Length"]))
                if self.path == "/v1/files":
                    return says(endpoint.upload(content))(self, endpoint)
                if self.path == "/v1/batches":
                    return says(endpoint.create(json.loads(content)))(self, endpoint)
                return endpoint.cancel(self.path.split("/")[3])(self, endpoint)

            def do_GET(self):
                return endpoint.page(self.path)(self, endpoint)

        return Handler
