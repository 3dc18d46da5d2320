"""A real local HTTP server of chat completions that fails on demand."""

import json
import sys
from collections import deque
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Semaphore, Thread

KEY = "sk-test-0123456789"


class Turnstile:
    """An answer that waits until a number of requests arrived at once, or until it is opened."""

    def __init__(self, answer, *, lets_through):
        self._answer = answer
        self._room = Semaphore(lets_through)

    def __call__(self, body):
        self._room.acquire()
        return self._answer(body)

    def open(self):
        self._room.release(1_000_000)


class QuietServer(ThreadingHTTPServer):
    """Server that prints nothing when a client disconnects."""

    daemon_threads = True

    def handle_error(self, request, client_address):
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class ServedEndpoint:
    """Answers with `answer(body)`, but first, one request each, with what `first_do` was given.

    `answer` returns a reply, or a behaviour such as `status(400)`.

    paths: path -> answer, for paths of the server other than that of chats.
    asked: the bodies received, in order. headers: theirs. models: the reply to GET /models; None for a 404.
    """

    def __init__(self, answer=lambda body: reply("A"), port=0):
        self.answer = answer
        self.asked, self.headers = [], []
        self.models, self.paths = None, {}
        self.closing = Event()
        self._planned = deque()
        self._server = QuietServer(("127.0.0.1", port), self._handler())
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"
        self._thread = Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self.closing.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def first_do(self, *behaviours):
        self._planned.extend(behaviours)

    def forget(self):
        self.asked.clear()
        self.headers.clear()

    def _handler(endpoint):
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                self.body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                endpoint.asked.append(self.body)
                endpoint.headers.append(dict(self.headers))
                if self.path in endpoint.paths:
                    return as_usual(self, endpoint, endpoint.paths[self.path])
                if self.path != "/v1/chat/completions":
                    return status(404, "no such path")(self, endpoint)
                if endpoint._planned:
                    return endpoint._planned.popleft()(self, endpoint)
                return as_usual(self, endpoint)

            def do_GET(self):
                if self.path == "/v1/models" and endpoint.models:
                    return says(endpoint.models)(self, endpoint)
                return status(404, "no such path")(self, endpoint)

            def log_message(self, *_):
                """Tests want no lines on standard error."""

        return Handler


def send(handler, code, content, *, headers=(), length=None):
    handler.send_response(code)
    for name, value in dict(headers).items():
        handler.send_header(name, value)
    handler.send_header("Content-Length", str(len(content) if length is None else length))
    handler.end_headers()
    handler.wfile.write(content)


def as_usual(handler, endpoint, answer=None):
    answer = (answer or endpoint.answer)(handler.body)
    if callable(answer):
        return answer(handler, endpoint)
    return send(handler, 200, json.dumps(answer).encode())


def status(code, message="no", *, parameter=None, **headers):
    """Return an error response with this message. Header names have _ for -. parameter: the field it names."""
    content = json.dumps({"error": {"message": message, "param": parameter}}).encode()
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda handler, endpoint: send(handler, code, content, headers=named)


def says(document, **headers):
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda handler, endpoint: send(handler, 200, json.dumps(document).encode(), headers=named)


def raw(content):
    return lambda handler, endpoint: send(handler, 200, content)


def cut_off(handler, endpoint):
    send(handler, 200, b'{"choices": [{"mess', length=1000)
    handler.close_connection = True


def hang_up(handler, endpoint):
    handler.close_connection = True


def silence(handler, endpoint):
    """Send no answer until the endpoint closes."""
    endpoint.closing.wait()
    handler.close_connection = True


def reply(text, tokens=None, *, model="judge-2026", finish="stop", cached=0):
    """A reply with usage 20 + 3. tokens: the written ones, each with its alternatives {token: log-probability}."""
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": finish}
    if tokens is not None:
        choice["logprobs"] = {"content": [written(*token) for token in tokens]}
    usage = {"prompt_tokens": 20, "completion_tokens": 3, "prompt_tokens_details": {"cached_tokens": cached}}
    return {"object": "chat.completion", "model": model, "choices": [choice], "usage": usage}


def written(token, alternatives):
    listed = [{"token": text, "logprob": logprob} for text, logprob in alternatives.items()]
    return {"token": token, "logprob": alternatives.get(token, -0.5), "top_logprobs": listed}


class InstantClock:
    """A clock that advances only by sleeping. slept: the seconds of each sleep."""

    def __init__(self):
        self.now, self.slept = 1000.0, []

    def monotonic(self):
        return self.now

    def wall(self):
        return self.now

    def sleep(self, seconds, cancelled):
        self.slept.append(seconds)
        self.now += seconds
